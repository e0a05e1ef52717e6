//! Model folders hold what their training wrote, and nothing of anybody else.

use crate::common::Desk;
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
    // What a killed evaluation leaves, and what file managers do.
    desk.write("model/.trust.json.tmp-94c1e2f0a7b3d586", "{");
    desk.write("model/.DS_Store", "");
    desk.ok("describe model");
}

#[test]
fn what_is_no_file_is_refused_at_once() {
    let desk = Desk::new();
    desk.text_model();
    for name in ["manifest.json", "config.json", "model.safetensors"] {
        let path = desk.path(&format!("model/{name}"));
        fs::rename(&path, desk.path("kept")).unwrap();
        let refused = |what: &str| {
            let done = desk.run("describe model");
            assert_eq!(done.code, Some(2), "{what}: {}", done.err);
            assert_eq!(done.err, format!("error: model/{name}: it is no file\n"), "{what}");
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
