//! Opening a user's file or folder as the model's task asks.

use crate::config::{Config, Task};
use crate::data::{
    Chunk, ColumnKind, FolderReader, Groups, IdxReader, Labels, Reader, TableReader, TextOptions,
    TextReader, infer_columns, labels_beside,
};
use crate::error::{Error, Place, Result};
use crate::examples::EXAMPLES;
use crate::objective::group;
use crate::representation::Representation;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// | name | default | purpose |
/// |---|---|---|
/// | `path` | | the training file or folder |
/// | `labels` | beside the images | the labels of IDX images |
/// | `valid` | a share of `path` | samples that decide when to stop |
/// | `valid_fraction` | 0.1 | that share |
/// | `test_fraction` | 0 | share that training never sees; measured at the end |
/// | `target` | `label` and the like | the column to predict |
/// | `text` | `text` and the like | the column with the text |
/// | `group` | none | labels to merge, such as `0-4=low,5-9=high` |
/// | `columns` | by content | `numeric` or `categorical` for columns of a table |
/// | `drop` | none | columns of a table that are not used |
/// | `examples` | 10 | validation samples that the model folder keeps, to start from; 0 keeps none |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DataConfig {
    /// The training file or folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// The labels of IDX images.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub labels: Option<PathBuf>,
    /// Samples that decide when to stop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid: Option<PathBuf>,
    /// The share of the training samples that does so otherwise.
    pub valid_fraction: f64,
    /// The share of the samples that training never sees.
    pub test_fraction: f64,
    /// The column to predict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The column with the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Labels to merge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Kinds of table columns where the content would mislead.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub columns: BTreeMap<String, ColumnKind>,
    /// Table columns that are not used.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub drop: Vec<String>,
    /// Validation samples that the model folder keeps; [`EXAMPLES`] if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub examples: Option<usize>,
}

impl Default for DataConfig {
    fn default() -> Self {
        Self {
            path: None,
            labels: None,
            valid: None,
            valid_fraction: 0.1,
            test_fraction: 0.0,
            target: None,
            text: None,
            group: None,
            columns: BTreeMap::new(),
            drop: Vec::new(),
            examples: None,
        }
    }
}

impl DataConfig {
    /// How many validation samples the model folder keeps.
    pub fn examples(&self) -> usize {
        self.examples.unwrap_or(EXAMPLES)
    }
}

impl Config {
    /// Opens `path` for a new model (`like` is `None`) or for one that reads `like`.
    pub fn open(
        &self,
        path: &Path,
        labels: Option<&Path>,
        need: Labels,
        like: Option<&Representation>,
    ) -> Result<Box<dyn Reader>> {
        if !path.exists() {
            return Err(Place::file(path).error("there is no such file or folder"));
        }
        if labels.is_some() && self.task != Task::Image {
            let given = labels.map(|p| p.display().to_string()).unwrap_or_default();
            return Err(Error::setting("labels", given, "only IDX images have a file of labels"));
        }
        let reader = match self.task {
            Task::Text => self.open_text(path, need)?,
            Task::Image => open_images(path, labels, need, like)?,
            Task::Tabular => self.open_table(path, need, like)?,
        };
        Ok(match &self.data.group {
            Some(spec) => {
                let (groups, target) = (Groups::parse(spec)?, self.data.target.clone());
                Box::new(Grouped { reader, groups, need, target })
            }
            None => reader,
        })
    }

    fn open_text(&self, path: &Path, need: Labels) -> Result<Box<dyn Reader>> {
        let DataConfig { text, target, .. } = self.data.clone();
        Ok(Box::new(TextReader::open(path, &TextOptions { text, target, labels: need })?))
    }

    fn open_table(
        &self,
        path: &Path,
        need: Labels,
        like: Option<&Representation>,
    ) -> Result<Box<dyn Reader>> {
        let Some(target) = &self.data.target else {
            let message = "it is not said which column to predict: expected --target COLUMN";
            return Err(Place::file(path).error(message));
        };
        let specs = match like {
            Some(Representation::Columns(columns)) => columns.specs(),
            _ => infer_columns(path, target, &self.data.columns, &self.data.drop)?,
        };
        Ok(Box::new(TableReader::open(path, &specs, Some(target), need)?))
    }

    /// What the target is called in messages and explanations.
    pub fn target_name(&self) -> &str {
        self.data.target.as_deref().unwrap_or("label")
    }
}

fn open_images(
    path: &Path,
    labels: Option<&Path>,
    need: Labels,
    like: Option<&Representation>,
) -> Result<Box<dyn Reader>> {
    let expect = match like {
        Some(Representation::Grid(grid)) => Some((grid.width, grid.height, grid.channels)),
        _ => None,
    };
    if path.is_dir() || is_picture(path) {
        return Ok(Box::new(FolderReader::open(path, need, expect)?));
    }
    let labels = match need {
        Labels::Ignored => None,
        _ => labels.map(Path::to_path_buf).or_else(|| labels_beside(path)),
    };
    // Opened first: of a file that holds no images at all, that is what there is to say.
    let reader = IdxReader::open(path, labels.as_deref(), expect)?;
    if labels.is_none() && need == Labels::Required {
        return Err(
            Place::file(path).error("no file of labels lies beside it; name one with --labels")
        );
    }
    Ok(Box::new(reader))
}

fn is_picture(path: &Path) -> bool {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
    ["png", "jpg", "jpeg"].iter().any(|known| known.eq_ignore_ascii_case(extension))
}

/// A reader whose labels are merged into groups.
#[derive(Debug)]
struct Grouped<R> {
    reader: R,
    groups: Groups,
    need: Labels,
    /// The labels' column, where the user named it.
    target: Option<String>,
}

impl Reader for Grouped<Box<dyn Reader>> {
    fn next_chunk(&mut self, max_rows: usize) -> Result<Option<Chunk>> {
        let mut chunk = self.reader.next_chunk(max_rows)?;
        if let Some(chunk) = &mut chunk {
            match self.need {
                Labels::Required => group(chunk, &self.groups)
                    .map_err(|error| error.in_column(self.target.as_deref()))?,
                Labels::Optional | Labels::Ignored => {
                    // Labels are only shown here: one without group is shown as it is.
                    for label in chunk.labels.iter_mut().flatten() {
                        if let Some(name) = self.groups.apply(label) {
                            *label = name.to_string();
                        }
                    }
                }
            }
        }
        Ok(chunk)
    }

    fn path(&self) -> &Path {
        self.reader.path()
    }
}
