//! Checkpoints: one training at a time, whole or not at all, and what signals do.

use crate::common::{Desk, QUICK_TEXT, data};
use crate::running::{ENDLESS, LONG, Running, wait_for};
use std::fs;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

const FOLDER: &str = "model.checkpoint";

#[test]
fn two_trainings_do_not_share_a_checkpoint() {
    let desk = Desk::new();
    let first = Running::with_checkpoint(&desk, ENDLESS);
    for second in [ENDLESS.to_string(), format!("{ENDLESS} --resume")] {
        let done = desk.run(&second);
        assert_eq!(done.code, Some(2), "{}", done.err);
        let expected = "error: model.checkpoint: another training is using it: wait until it has ended, or choose another folder\n";
        assert_eq!(done.err, expected);
    }
    // The lock ends with the process, however that ends.
    first.signal("-KILL");
    assert_eq!(first.wait().signal(), Some(9));
    let third = Running::start(&desk, &format!("{ENDLESS} --resume"));
    sleep(Duration::from_millis(300));
    third.signal("-TERM");
    assert_eq!(third.wait().code(), Some(130));
}

#[test]
fn a_training_that_comes_too_late_does_not_begin() {
    let desk = Desk::new();
    let args = format!(
        "train --task text --data - --input-format lines --k 2 --out model {QUICK_TEXT} --quiet"
    );
    fs::create_dir(desk.path("temporary")).unwrap();
    let mut command = desk.command(&args);
    command.env("TMPDIR", desk.path("temporary")).stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut late = command.spawn().unwrap();
    let mut stdin = late.stdin.take().unwrap();
    stdin.write_all(data::reviews().as_bytes()).unwrap();
    // It has looked at its place and waits for the rest of its data.
    let start = Instant::now();
    while fs::read_dir(desk.path("temporary")).unwrap().next().is_none() {
        assert!(start.elapsed() < Duration::from_secs(60), "it never reads");
        sleep(Duration::from_millis(5));
    }
    desk.text_model();
    drop(stdin);
    let done = late.wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(2));
    let printed = String::from_utf8(done.stderr).unwrap();
    assert!(printed.starts_with("error: model: already exists"), "{printed}");
    assert!(!desk.path(FOLDER).exists(), "it has trained");
}

#[test]
fn a_changed_bit_of_a_checkpoint_is_refused() {
    let desk = Desk::new();
    let running = Running::with_checkpoint(&desk, ENDLESS);
    // A second generation, so that there are parts to be mixed up.
    wait_for(&desk.path("model.checkpoint/model.1"));
    sleep(Duration::from_millis(200));
    running.signal("-TERM");
    assert_eq!(running.wait().code(), Some(130));
    let resume = format!("{ENDLESS} --resume --quiet");
    let state = desk.read_text("model.checkpoint/state.json");
    let generation: u64 = field(&state, "\"generation\":").parse().unwrap();
    let own = |part: &str| format!("model.checkpoint/{part}.{}", generation % 2);
    for part in ["model", "best", "optimiser"] {
        let before = desk.read(&own(part));
        for at in [before.len() / 2, before.len() - 1] {
            let mut bytes = before.clone();
            bytes[at] ^= 1;
            desk.write(&own(part), &bytes);
            desk.refused(&resume, &[&own(part), "checksum", "the file was changed"]);
        }
        // The part of the generation before.
        desk.write(
            &own(part),
            desk.read(&format!("model.checkpoint/{part}.{}", (generation + 1) % 2)),
        );
        if desk.read(&own(part)) != before {
            desk.refused(&resume, &[&own(part), "checksum"]);
        }
        desk.write(&own(part), &before);
    }
    let loss = field(&state, "\"loss_sum\":");
    let other = if loss.ends_with('1') { "2" } else { "1" };
    let changed =
        state.replacen(&format!("\"loss_sum\":{loss}"), &format!("\"loss_sum\":{loss}{other}"), 1);
    assert_ne!(changed, state);
    desk.write("model.checkpoint/state.json", changed);
    desk.refused(&resume, &["model.checkpoint/state.json", "checksum"]);
}

fn field<'a>(json: &'a str, name: &str) -> &'a str {
    let rest = &json[json.find(name).unwrap() + name.len()..];
    &rest[..rest.find([',', '}']).unwrap()]
}

#[test]
fn a_signal_that_comes_twice_at_once_is_one() {
    let desk = Desk::new();
    let running = Running::with_checkpoint(&desk, ENDLESS);
    let state = || desk.read("model.checkpoint/state.json");
    // `timeout` signals the program and then its group.
    let before = state();
    running.signals("-TERM", 2);
    assert_eq!(running.wait().code(), Some(130));
    assert_ne!(state(), before, "no checkpoint was written at the signal");
}

#[test]
fn a_killed_run_that_was_finished_is_finished() {
    let desk = Desk::new();
    let running = Running::with_checkpoint(&desk, LONG);
    copy(&desk.path(FOLDER), &desk.path("kept"));
    assert!(running.wait().success());
    assert!(!desk.path(FOLDER).exists());
    let model = desk.files();
    // As if it had been killed right after the model got its name.
    copy(&desk.path("kept"), &desk.path(FOLDER));
    let done = desk.run(&format!("{LONG} --resume"));
    assert_eq!(done.code, Some(0), "{}", done.err);
    let printed = "model: the model already exists; nothing to do";
    assert!(done.err.contains(printed), "{}", done.err);
    assert!(desk.files() == model, "a file changed");
    // And again, and after it had been killed while it removed the checkpoint.
    desk.ok(&format!("{LONG} --resume"));
    copy(&desk.path("kept"), &desk.path(FOLDER));
    fs::remove_file(desk.path("model.checkpoint/state.json")).unwrap();
    desk.ok(&format!("{LONG} --resume"));
    assert!(desk.files() == model, "a file changed");
    // Another model is in the way.
    desk.refused(&format!("{LONG} --resume --seed 9"), &["model: already exists"]);
    desk.refused(LONG, &["model: already exists"]);
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        // Temporary files come and go.
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap();
        if !name.to_string_lossy().starts_with('.') {
            fs::copy(&path, to.join(name)).unwrap();
        }
    }
}

#[test]
fn equal_runs_give_equal_files() {
    let [first, second] = [(); 2].map(|()| {
        let desk = Desk::new();
        let running = Running::start(&desk, LONG);
        assert!(running.wait().success());
        let files = desk.files().into_iter();
        let relative =
            |path: std::path::PathBuf| path.strip_prefix(desk.path("")).unwrap().to_path_buf();
        files.map(|(path, bytes)| (relative(path), bytes)).collect::<Vec<_>>()
    });
    assert!(first == second);
}
