//! Opening a user's file or folder for a task.

use crate::table::{self, TableReader};
use crate::{InMemory, LabelUse, Reader, ReaderNote};
use ngsll::Schema;
use ngsll::config::{DataConfig, Task};
use ngsll::dataset::{Dataset, Groups, ImageSize};
use ngsll::error::{Error, Location, Result};
use std::path::Path;

/// Opens `path` for a new model (`schema` is `None`) or for one that reads `schema`; `labels` is the file of labels of
/// IDX images. Labels are merged into the groups of `data`.
pub fn open(
    task: Task,
    data: &DataConfig,
    path: &Path,
    labels: Option<&Path>,
    label_use: LabelUse,
    schema: Option<&Schema>,
) -> Result<Box<dyn Reader>> {
    if !path.exists() {
        return Err(Location::file(path).error("there is no such file or folder"));
    }
    if let Some(labels) = labels.filter(|_| task != Task::Image) {
        let expected = "only IDX images have a separate file of labels";
        return Err(Error::setting("data.labels", labels.display(), expected));
    }
    if let Some(id) = data.id.as_deref().filter(|_| task == Task::Image) {
        let expected = "images are named by their files and have no columns";
        return Err(Error::setting("data.id", id, expected));
    }
    let reader = match task {
        Task::Text => open_text(data, path, label_use)?,
        Task::Image => open_images(data, path, labels, label_use, schema)?,
        Task::Tabular => open_table(data, path, label_use, schema)?,
        _ => {
            let expected = "only texts, images and tables can be read from files";
            return Err(Error::setting("task", format!("{task:?}"), expected));
        }
    };
    Ok(match data.group.clone() {
        Some(groups) => {
            Box::new(Grouped { reader, groups, label_use, target: data.target.clone() })
        }
        None => reader,
    })
}

#[cfg(feature = "delimited")]
fn open_text(data: &DataConfig, path: &Path, labels: LabelUse) -> Result<Box<dyn Reader>> {
    let (text, target, id) = (data.text.clone(), data.target.clone(), data.id.clone());
    let options = crate::TextOptions { text, target, id, labels };
    Ok(Box::new(crate::TextReader::open(path, &options)?))
}

#[cfg(not(feature = "delimited"))]
fn open_text(_: &DataConfig, path: &Path, _: LabelUse) -> Result<Box<dyn Reader>> {
    Err(crate::feature_is_off(path, "a file of texts", "delimited"))
}

fn open_table(
    data: &DataConfig,
    path: &Path,
    labels: LabelUse,
    schema: Option<&Schema>,
) -> Result<Box<dyn Reader>> {
    let target = data.target.as_deref().ok_or_else(|| table::unknown_target(path))?;
    if let Some(Schema::Table(columns)) = schema {
        let columns: Vec<_> = columns.iter().map(|column| column.spec()).collect();
        let id = data.id.as_deref();
        let reader = TableReader::open_with_id(path, &columns, Some(target), labels, id)?;
        return Ok(Box::new(reader));
    }
    let (dataset, notes) = table::read_with(path, target, data, labels)?;
    Ok(Box::new(InMemory::new(path, dataset, notes)))
}

fn open_images(
    data: &DataConfig,
    path: &Path,
    labels: Option<&Path>,
    label_use: LabelUse,
    schema: Option<&Schema>,
) -> Result<Box<dyn Reader>> {
    let expect = match schema {
        Some(Schema::Image(size)) => Some(*size),
        _ => None,
    };
    if path.is_dir() || is_picture(path) || is_list(path) {
        open_image_files(data, path, label_use, expect)
    } else {
        open_idx(path, labels, label_use, expect)
    }
}

/// Extensions of image files.
pub(crate) const PICTURES: [&str; 4] = ["png", "jpg", "jpeg", "webp"];

fn is_picture(path: &Path) -> bool {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
    PICTURES.iter().any(|known| known.eq_ignore_ascii_case(extension))
}

/// Whether a file lists images.
fn is_list(path: &Path) -> bool {
    path.is_file() && ["csv", "tsv"].contains(&crate::source::extension(path).as_str())
}

#[cfg(feature = "images")]
fn open_image_files(
    data: &DataConfig,
    path: &Path,
    labels: LabelUse,
    expect: Option<ImageSize>,
) -> Result<Box<dyn Reader>> {
    use ngsll::config::ImageConfig;

    // A model without image options was trained before they existed.
    let config = match (&data.image, expect) {
        (Some(config), _) => config.clone(),
        (None, None) => ImageConfig::default(),
        (None, Some(_)) => ImageConfig::of_older_models(),
    };
    let reader = match is_list(path) {
        true => {
            let columns = (config.column.as_deref(), data.target.as_deref());
            open_image_list(path, columns, labels, expect)?
        }
        false => crate::ImageFolderReader::open(path, labels, expect)?,
    };
    Ok(Box::new(reader.with_config(config)))
}

#[cfg(all(feature = "images", feature = "delimited"))]
fn open_image_list(
    path: &Path,
    columns: (Option<&str>, Option<&str>),
    labels: LabelUse,
    expect: Option<ImageSize>,
) -> Result<crate::ImageFolderReader> {
    crate::ImageFolderReader::open_list(path, columns, labels, expect)
}

#[cfg(all(feature = "images", not(feature = "delimited")))]
fn open_image_list(
    path: &Path,
    _: (Option<&str>, Option<&str>),
    _: LabelUse,
    _: Option<ImageSize>,
) -> Result<crate::ImageFolderReader> {
    Err(crate::feature_is_off(path, "a list of images", "delimited"))
}

#[cfg(not(feature = "images"))]
fn open_image_files(
    _: &DataConfig,
    path: &Path,
    _: LabelUse,
    _: Option<ImageSize>,
) -> Result<Box<dyn Reader>> {
    Err(crate::feature_is_off(path, "PNG, JPEG and WebP images", "images"))
}

#[cfg(feature = "idx")]
fn open_idx(
    path: &Path,
    labels: Option<&Path>,
    label_use: LabelUse,
    expect: Option<ImageSize>,
) -> Result<Box<dyn Reader>> {
    let labels = match label_use {
        LabelUse::Ignored => None,
        _ => labels.map(Path::to_path_buf).or_else(|| crate::labels_beside(path)),
    };
    // Opened first: if the file holds no images at all, that is the error to report.
    let reader = crate::IdxReader::open(path, labels.as_deref(), expect)?;
    if labels.is_none() && label_use == LabelUse::Required {
        let message = "there is no file of labels beside it".into();
        return Err(Error::Unset { location: Location::file(path), name: "data.labels", message });
    }
    Ok(Box::new(reader))
}

#[cfg(not(feature = "idx"))]
fn open_idx(
    path: &Path,
    _: Option<&Path>,
    _: LabelUse,
    _: Option<ImageSize>,
) -> Result<Box<dyn Reader>> {
    Err(crate::feature_is_off(path, "IDX images", "idx"))
}

/// A reader whose labels are merged into groups.
struct Grouped {
    reader: Box<dyn Reader>,
    groups: Groups,
    label_use: LabelUse,
    /// The labels' column, if the user named it.
    target: Option<String>,
}

impl Grouped {
    fn group(&self, dataset: Dataset) -> Result<Dataset> {
        if self.label_use == LabelUse::Required {
            let grouped = dataset.grouped(&self.groups);
            return grouped.map_err(|error| error.in_column(self.target.as_deref()));
        }
        // Labels are only shown here: one without a group is shown unchanged.
        let shown = |label| self.groups.apply(label).unwrap_or(label).to_owned();
        let labels = dataset.labels().map(|labels| labels.iter().map(shown).collect::<Vec<_>>());
        match labels {
            Some(labels) => dataset.with_labels(labels),
            None => Ok(dataset),
        }
    }
}

impl Reader for Grouped {
    fn next_chunk(&mut self, max_rows: usize) -> Result<Option<Dataset>> {
        self.reader.next_chunk(max_rows)?.map(|dataset| self.group(dataset)).transpose()
    }

    fn path(&self) -> &Path {
        self.reader.path()
    }

    fn notes(&self) -> Vec<ReaderNote> {
        self.reader.notes()
    }
}
