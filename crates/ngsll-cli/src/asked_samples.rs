//! The samples that `predict` and `explain` ask a model about.

use crate::args::QuestionArgs;
use crate::progress::RowProgress;
use crate::samples::{self, CHUNK};
use crate::stdin::InputFile;
use crate::warnings;
use anyhow::Result;
use ngsll::{Dataset, Model};
use ngsll_readers::{LabelUse, Reader};
use ngsll_view::UnseenValues;
use std::ops::ControlFlow;

/// The model of a question, if it can give as many terms.
pub fn model(asked: &QuestionArgs) -> Result<Model> {
    let model = Model::load(&asked.model)?;
    model.check_k(asked.k)?;
    Ok(model)
}

/// The samples of a question, and what of them the model has never seen.
pub struct AskedSamples<'a> {
    model: &'a Model,
    input: InputFile,
    reader: Box<dyn Reader>,
    unseen: UnseenValues,
    rows: usize,
}

impl<'a> AskedSamples<'a> {
    /// Opens the samples of a question to a model.
    pub fn open(model: &'a Model, asked: &QuestionArgs, labels: LabelUse) -> Result<Self> {
        let config = model.config();
        let input = InputFile::open(&asked.data, asked.input_format, config.task, &config.data)?;
        let reader = samples::open(model, input.path(), None, labels, asked.id.as_deref())?;
        Ok(Self { model, input, reader, unseen: UnseenValues::default(), rows: 0 })
    }

    /// Gives each chunk and the number of its first row to `answer`, until that breaks; returns the number of rows.
    pub fn each_chunk(
        &mut self,
        progress: RowProgress,
        mut answer: impl FnMut(&Dataset, usize) -> Result<ControlFlow<()>>,
    ) -> Result<usize> {
        while let Some(chunk) = self.reader.next_chunk(CHUNK)? {
            progress.add(chunk.len());
            self.unseen.add(self.model, &chunk);
            let first = self.rows;
            self.rows += chunk.len();
            if answer(&chunk, first)?.is_break() {
                break;
            }
        }
        progress.finish();
        if self.rows == 0 { Err(samples::none_error(self.input.path())) } else { Ok(self.rows) }
    }

    /// Prints how the samples were read, and what the model has never seen.
    pub fn warn(&self) {
        warnings::reading(self.reader.as_ref());
        warnings::unseen(&self.unseen, self.rows);
    }
}
