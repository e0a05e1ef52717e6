//! Reading images, good and bad.

mod common;

use std::path::Path;

use common::{Folder, all, gzip, labels, message, notes};
use image::{DynamicImage, GrayImage, ImageFormat, Rgb, RgbImage, Rgba, RgbaImage};
use ngsll::Dataset;
use ngsll::config::{Background, DataConfig, Fit, ImageConfig, Task};
use ngsll::dataset::{ImageSize, Images, Samples};
use ngsll::error::{Location, Result};
use ngsll_readers::{
    IdxReader, ImageFolderReader, LabelUse, Reader, decode_into, labels_beside, read_all,
};

fn idx(kind: u8, dimensions: &[u32], bytes: &[u8]) -> Vec<u8> {
    let mut file = vec![0, 0, kind, dimensions.len() as u8];
    dimensions.iter().for_each(|dimension| file.extend(dimension.to_be_bytes()));
    file.extend(bytes);
    file
}

fn size(width: usize, height: usize, channels: usize) -> ImageSize {
    ImageSize { width, height, channels }
}

fn images(data: &Dataset) -> &Images {
    match data.samples() {
        Samples::Images(images) => images,
        other => panic!("expected images, found {other:?}"),
    }
}

#[test]
fn idx_images_and_labels() {
    let folder = Folder::new();
    let plain = idx(8, &[3, 1, 2], &[1, 2, 3, 4, 5, 6]);
    let label_file = folder.write("train-labels-idx1-ubyte.gz", gzip(idx(8, &[3], &[7, 0, 9])));
    for (name, bytes) in [
        ("train-images-idx3-ubyte", plain.clone()),
        ("train-images-idx3-ubyte.gz", gzip(&plain)),
        ("t", gzip(&plain)),
    ] {
        let path = folder.write(name, bytes);
        let mut reader = IdxReader::open(&path, Some(&label_file), Some(size(2, 1, 1))).unwrap();
        let data = reader.next_chunk(2).unwrap().unwrap();
        assert_eq!((images(&data).len(), images(&data).get(1)), (2, &[3, 4][..]));
        let data = reader.next_chunk(2).unwrap().unwrap();
        assert_eq!((images(&data).get(0), labels(&data).unwrap()), (&[5, 6][..], vec!["9"]));
        assert_eq!(data.location(0), Location::line(&path, 3));
        assert_eq!(reader.next_chunk(2).unwrap(), None);
        assert_eq!(labels_beside(&path).is_some(), name != "t");
    }
    assert_eq!(labels_beside(&folder.path("train-images-idx3-ubyte")), Some(label_file));
    assert_eq!(labels_beside(&folder.path("t10k-images-idx3-ubyte")), None);
}

#[test]
fn idx_images_may_have_channels() {
    let folder = Folder::new();
    let path = folder.write("a", idx(8, &[2, 1, 2, 3], &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]));
    let data = all(IdxReader::open(&path, None, None)).unwrap();
    assert_eq!(
        (images(&data).get(0), images(&data).get(1)),
        (&[1, 2, 3, 4, 5, 6][..], &[7, 8, 9, 10, 11, 12][..])
    );
    assert_eq!(data.labels(), None);
}

#[test]
fn bad_idx_files_are_explained() {
    let folder = Folder::new();
    let read = |bytes: Vec<u8>| {
        message(&folder, all(IdxReader::open(folder.write("a", bytes), None, None)))
    };
    for (bytes, expected) in [
        (vec![], "the file ends within its IDX header"),
        (vec![0, 0, 8, 3, 0, 0, 0], "the file ends within its IDX header"),
        (
            b"\x89PNG and more".to_vec(),
            "not an IDX file: it starts with the bytes 137 and 80, expected 0 and 0",
        ),
        (
            idx(13, &[1, 1, 1], &[1]),
            "the IDX values are of type 0x0d, expected 0x08 (unsigned bytes)",
        ),
        (idx(8, &[1], &[1]), "the IDX file has 1 dimensions, expected 3 or 4 for images"),
        (idx(8, &[0, 1, 1], &[]), "it is empty: expected at least one sample"),
        (
            idx(8, &[60000, 2, 1], &[1, 2, 3]),
            "the file ends after 1 complete images, but its header announces 60000",
        ),
        (
            idx(8, &[u32::MAX, 4096, 4096, 16], &[1]),
            "the file ends after 0 complete images, but its header announces 4294967295",
        ),
        (
            idx(8, &[1, 1, 1], &[1, 2]),
            "there are more bytes after the 1 images that the header announces",
        ),
        (
            idx(8, &[1, u32::MAX, u32::MAX, u32::MAX], &[1]),
            "the header announces images of 4294967295×4294967295 with 4294967295 channels, expected sides of 1 to 4096 and 1 to 16 channels",
        ),
        (
            idx(8, &[1, 4097, 1], &[1]),
            "the header announces images of 1×4097 with 1 channel, expected sides of 1 to 4096 and 1 to 16 channels",
        ),
        (
            idx(8, &[1, 0, 1], &[]),
            "the header announces images of 1×0 with 1 channel, expected sides of 1 to 4096 and 1 to 16 channels",
        ),
    ] {
        assert_eq!(read(bytes), format!("a: {expected}"));
    }
    let zipped =
        gzip(idx(8, &[1, 100, 100], &(0..10_000).map(|i| (i * i) as u8).collect::<Vec<_>>()));
    for length in [12, zipped.len() / 2, zipped.len() - 4] {
        let found = read(zipped[..length].to_vec());
        assert!(found.starts_with("a: the gzip data are damaged or cut off"), "{found}");
    }
}

#[test]
fn idx_files_that_do_not_fit_are_explained() {
    let folder = Folder::new();
    let path = folder.write("i", idx(8, &[2, 1, 1], &[1, 2]));
    let open = |labels: &Path, expect| all(IdxReader::open(&path, Some(labels), expect));
    let labels = folder.write("l", idx(8, &[3], &[1, 2, 3]));
    let found = message(&folder, open(&labels, None));
    assert!(found.starts_with("l: found 3 labels, expected 2, one for each image in "), "{found}");
    let labels = folder.write("l", idx(8, &[2], &[1]));
    assert_eq!(
        message(&folder, open(&labels, None)),
        "l: the file ends after 1 complete labels, but its header announces 2"
    );
    assert_eq!(
        message(&folder, open(&path, None)),
        "i: the IDX file has 3 dimensions, expected 1 for labels"
    );
    assert_eq!(
        message(&folder, open(&labels, Some(size(28, 28, 1)))),
        "i: the images are 1×1 with 1 channel, but the model reads 28×28 with 1 channel"
    );
}

fn grey(folder: &Folder, name: &str, width: u32, height: u32, value: u8) {
    let path = folder.write(name, "");
    GrayImage::from_pixel(width, height, [value].into()).save(path).unwrap();
}

fn open(folder: &Folder, name: &str, labels: LabelUse) -> Result<Dataset> {
    all(ImageFolderReader::open(folder.path(name), labels, None))
}

#[test]
fn sub_folders_are_classes() {
    let folder = Folder::new();
    grey(&folder, "d/two/b.png", 2, 1, 4);
    grey(&folder, "d/one/b.PNG", 2, 1, 2);
    grey(&folder, "d/one/a.png", 2, 1, 1);
    folder.write("d/one/notes.txt", "x");
    folder.write("d/one/.hidden.png", "x");
    folder.write("d/.cache/a.png", "x");
    let colour = RgbImage::from_pixel(2, 1, Rgb([9, 9, 9]));
    colour.save_with_format(folder.write("d/two/c.png", ""), ImageFormat::Png).unwrap();
    for label_use in [LabelUse::Required, LabelUse::Optional] {
        let data = open(&folder, "d", label_use).unwrap();
        assert_eq!(images(&data).pixels(), [1, 1, 2, 2, 4, 4, 9, 9]);
        assert_eq!(labels(&data).unwrap(), ["one", "one", "two", "two"]);
        assert_eq!(data.location(2), Location::file(folder.path("d/two/b.png")));
    }
    assert_eq!(open(&folder, "d", LabelUse::Ignored).unwrap().labels(), None);
    assert_eq!(open(&folder, "d/one", LabelUse::Optional).unwrap().len(), 2);
    assert_eq!(open(&folder, "d/one/a.png", LabelUse::Optional).unwrap().len(), 1);
    let mut reader = ImageFolderReader::open(folder.path("d"), LabelUse::Required, None).unwrap();
    let lengths = [reader.next_chunk(3), reader.next_chunk(3)].map(|c| c.unwrap().unwrap().len());
    assert_eq!((lengths, reader.next_chunk(3).unwrap()), ([3, 1], None));
}

#[test]
fn deeper_folders_belong_to_the_class_and_what_is_passed_over_is_counted() {
    let folder = Folder::new();
    grey(&folder, "d/one/b.png", 2, 1, 2);
    grey(&folder, "d/one/2023/mai/a.png", 2, 1, 1);
    grey(&folder, "d/two/2024/c.png", 2, 1, 3);
    for other in ["d/one/x.gif", "d/two/2024/y.gif", "d/two/z.bmp", "d/two/Thumbs.db", "d/notes"] {
        folder.write(other, "x");
    }
    let mut reader = ImageFolderReader::open(folder.path("d"), LabelUse::Required, None).unwrap();
    let data = read_all(&mut reader).unwrap();
    assert_eq!(images(&data).pixels(), [2, 2, 1, 1, 3, 3]);
    assert_eq!(labels(&data).unwrap(), ["one", "one", "two"]);
    let expected = [
        "2 of 3 images are in deeper folders, of which the first one is the class",
        "4 files of other kinds are skipped (1 without an extension, 1 .bmp, 2 .gif); .png, .jpg and .webp are read",
    ];
    assert_eq!(notes(&reader), expected);
    assert_eq!(open(&folder, "d", LabelUse::Ignored).unwrap().len(), 3);
}

#[test]
fn colours_follow_the_model() {
    let folder = Folder::new();
    let mut colour = RgbImage::from_pixel(2, 1, Rgb([1, 2, 3]));
    colour.put_pixel(1, 0, Rgb([4, 5, 6]));
    colour.save(folder.write("d/a.png", "")).unwrap();
    let data = open(&folder, "d", LabelUse::Ignored).unwrap();
    assert_eq!((images(&data).size().channels, images(&data).get(0)), (3, &[1, 2, 3, 4, 5, 6][..]));
    let data =
        all(ImageFolderReader::open(folder.path("d"), LabelUse::Ignored, Some(size(2, 1, 1))))
            .unwrap();
    assert_eq!((images(&data).size().channels, images(&data).get(0).len()), (1, 2));
    RgbImage::from_pixel(2, 1, Rgb([200, 0, 0])).save(folder.write("j/a.jpg", "")).unwrap();
    assert_eq!(images(&open(&folder, "j", LabelUse::Ignored).unwrap()).size().channels, 3);
}

#[test]
fn bad_folders_are_explained() {
    let folder = Folder::new();
    let required = "expected a folder with one sub-folder of images for each class, or a CSV of paths and labels";
    grey(&folder, "flat/a.png", 2, 1, 1);
    grey(&folder, "flat/b.png", 1, 2, 1);
    assert_eq!(
        message(&folder, open(&folder, "flat", LabelUse::Required)),
        format!("flat: {required}")
    );
    assert_eq!(
        message(&folder, open(&folder, "flat/a.png", LabelUse::Required)),
        format!("flat/a.png: {required}")
    );
    let expecting =
        |expect| all(ImageFolderReader::open(folder.path("flat"), LabelUse::Ignored, Some(expect)));
    assert_eq!(
        message(&folder, expecting(size(2, 1, 4))),
        "flat: image files have 1 or 3 channels, but the model reads 4"
    );
    grey(&folder, "stray/a.png", 2, 1, 1);
    grey(&folder, "stray/one/a.png", 2, 1, 1);
    assert_eq!(
        message(&folder, open(&folder, "stray", LabelUse::Required)),
        "stray/a.png: the image is outside the sub-folders; expected every image in the sub-folder of its class"
    );
    folder.write("other/one/a.gif", "x");
    let no_image = "found this file but no images; expected .png, .jpg or .webp files";
    assert_eq!(
        message(&folder, open(&folder, "other", LabelUse::Required)),
        format!("other/one/a.gif: {no_image}")
    );
    assert_eq!(
        message(&folder, open(&folder, "other/one", LabelUse::Ignored)),
        format!("other/one/a.gif: {no_image}")
    );
    std::fs::create_dir(folder.path("empty")).unwrap();
    assert_eq!(
        message(&folder, open(&folder, "empty", LabelUse::Ignored)),
        "empty: it is empty: expected at least one sample"
    );
    assert!(
        message(&folder, open(&folder, "none", LabelUse::Ignored))
            .starts_with("none: cannot read: ")
    );
}

#[test]
fn damaged_images_are_named() {
    let folder = Folder::new();
    let picture = RgbImage::from_fn(64, 64, |x, y| Rgb([(x * y) as u8, (x * x) as u8, y as u8]));
    for (name, format) in [("a.png", ImageFormat::Png), ("a.jpg", ImageFormat::Jpeg)] {
        let mut bytes = std::io::Cursor::new(Vec::new());
        picture.write_to(&mut bytes, format).unwrap();
        let bytes = bytes.into_inner();
        for length in [0, 10, bytes.len() / 2, bytes.len() - 20] {
            let path = folder.write(name, &bytes[..length]);
            let found =
                message(&folder, all(ImageFolderReader::open(path, LabelUse::Ignored, None)));
            assert!(
                found.starts_with(&format!("{name}: not a readable PNG, JPEG or WebP image")),
                "{length}: {found}"
            );
        }
    }
    grey(&folder, "photos/a/1.png", 2, 1, 1);
    for i in 2..9 {
        folder.write(&format!("photos/b/{i}.png"), "<html>404</html>");
    }
    let found = message(&folder, open(&folder, "photos", LabelUse::Required));
    let named = (3..7).map(|i| format!("photos/b/{i}.png")).collect::<Vec<_>>().join(", ");
    assert!(
        found.starts_with("photos/b/2.png: not a readable PNG, JPEG or WebP image ("),
        "{found}"
    );
    assert!(found.ends_with(&format!("; nor can these be read: {named} and 2 more")), "{found}");
    grey(&folder, "large.png", 4097, 1, 0);
    assert_eq!(
        message(&folder, open(&folder, "large.png", LabelUse::Ignored)),
        "large.png: the images are 4097×1, expected sides of at most 4096: data.image.size is not set"
    );
    grey(&folder, "wide.png", 16_385, 1, 0);
    let found = message(&folder, open(&folder, "wide.png", LabelUse::Ignored));
    assert!(found.starts_with("wide.png: not a readable PNG, JPEG or WebP image"), "{found}");
}

fn png(picture: &DynamicImage) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    picture.write_to(&mut bytes, ImageFormat::Png).unwrap();
    bytes.into_inner()
}

#[test]
fn encoded_images_are_brought_to_the_size_there_is() {
    let picture = RgbImage::from_fn(3, 2, |x, y| Rgb([x as u8, y as u8, 9]));
    let bytes = png(&picture.into());
    let mut images = Images::empty(size(3, 2, 3)).unwrap();
    let config = ImageConfig::default();
    assert_eq!(decode_into(&mut images, &bytes, &config, 0), Ok((3, 2)));
    assert_eq!(decode_into(&mut images, &bytes, &config, 0), Ok((3, 2)));
    assert_eq!(images.get(1), [0, 0, 9, 1, 0, 9, 2, 0, 9, 0, 1, 9, 1, 1, 9, 2, 1, 9]);
    let other = png(&RgbImage::from_pixel(20, 30, Rgb([7, 8, 9])).into());
    assert_eq!(decode_into(&mut images, &other, &config, 600), Ok((20, 30)));
    assert_eq!(images.get(2), [7, 8, 9].repeat(6));

    // A header that promises more than there is: the size is looked at before the pixels.
    let mut vast = bytes.clone();
    vast[16..24].copy_from_slice(&[0, 0, 15, 255, 0, 0, 15, 255]);
    for (bytes, part) in [
        (other, "the image is 20×30, expected 3×2, or another size of at most 599 pixels"),
        (bytes[..40].to_vec(), "not a readable PNG, JPEG or WebP image"),
        (vast, "not a readable PNG, JPEG or WebP image"),
    ] {
        let message = decode_into(&mut images, &bytes, &config, 599).unwrap_err();
        assert!(message.contains(part), "{message}");
        assert_eq!(images.len(), 3, "nothing is appended");
    }
}

#[test]
fn the_most_common_size_counts_and_others_are_scaled_with_a_note() {
    let folder = Folder::new();
    for (name, side) in [("a/0.png", 9), ("a/1.png", 8), ("b/2.png", 8), ("b/3.png", 4)] {
        grey(&folder, name, side, 8, 70);
    }
    let reader = || ImageFolderReader::open(folder.path(""), LabelUse::Required, None).unwrap();
    let mut common = reader();
    let data = read_all(&mut common).unwrap();
    assert_eq!(images(&data).size(), size(8, 8, 1));
    assert!(images(&data).pixels().iter().all(|pixel| *pixel == 70), "all of one colour");
    let note = "2 of 4 images have another size than 8×8 and were scaled, shown whole with a margin (data.image.fit)";
    assert_eq!(notes(&common), [note]);
    let mut config = ImageConfig::default();
    (config.size, config.fit) = (Some([9, 8]), Fit::Crop);
    let mut asked = reader().with_config(config);
    assert_eq!(images(&read_all(&mut asked).unwrap()).size(), size(9, 8, 1));
    assert!(notes(&asked)[0].starts_with("3 of 4 images"), "{:?}", notes(&asked));
    let mut own =
        ImageFolderReader::open(folder.path("a"), LabelUse::Ignored, Some(size(9, 8, 1))).unwrap();
    let one = own.next_chunk(1).unwrap().unwrap();
    assert_eq!((images(&one).get(0).len(), own.notes()), (72, vec![]));
}

#[test]
fn transparent_images_lie_on_the_background_and_older_models_see_what_is_below() {
    let folder = Folder::new();
    let clear = RgbaImage::from_pixel(2, 1, Rgba([0, 0, 0, 0]));
    clear.save(folder.write("d/a.png", "")).unwrap();
    let read = |config| {
        let reader = ImageFolderReader::open(folder.path("d"), LabelUse::Ignored, None);
        images(&all(reader.map(|reader| reader.with_config(config))).unwrap()).pixels().to_vec()
    };
    assert_eq!(read(ImageConfig::default()), [255; 6]);
    assert_eq!(read(ImageConfig::of_older_models()), [0; 6]);
    let mut config = ImageConfig::default();
    config.background = Background::Colour([1, 2, 3]);
    assert_eq!(read(config), [1, 2, 3, 1, 2, 3]);
}

/// A JPEG whose EXIF data say that the camera was held sideways: orientation 6, a quarter turn to the right.
fn sideways(picture: RgbImage) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    picture.write_to(&mut bytes, ImageFormat::Jpeg).unwrap();
    let exif = b"Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0";
    let segment = [&[0xff, 0xe1][..], &(exif.len() as u16 + 2).to_be_bytes(), exif].concat();
    let mut bytes = bytes.into_inner();
    bytes.splice(2..2, segment);
    bytes
}

#[test]
fn photos_are_turned_as_their_exif_data_ask_and_not_for_older_models() {
    let folder = Folder::new();
    // Dark on the left, light on the right; turned, dark is above light.
    let picture = RgbImage::from_fn(32, 16, |x, _| Rgb([if x < 16 { 20 } else { 230 }; 3]));
    folder.write("d/a.jpg", sideways(picture));
    let read = |config| {
        let reader = ImageFolderReader::open(folder.path("d"), LabelUse::Ignored, None);
        all(reader.map(|reader| reader.with_config(config))).unwrap()
    };
    let turned = read(ImageConfig::default());
    let turned = images(&turned);
    assert_eq!(turned.size(), size(16, 32, 3));
    let at = |x: usize, y: usize| turned.get(0)[3 * (y * 16 + x)];
    assert!(at(1, 2) < 60 && at(14, 2) < 60 && at(1, 29) > 200 && at(14, 29) > 200);
    assert_eq!(images(&read(ImageConfig::of_older_models())).size(), size(32, 16, 3));
}

#[test]
fn webp_is_read() {
    let folder = Folder::new();
    let picture = RgbImage::from_fn(5, 4, |x, y| Rgb([50 * x as u8, 60 * y as u8, 9]));
    picture.save(folder.write("d/a.webp", "")).unwrap();
    let data = open(&folder, "d", LabelUse::Ignored).unwrap();
    assert_eq!(
        (images(&data).size(), images(&data).get(0)),
        (size(5, 4, 3), &picture.as_raw()[..])
    );
    let bytes = std::fs::read(folder.path("d/a.webp")).unwrap();
    folder.write("d/a.webp", &bytes[..bytes.len() - 9]);
    let found = message(&folder, open(&folder, "d", LabelUse::Ignored));
    assert!(found.starts_with("d/a.webp: not a readable PNG, JPEG or WebP image"), "{found}");
}

#[test]
fn a_list_names_images_and_their_labels() {
    let folder = Folder::new();
    grey(&folder, "lists/cats/1.png", 2, 1, 10);
    grey(&folder, "dogs 2.png", 2, 1, 20);
    let list = "label,path\ncat,cats/1.png\ndog,../dogs 2.png\n";
    let path = folder.write("lists/photos.csv", list);
    let data = DataConfig::default();
    let read = |path: &Path, data: &DataConfig, labels| {
        read_all(ngsll_readers::open(Task::Image, data, path, None, labels, None)?.as_mut())
    };
    let found = read(&path, &data, LabelUse::Required).unwrap();
    assert_eq!(images(&found).pixels(), [10, 10, 20, 20]);
    assert_eq!(labels(&found).unwrap(), ["cat", "dog"]);
    assert_eq!(found.location(0), Location::file(folder.path("lists/cats/1.png")));
    assert_eq!(read(&path, &data, LabelUse::Ignored).unwrap().labels(), None);

    let other = folder.write("lists/other.tsv", "picture\tkind\tby\ncats/1.png\tcat\tme\n");
    let mut named = DataConfig::default();
    named.target = Some("kind".into());
    assert_eq!(
        message(&folder, read(&other, &named, LabelUse::Required)),
        "lists/other.tsv: it is not clear which of the columns \"picture\", \"kind\", \"by\" is the path of the image: data.image.column is not set"
    );
    named.image = Some(ImageConfig::default());
    named.image.as_mut().unwrap().column = Some("picture".into());
    assert_eq!(labels(&read(&other, &named, LabelUse::Required).unwrap()).unwrap(), ["cat"]);

    for (content, labels, expected) in [
        (
            "path,label\nx.png,cat\n",
            LabelUse::Required,
            " line 2: there is no image file \"x.png\" beside the list",
        ),
        (
            "path,label\n,cat\n",
            LabelUse::Ignored,
            " line 2: there is no image file \"\" beside the list",
        ),
        ("path,label\ncats/1.png,\n", LabelUse::Required, " line 2: the label is empty"),
        ("path,label\n", LabelUse::Required, ": it is empty: expected at least one sample"),
    ] {
        let path = folder.write("lists/bad.csv", content);
        let found = message(&folder, read(&path, &data, labels));
        assert_eq!(found, format!("lists/bad.csv{expected}"));
    }
}
