//! Model folders whose manifest fits, and checkpoints whose checksums do: what a stranger could send.

use crate::campaign;
use crate::common::{Desk, data};
use crate::mutate;
use ngsll::dataset::{Column, ImageSize, Images, Table};
use ngsll::{Dataset, ModelFolder, Ngsll, Result, Samples};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

fn sha256(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}

/// Reads a folder and asks its model everything.
fn ask(path: &Path, samples: &Samples) -> Result<()> {
    let folder = ModelFolder::open(path)?;
    let model = folder.model()?;
    let predictions = model.predict(samples)?;
    let explanations = model.explain(samples)?;
    assert_eq!(predictions.len(), explanations.len());
    for prediction in &predictions {
        let all = prediction.class().map(|class| class.probability());
        assert!(all.is_none_or(|p| (0.0..=1.0).contains(&p)), "{prediction:?}");
    }
    model.card("A model");
    model.schema();
    Ok(())
}

#[test]
fn model_folders() {
    let desk = Desk::new();
    desk.three_models();
    let size = ImageSize { width: 8, height: 8, channels: 1 };
    let rows = Table::new([
        Column::numeric("size", [1.0, f64::NAN]).unwrap(),
        Column::categorical("colour", [Some("red"), None]),
        Column::numeric("price", [120.0, 1e9]).unwrap(),
    ]);
    let models: [(&str, Samples); 3] = [
        ("reviews", Samples::texts(["a good film", "", "unknown words alone"])),
        ("houses", rows.unwrap().into()),
        ("digits", Images::new(size, data::digit(1)).unwrap().into()),
    ];
    let good: BTreeMap<&str, Vec<(String, Vec<u8>)>> = models
        .iter()
        .map(|(name, samples)| {
            ask(&desk.path(name), samples).unwrap();
            let entries = fs::read_dir(desk.path(name)).unwrap();
            let file = |path: std::path::PathBuf| {
                (path.file_name().unwrap().to_str().unwrap().to_string(), fs::read(path).unwrap())
            };
            (*name, entries.map(|entry| file(entry.unwrap().path())).collect())
        })
        .collect();
    let damaged = desk.path("damaged");
    campaign("model folders", |random| {
        let (name, samples) = random.choose(&models);
        let files: Vec<&(String, Vec<u8>)> =
            good[name].iter().filter(|(name, _)| name != "manifest.json").collect();
        let changed = random.below(files.len());
        let _ = fs::remove_dir_all(&damaged);
        fs::create_dir(&damaged).unwrap();
        let mut manifest = BTreeMap::new();
        for (at, (name, bytes)) in files.into_iter().enumerate() {
            let mut bytes = bytes.clone();
            if at == changed {
                match serde_json::from_slice::<Value>(&bytes) {
                    Ok(mut content) if random.below(4) > 0 => {
                        (0..=random.below(2)).for_each(|_| mutate::value(random, &mut content));
                        bytes = serde_json::to_vec(&content).unwrap();
                    }
                    _ => {
                        let good = [bytes.clone()];
                        mutate::bytes(random, &mut bytes, &good);
                    }
                }
            }
            manifest.insert(name, json!({"bytes": bytes.len(), "sha256": sha256(&bytes)}));
            fs::write(damaged.join(name), bytes).unwrap();
        }
        let manifest = serde_json::to_string_pretty(&manifest).unwrap() + "\n";
        fs::write(damaged.join("manifest.json"), manifest).unwrap();
        // Refused, or a model that answers.
        let _ = ask(&damaged, samples);
    });
}

#[test]
fn checkpoints() {
    let folder = tempfile::tempdir().unwrap();
    let kept = folder.path().join("kept");
    let texts = (0..40).map(|i| ["a good film", "a bad film"][i % 2]);
    let data = Dataset::texts(texts, (0..40).map(|i| ["a", "b"][i % 2])).unwrap();
    let training = |folder: &Path| {
        let small = ["units", "filters", "embedding"].into_iter();
        let set =
            |ngsll: Ngsll<'static>, name| ngsll.set(&format!("generator.{name}"), "8").unwrap();
        small.fold(Ngsll::text(), set).terms(1).epochs(2).checkpoints(folder).fit(&data)
    };
    training(&kept).unwrap();
    let good: Vec<(String, Vec<u8>)> = fs::read_dir(&kept)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| (path.file_name().unwrap().to_str().unwrap().into(), fs::read(path).unwrap()))
        .collect();
    let damaged = folder.path().join("damaged");
    campaign("checkpoints", |random| {
        let _ = fs::remove_dir_all(&damaged);
        fs::create_dir(&damaged).unwrap();
        let changed = random.below(good.len());
        for (at, (name, bytes)) in good.iter().enumerate() {
            let mut bytes = bytes.clone();
            if at == changed && name == "state.json" && random.below(4) > 0 {
                let mut state: Value = serde_json::from_slice(&bytes).unwrap();
                state["sha256"] = json!("0".repeat(64));
                mutate::value(random, &mut state);
                let text = serde_json::to_string(&state).unwrap();
                bytes = text.replacen(&"0".repeat(64), &sha256(text.as_bytes()), 1).into_bytes();
            } else if at == changed {
                let good = [bytes.clone()];
                mutate::bytes(random, &mut bytes, &good);
            }
            fs::write(damaged.join(name), bytes).unwrap();
        }
        // Refused, or a training that ends.
        let _ = training(&damaged);
    });
}
