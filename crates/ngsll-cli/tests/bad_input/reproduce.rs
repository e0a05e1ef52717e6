//! `ngsll reproduce`

use crate::common::Desk;

#[track_caller]
fn refused(more: &str, parts: &[&str]) {
    Desk::new().refused(&format!("reproduce {more} --data data --out out"), parts);
}

#[test]
fn options_that_cannot_work() {
    refused("mnist-accuracy --seeds 0", &["--seeds 0: at least 1"]);
    refused("mnist-accuracy --jobs 0", &["--jobs 0: at least 1"]);
    refused("mnist-accuracy --seeds many", &["invalid value 'many' for '--seeds <N>'"]);
    refused("mnist-accuracy --k 1,0", &["invalid value '0' for '--k", "numbers from 1 up"]);
    refused("trec-weights --k all", &["--k all: at least one number is needed"]);
    refused("mnist-time --k 50", &["--k 50: K must be from 1 to 49"]);
    refused("mnist-accuracy --methods ridge,magic", &["--methods magic: expected some of ngsll,"]);
    refused("honesty --methods ridge", &["--methods ridge: expected some of chosen,whole,l2x,"]);
    refused(
        "honesty --k 1,all",
        &["--k all: numbers only: with all features there is nothing to choose"],
    );
    refused("honesty --k 50", &["--k 50: K must be from 1 to 49"]);
    refused("honesty --sets syn7", &["--sets syn7: expected some of mnist,trec,subj,mpqa,syn1,"]);
    refused("mnist-time --sets trec", &["--sets trec: only honesty has these data sets"]);
    refused("honesty --seeds 0", &["--seeds 0: at least 1"]);
    refused("imagenet", &["invalid value 'imagenet'", "mnist-accuracy"]);
}

#[test]
fn data_that_are_not_there() {
    let missing =
        "data/trec/train.tsv: there is no such file; \"ngsll data get trec --dir data\" makes it";
    refused("trec-weights", &[missing]);
    refused("honesty", &["data/mnist/train-images-idx3-ubyte.gz: there is no such file"]);
    refused("mnist-time", &["data/mnist/train-images-idx3-ubyte.gz: there is no such file"]);
}

#[test]
fn a_folder_of_something_else() {
    let desk = Desk::new();
    for file in ["train.tsv", "test.tsv", "labels.txt"] {
        desk.write(&format!("data/trec/{file}"), "x");
    }
    desk.write("out/notes.txt", "mine");
    let parts = ["out: it already exists and is not the folder of an earlier reproduce"];
    desk.refused("reproduce trec-weights --data data --out out", &parts);
    desk.refused(
        "reproduce trec-weights --data data --out out/notes.txt",
        &["out/notes.txt: it already exists"],
    );
}
