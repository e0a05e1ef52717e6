//! Model folders hold what their training wrote, and nothing of anybody else.

use crate::common::Desk;
use crate::strace;
use serde_json::json;
use sha2::{Digest, Sha256};
use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

#[test]
fn files_that_the_manifest_does_not_list_are_refused() {
    let desk = Desk::new();
    desk.text_model();
    for name in ["examples.json.old", "notes.txt"] {
        desk.write(&format!("model/{name}"), "somebody's");
        let expected = format!("model/{name}: the manifest does not list it");
        desk.refused("describe model", &[&expected]);
        fs::remove_file(desk.path(&format!("model/{name}"))).unwrap();
    }
    // Leftovers of a killed evaluation, and files that file managers create.
    desk.write("model/.trust.json.tmp-94c1e2f0a7b3d586", "{");
    desk.write("model/.DS_Store", "");
    desk.ok("describe model");
}

#[test]
fn pipes_and_devices_are_refused_at_once() {
    let desk = Desk::new();
    desk.text_model();
    for name in ["manifest.json", "config.json", "model.safetensors"] {
        let path = desk.path(&format!("model/{name}"));
        fs::rename(&path, desk.path("kept")).unwrap();
        let refused = |what: &str| {
            let done = desk.run("describe model");
            assert_eq!(done.code, Some(2), "{what}: {}", done.err);
            assert_eq!(
                done.err,
                format!("error: model/{name}: it is not a regular file\n"),
                "{what}"
            );
            fs::remove_file(&path).unwrap();
        };
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        refused("a pipe");
        symlink("/dev/zero", &path).unwrap();
        refused("an endless device");
        fs::rename(desk.path("kept"), &path).unwrap();
    }
    // A link to a file is as good as the file.
    fs::rename(desk.path("model/config.json"), desk.path("kept")).unwrap();
    symlink(desk.path("kept"), desk.path("model/config.json")).unwrap();
    desk.ok("describe model");
}

#[test]
fn files_that_no_model_has_are_not_read() {
    let desk = Desk::new();
    desk.text_model();
    let manifest = desk.read_text("model/manifest.json");
    let changed = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut content = serde_json::from_str(&manifest).unwrap();
        change(&mut content);
        let text = serde_json::to_string_pretty(&content).unwrap() + "\n";
        desk.write("model/manifest.json", text);
    };
    // Sparse, and one file under many names: 256 MiB of nothing, listed as five gigabytes.
    let one = desk.path("model/x0.safetensors");
    fs::File::create(&one).unwrap().set_len(256 << 20).unwrap();
    (1..20)
        .for_each(|i| fs::hard_link(&one, desk.path(&format!("model/x{i}.safetensors"))).unwrap());
    let sha256 = format!("{:x}", Sha256::digest(vec![0; 256 << 20]));
    changed(&|content| {
        for i in 0..20 {
            let entry = json!({"bytes": 256 << 20, "sha256": sha256});
            content[format!("x{i}.safetensors")] = entry;
        }
    });
    desk.refused("describe model", &["model/x0.safetensors: no model has such a file"]);
    (0..20).for_each(|i| fs::remove_file(desk.path(&format!("model/x{i}.safetensors"))).unwrap());
    // Files that a model may have, of sizes that each may have.
    changed(&|content| {
        for name in ["model.safetensors", "judge.safetensors"] {
            content[name] = json!({"bytes": 3_u64 << 30, "sha256": sha256});
        }
    });
    desk.write("model/judge.safetensors", "");
    let expected = "model/manifest.json: its files have 64424";
    desk.refused("describe model", &[expected, "expected at most 4294967296"]);
    changed(&|content| content["config.json"]["bytes"] = json!(1_u64 << 30));
    fs::remove_file(desk.path("model/judge.safetensors")).unwrap();
    desk.refused("describe model", &["config.json: 1073741824 bytes, expected at most 33554432"]);
    changed(&|_| ());
    desk.ok("describe model");
}

#[test]
fn without_locks_nothing_is_cleaned_up() {
    let test = "without_locks_nothing_is_cleaned_up";
    if !strace::is_there(test) {
        return;
    }
    let desk = Desk::new();
    desk.write("reviews.tsv", crate::common::data::reviews());
    // Another process may be writing it just now: only a lock would tell.
    let held = ".model.tmp-94c1e2f0a7b3d586";
    desk.write(held, "half of a model");
    let args = "train --task text --data reviews.tsv --k 2 --out model --quiet \
         --set training.epochs=1 --set generator.units=8";
    let done = strace::run(
        &desk,
        &["-einject=flock:error=ENOSYS", "-etrace=flock", "-o", "/dev/null"],
        args,
    );
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    assert!(desk.path(held).exists(), "it was removed without a lock");
}
