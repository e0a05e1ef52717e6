//! Checkpoints whose checksums fit.

use crate::campaign::campaign;
use crate::folders::{Content, content, sha256};
use crate::models::small;
use crate::mutate::{self, Random};
use ngsll::config::Task;
use ngsll::train::{Checkpoints, Event};
use ngsll::{Dataset, Result, Samples, TrainingSetup};
use serde_json::{Value, json};
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

/// A training of two epochs.
fn setup() -> TrainingSetup {
    let texts = (0..40).map(|i| ["a good film", "a bad film"][i % 2]);
    let data = Dataset::texts(texts, (0..40).map(|i| ["a", "b"][i % 2])).unwrap();
    let sizes = [("generator.filters", "8"), ("generator.embedding", "8")];
    small(Task::Text, &sizes).terms(1).epochs(2).setup(&data).unwrap()
}

/// Loads a checkpoint and goes on from it: to the next step, or to the end.
fn resume(setup: &TrainingSetup, folder: &Path, to_the_end: bool) -> Result<()> {
    let checkpoints = Checkpoints::new(folder, setup.fingerprint());
    let mut go_on = |_: Event<'_>| match to_the_end {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(()),
    };
    setup.fit(Some(&checkpoints), &mut go_on).map(drop)
}

/// The files that a checkpoint is read from: the other generation's are not.
fn in_use(folder: &Path) -> Content {
    let mut files = content(folder);
    let (_, state) = files.iter().find(|(name, _)| name == "state.json").unwrap();
    let state: Value = serde_json::from_slice(state).unwrap();
    let own = format!(".{}", state["generation"].as_u64().unwrap() % 2);
    files.retain(|(name, _)| name == "state.json" || name.ends_with(&own));
    files
}

fn write(files: &Content, folder: &Path) {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir(folder).unwrap();
    files.iter().for_each(|(name, bytes)| fs::write(folder.join(name), bytes).unwrap());
}

#[test]
fn checkpoints() {
    let setup = setup();
    let folder = tempfile::tempdir().unwrap();
    // A training that has ended: to load its checkpoint again costs no step.
    let kept = folder.path().join("kept");
    resume(&setup, &kept, true).unwrap();
    let good = in_use(&kept);
    write(&good, &kept);
    resume(&setup, &kept, true).unwrap();
    let model = setup.fit(None, &mut |_| ControlFlow::Continue(())).unwrap().model;
    let sample = Samples::texts(["a good film"]);
    campaign("checkpoints", || {
        let (folder, good, setup) = (tempfile::tempdir().unwrap(), &good, &setup);
        let (model, sample, mut done) = (&model, &sample, 0_u32);
        let damaged = folder.path().join("damaged");
        write(good, &damaged);
        move |random: &mut Random<'_>| {
            done += 1;
            if done.is_multiple_of(256) {
                // Burn frees what belonged to networks that are gone only when a gradient is computed, as here.
                model.explain(sample).unwrap();
            }
            // The folder lives as long as the checkpoint in it is used.
            let _ = &folder;
            let (name, bytes) = random.choose(good);
            let bytes = changed(random, name, bytes);
            random.reads(name, &bytes);
            fs::write(damaged.join(name), &bytes).unwrap();
            // Refused, or a training that goes on; now and then to its end.
            let _ = resume(setup, &damaged, random.below(32) == 0);
            // Writing all files takes longer than reading them.
            let (_, state) = good.iter().find(|(name, _)| name == "state.json").unwrap();
            let expected = if name == "state.json" { &bytes } else { state };
            match fs::read(damaged.join("state.json")).is_ok_and(|found| found == *expected) {
                true => {
                    let (_, bytes) = good.iter().find(|(own, _)| own == name).unwrap();
                    fs::write(damaged.join(name), bytes).unwrap();
                }
                false => write(good, &damaged),
            }
        }
    });
}

/// A file with a few changes; most often a value of the state, with a checksum that fits.
fn changed(random: &mut Random<'_>, name: &str, bytes: &[u8]) -> Vec<u8> {
    if name == "state.json" && random.below(4) > 0 {
        let mut state: Value = serde_json::from_slice(bytes).unwrap();
        state["sha256"] = json!("0".repeat(64));
        mutate::value(random, &mut state);
        let text = serde_json::to_string(&state).unwrap();
        return text.replacen(&"0".repeat(64), &sha256(text.as_bytes()), 1).into_bytes();
    }
    let good = [bytes.to_vec()];
    let mut bytes = bytes.to_vec();
    mutate::bytes(random, &mut bytes, &good);
    bytes
}
