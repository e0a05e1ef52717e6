//! `ngsll export`.

use crate::common::{Desk, QUICK_IMAGE};

#[test]
fn an_export_that_cannot_be() {
    let desk = Desk::new();
    desk.refused("export model --onnx m.onnx", &["model: there is no such model folder"]);
    desk.image_model();
    desk.write("mine.onnx", "mine");
    let exists = "mine.onnx: already exists and will not be overwritten; choose another name";
    desk.refused("export model --onnx mine.onnx", &[exists]);
    let folder = "new/m.onnx: its folder does not exist";
    desk.refused("export model --onnx new/m.onnx", &[folder]);
    let k = "K must be from 1 to 16, the number of features";
    desk.refused("export model --onnx m.onnx --k 0", &["--k 0: ", k]);
    desk.refused("export model --onnx m.onnx --k 17", &["--k 17: ", k]);
    let format = "the following required arguments were not provided: --onnx <FILE.onnx>";
    desk.refused("export model", &[format]);
}

#[test]
fn a_rule_that_is_not_exported() {
    let desk = Desk::new();
    desk.image_model();
    let rule = "--set choice.rule=two_pass --set choice.side=both";
    let train = "train --task image --data images-idx3-ubyte --k 2";
    desk.ok(&format!("{train} {QUICK_IMAGE} {rule} --out other"));
    let part = "two_pass: such a model is exported with the rule search or halving only";
    desk.refused("export other --onnx other.onnx", &[part]);
}
