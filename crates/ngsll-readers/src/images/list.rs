//! Images listed in a CSV file.

use super::ImageFolderReader;
use crate::LabelUse;
use crate::delimited::{HeaderedReader, RecordReader};
use crate::labelled_columns::{ColumnIndices, Content, find};
use ngsll::dataset::ImageSize;
use ngsll::error::Result;
use std::path::Path;

/// The usual names of a column of paths.
const PATH_NAMES: [&str; 5] = ["path", "file", "filename", "file_name", "image"];

impl ImageFolderReader {
    /// Reads the images listed in a CSV or tab-separated file with a header, in its order. `column` is the column of
    /// the paths, which are relative to the file's folder (by default `path`, `file`, `filename`, `file_name`, `image`
    /// or the only one left), `target` that of the labels (by default `label`, `class`, `target` or `y`). `expect` is
    /// the size that a model takes.
    pub fn open_list(
        path: impl AsRef<Path>,
        (column, target): (Option<&str>, Option<&str>),
        labels: LabelUse,
        expect: Option<ImageSize>,
    ) -> Result<Self> {
        let path = path.as_ref();
        let mut reader = HeaderedReader::new(RecordReader::open(path)?)?;
        let content = Content {
            column,
            usual: &PATH_NAMES,
            what: "path of the image",
            option: "data.image.column",
        };
        let indices = find(path, reader.headers(), &content, (target, None), labels)?;
        let ColumnIndices { content: file, label, .. } = indices;
        let folder = path.parent().unwrap_or(Path::new(""));
        let (mut files, mut classes) = (Vec::new(), Vec::new());
        while reader.read_record()? {
            let (record, location) = (reader.get_ref().record(), reader.get_ref().location());
            let name = record.get(file).trim();
            let image = folder.join(name);
            if name.is_empty() || !image.is_file() {
                let message = format!("there is no image file {name:?} beside the list");
                return Err(location.error(message));
            }
            let class = label.map_or("", |label| record.get(label).trim());
            if class.is_empty() && labels == LabelUse::Required {
                return Err(location.error("the label is empty"));
            }
            files.push(image);
            classes.push(class.to_owned());
        }
        Self::of_files(path, files, label.map(|_| classes), expect)
    }
}
