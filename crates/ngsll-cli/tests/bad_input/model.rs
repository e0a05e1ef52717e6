//! Model folders and checkpoints.

use crate::common::data::reviews;
use crate::common::{Desk, QUICK_TEXT};

/// Every file of a folder.
fn names(desk: &Desk, folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(desk.path(folder)).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Changes the files of a model one after the other and expects `part` in each answer.
#[track_caller]
fn damage(desk: &Desk, change: impl Fn(&mut Vec<u8>), part: &str) {
    let names = names(desk, "model");
    assert_eq!(names.len(), 8, "{names:?}");
    for name in names {
        let path = format!("model/{name}");
        let good = desk.read(&path);
        let mut bad = good.clone();
        change(&mut bad);
        desk.write(&path, bad);
        for command in ["describe model", "predict model --data houses.csv"] {
            // A changed manifest may also speak of the file whose entry no longer fits.
            let file = if name == "manifest.json" { "model/" } else { &path };
            let part = if name == "manifest.json" { "" } else { part };
            desk.refused(command, &[file, part]);
        }
        desk.write(&path, good);
    }
    desk.ok("describe model");
}

#[test]
fn a_changed_byte_in_any_file() {
    let desk = Desk::new();
    desk.table_model();
    for place in [0.0, 0.3, 0.5, 0.99] {
        let change = |bytes: &mut Vec<u8>| {
            let at = (bytes.len() as f64 * place) as usize;
            bytes[at] ^= 1;
        };
        damage(&desk, change, "the file was changed: its checksum is not the one in the manifest");
    }
}

#[test]
fn a_changed_byte_anywhere_in_the_manifest() {
    let desk = Desk::new();
    desk.text_model();
    let good = desk.read("model/manifest.json");
    for at in (0..good.len()).step_by(7) {
        let mut bad = good.clone();
        // Letters, digits and blanks stay such, so that the JSON often stays valid.
        bad[at] ^= 1;
        desk.write("model/manifest.json", bad);
        desk.refused("describe model", &["model"]);
    }
}

#[test]
fn changed_figures_of_the_terms() {
    let desk = Desk::new();
    desk.write("reviews.tsv", reviews());
    desk.ok(&format!("train --task text --data reviews.tsv --judge {QUICK_TEXT} --out model"));
    desk.write("new.tsv", reviews() + "pos\tgood film\n");
    desk.ok("evaluate model --data new.tsv --k 1");
    let good = desk.read_text("model/trust.json");
    let parts = ["model/trust.json: its checksum does not match these figures and this model"];
    desk.write("model/trust.json", good.replace("\"k\": 1", "\"k\": 2"));
    desk.refused("describe model", &parts);
    desk.refused("evaluate model --data reviews.tsv", &parts);
    desk.write("model/trust.json", "{}");
    desk.refused("describe model", &["model/trust.json: it is damaged"]);
    std::fs::remove_file(desk.path("model/trust.json")).unwrap();
    desk.ok("describe model");
}

#[test]
fn a_file_cut_off() {
    let desk = Desk::new();
    desk.table_model();
    damage(&desk, |bytes| bytes.truncate(bytes.len() - 1), "bytes, the manifest says");
}

#[test]
fn an_empty_file() {
    let desk = Desk::new();
    desk.table_model();
    damage(&desk, Vec::clear, "it has 0 bytes, the manifest says");
}

#[test]
fn a_missing_file() {
    let desk = Desk::new();
    desk.text_model();
    for name in names(&desk, "model") {
        let path = format!("model/{name}");
        let good = desk.read(&path);
        std::fs::remove_file(desk.path(&path)).unwrap();
        let parts: &[&str] = match name.as_str() {
            "manifest.json" => {
                &["model: it is not a model folder: there is no manifest.json in it"]
            }
            _ => &[&path, ": cannot read: No such file"],
        };
        desk.refused("describe model", parts);
        desk.write(&path, good);
    }
}

#[test]
fn no_model() {
    let desk = Desk::new();
    desk.write("reviews.tsv", reviews());
    for command in ["predict", "explain", "evaluate"] {
        let parts = ["nothing: there is no such model folder"];
        desk.refused(&format!("{command} nothing --data reviews.tsv"), &parts);
    }
    let parts = ["reviews.tsv: it is not a model folder: there is no manifest.json in it"];
    desk.refused("describe reviews.tsv", &parts);
}

const TRAIN: &str = "train --task text --data reviews.tsv --out model";

/// A desk on which a training was killed after its first checkpoint.
fn interrupted() -> Desk {
    let desk = Desk::new();
    desk.write("reviews.tsv", reviews());
    let mut child = desk
        .command(&format!("{TRAIN} {QUICK_TEXT} --set training.epochs=100000"))
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    while !desk.path("model.checkpoint/state.json").exists() {
        assert!(child.try_wait().unwrap().is_none(), "training ended before its first checkpoint");
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    desk
}

#[test]
fn a_checkpoint_without_resume() {
    let desk = interrupted();
    let parts = ["model.checkpoint: an earlier run stopped here; add --resume to continue it"];
    desk.refused(&format!("{TRAIN} {QUICK_TEXT} --set training.epochs=100000"), &parts);
}

#[test]
fn a_checkpoint_of_a_run_with_other_options() {
    let desk = interrupted();
    let parts = ["model.checkpoint: it belongs to a run with other data or options"];
    desk.refused(&format!("{TRAIN} {QUICK_TEXT} --resume --seed 1 --quiet"), &parts);
}

#[test]
fn a_damaged_checkpoint() {
    let desk = interrupted();
    desk.write("model.checkpoint/state.json", "{");
    let parts = ["model.checkpoint/state.json: it is not a checkpoint of this version"];
    desk.refused(
        &format!("{TRAIN} {QUICK_TEXT} --set training.epochs=100000 --resume --quiet"),
        &parts,
    );
}
