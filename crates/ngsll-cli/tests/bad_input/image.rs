//! Images.

use crate::common::data::{digit, digits, gzip, idx, png};
use crate::common::{Desk, QUICK_IMAGE};

/// A desk with good images and labels.
fn desk() -> Desk {
    let desk = Desk::new();
    let (images, labels) = digits(20);
    desk.write("images-idx3-ubyte", images);
    desk.write("labels-idx1-ubyte", labels);
    desk
}

#[track_caller]
fn refused(desk: &Desk, more: &str, parts: &[&str]) {
    desk.refused(&format!("train --task image {QUICK_IMAGE} --out model {more}"), parts);
}

#[test]
fn a_header_that_promises_more_than_the_file_has() {
    let desk = desk();
    let pixels: Vec<u8> = (0..19).flat_map(digit).collect();
    desk.write("images-idx3-ubyte", idx(&[20, 8, 8], &pixels));
    let parts =
        ["images-idx3-ubyte: the file ends after 19 complete images, but its header announces 20"];
    refused(&desk, "--data images-idx3-ubyte", &parts);
}

#[test]
fn labels_whose_header_promises_more_than_the_file_has() {
    let desk = desk();
    desk.write("labels-idx1-ubyte", idx(&[20], &[0, 1, 0]));
    let parts =
        ["labels-idx1-ubyte: the file ends after 3 complete labels, but its header announces 20"];
    refused(&desk, "--data images-idx3-ubyte", &parts);
}

#[test]
fn a_header_that_promises_the_impossible() {
    let desk = desk();
    desk.write("images-idx3-ubyte", idx(&[u32::MAX, u32::MAX, u32::MAX], &[0; 64]));
    let parts = ["images-idx3-ubyte: the header announces images of 4294967295×4294967295"];
    refused(&desk, "--data images-idx3-ubyte", &parts);
}

#[test]
fn a_header_cut_off() {
    let desk = desk();
    desk.write("images-idx3-ubyte", [0, 0, 8, 3, 0, 0]);
    let parts = ["images-idx3-ubyte: the file ends within its IDX header"];
    refused(&desk, "--data images-idx3-ubyte", &parts);
}

#[test]
fn bytes_after_the_images() {
    let desk = desk();
    let mut images = digits(20).0;
    images.push(7);
    desk.write("images-idx3-ubyte", images);
    let parts = ["images-idx3-ubyte: there are more bytes after the 20 images"];
    refused(&desk, "--data images-idx3-ubyte", &parts);
}

#[test]
fn an_empty_file() {
    let desk = desk();
    desk.write("images-idx3-ubyte", "");
    refused(
        &desk,
        "--data images-idx3-ubyte",
        &["images-idx3-ubyte: the file ends within its IDX header"],
    );
}

#[test]
fn a_gzip_file_cut_off() {
    let desk = desk();
    let whole = gzip(&digits(20).0);
    desk.write("images-idx3-ubyte.gz", &whole[..whole.len() / 2]);
    let parts = ["images-idx3-ubyte.gz: the gzip data are damaged or cut off"];
    refused(&desk, "--data images-idx3-ubyte.gz", &parts);
}

#[test]
fn another_number_of_labels() {
    let desk = desk();
    desk.write("few", digits(19).1);
    let parts = ["few: found 19 labels, expected 20, one for each image in images-idx3-ubyte"];
    refused(&desk, "--data images-idx3-ubyte --labels few", &parts);
}

#[test]
fn no_labels() {
    let desk = desk();
    desk.write("pictures", digits(20).0);
    let parts = ["pictures: there is no file of labels beside it: expected --labels PATH"];
    refused(&desk, "--data pictures", &parts);
}

#[test]
fn labels_that_are_not_there() {
    refused(
        &desk(),
        "--data images-idx3-ubyte --labels nowhere",
        &["nowhere: cannot read: No such file"],
    );
}

#[test]
fn images_for_labels() {
    let parts = ["images-idx3-ubyte: the IDX file has 3 dimensions, expected 1 for labels"];
    refused(&desk(), "--data images-idx3-ubyte --labels images-idx3-ubyte", &parts);
}

#[test]
fn one_class_only() {
    let desk = desk();
    desk.write("ones", idx(&[20], &[1; 20]));
    let parts = ["images-idx3-ubyte", "only the class \"1\"", "at least two classes"];
    refused(&desk, "--data images-idx3-ubyte --labels ones", &parts);
}

#[test]
fn a_grid_finer_than_the_image() {
    let parts = ["--set 'representation.cells=[9, 9]': ", "1 to 8"];
    refused(&desk(), "--data images-idx3-ubyte --set representation.cells=[9,9]", &parts);
}

#[test]
fn no_image_at_all() {
    let desk = desk();
    desk.write("images-idx3-ubyte", idx(&[0, 8, 8], &[]));
    desk.write("labels-idx1-ubyte", idx(&[0], &[]));
    refused(
        &desk,
        "--data images-idx3-ubyte",
        &["images-idx3-ubyte: it is empty: expected at least one sample"],
    );
}

#[test]
fn a_folder_without_classes() {
    let desk = desk();
    desk.write("folder/a.png", png(8, 8, &digit(0)));
    let parts = ["folder: expected a folder with one sub-folder of images for each class"];
    refused(&desk, "--data folder", &parts);
}

#[test]
fn a_folder_without_images() {
    let desk = desk();
    desk.write("folder/left/notes.txt", "none here");
    let parts = [
        "folder/left/notes.txt: found this file but no images; expected .png, .jpg or .webp files",
    ];
    refused(&desk, "--data folder", &parts);
}

#[test]
fn folders_with_nothing_in_them() {
    let desk = desk();
    std::fs::create_dir_all(desk.path("folder/left")).unwrap();
    refused(&desk, "--data folder", &["folder: it is empty: expected at least one sample"]);
}

#[test]
fn a_damaged_png() {
    let desk = desk();
    let mut damaged = png(8, 8, &digit(0));
    damaged.truncate(damaged.len() / 2);
    desk.write("folder/left/a.png", damaged);
    let parts = ["folder/left/a.png: not a readable PNG, JPEG or WebP image"];
    refused(&desk, "--data folder", &parts);
}

#[test]
fn a_size_without_pixels_and_a_background_without_colour() {
    let desk = desk();
    desk.write("folder/left/a.png", png(8, 8, &digit(0)));
    for (set, expected) in [
        ("data.image.size=[0,8]", "expected a width and a height of at least 1"),
        ("data.image.background=red", "expected white, black, #rrggbb or none"),
        ("data.image.fit=shrink", "expected pad, crop or stretch"),
    ] {
        refused(&desk, &format!("--data folder --set {set}"), &[expected]);
    }
}

#[test]
fn a_list_that_names_no_file() {
    let desk = desk();
    desk.write("photos.csv", "path,label\nleft/a.png,left\n");
    let parts = ["photos.csv line 2: there is no image file \"left/a.png\" beside the list"];
    refused(&desk, "--data photos.csv", &parts);
    desk.write("photos.csv", "path,kind\nleft/a.png,left\n");
    refused(&desk, "--data photos.csv", &["is the label: expected --target COLUMN"]);
}

#[test]
fn an_idx_file_of_another_size_than_the_models() {
    let desk = Desk::new();
    desk.image_model();
    desk.write("other", idx(&[1, 9, 9], &[0; 81]));
    let parts =
        ["other: the images are 9×9 with 1 channel, but the model reads 8×8 with 1 channel"];
    desk.refused("predict model --data other", &parts);
}

#[test]
fn a_label_that_training_never_saw() {
    let desk = Desk::new();
    desk.image_model();
    desk.write("seven", idx(&[40], &[7; 40]));
    let parts = ["images-idx3-ubyte line 1: label \"7\" is not one of 0, 1"];
    desk.refused("evaluate model --data images-idx3-ubyte --labels seven", &parts);
}

#[test]
#[cfg(unix)]
fn a_pipe_among_images() {
    let desk = desk();
    desk.write("folder/left/a.png", png(8, 8, &digit(0)));
    let pipe = desk.path("folder/left/b.png");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    // `refused` reads all files, which a pipe would hold up.
    let done = desk.run("train --task image --data folder --out model");
    assert_eq!(done.code, Some(2), "{done:?}");
    assert!(done.err.contains("folder/left/b.png: it is not a regular file"), "{done:?}");
}
