//! Samples as a person sees them, with their explanations.

use ngsll::Predictor;
use ngsll::data::{Chunk, MISSING, Origin, Samples, Values};
use ngsll::explanation::Explanation;
use ngsll::representation::Representation;

/// One explained sample.
#[derive(Debug, Clone, PartialEq)]
pub struct ExplainedSample {
    /// Its number in the data, as the user counts.
    pub row: usize,
    /// The name of its file, where every sample has one of its own.
    pub file: Option<String>,
    /// What was explained.
    pub view: SampleView,
    /// The true label or value, where it is known.
    pub truth: Option<String>,
    /// The prediction and its terms.
    pub explanation: Explanation,
}

impl ExplainedSample {
    /// Sample `i` of a chunk, which is row `row` of the data.
    pub fn new(
        predictor: &Predictor,
        chunk: &Chunk,
        i: usize,
        row: usize,
        explanation: Explanation,
    ) -> Self {
        let truth =
            chunk.labels.as_ref().map(|labels| labels[i].clone()).filter(|label| !label.is_empty());
        let file = match &chunk.origin {
            Origin::Files(files) => {
                files[i].file_name().map(|name| name.to_string_lossy().into_owned())
            }
            Origin::Lines { .. } => None,
        };
        let view = SampleView::new(predictor, &chunk.samples, i);
        Self { row, file, view, truth, explanation }
    }
}

/// What was explained, as a person sees it.
#[derive(Debug, Clone, PartialEq)]
pub enum SampleView {
    /// A picture whose features are the cells of a grid.
    Image(Picture),
    /// A text, token by token.
    Text {
        /// The tokens in reading order.
        tokens: Vec<Token>,
    },
    /// A row of a table.
    Row {
        /// Column name and value as written; an empty value is missing.
        cells: Vec<(String, String)>,
    },
}

/// A picture and the grid that its features are the cells of.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture {
    /// Pixels per row.
    pub width: usize,
    /// Rows of pixels.
    pub height: usize,
    /// 1 is grey, 3 is red, green and blue.
    pub channels: usize,
    /// channels × height × width values.
    pub pixels: Vec<u8>,
    /// Rows of the grid.
    pub rows: usize,
    /// Columns of the grid; feature j is the cell (j / columns, j % columns).
    pub columns: usize,
}

/// One token of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    /// As it was written.
    pub text: String,
    /// Its feature; `None` for a word outside the vocabulary.
    pub feature: Option<usize>,
    /// Whether white space stands before it.
    pub space_before: bool,
}

impl SampleView {
    /// Sample `i` of samples that the predictor has explained.
    pub fn new(predictor: &Predictor, samples: &Samples, i: usize) -> Self {
        match (predictor.representation(), samples) {
            (Representation::Grid(grid), Samples::Images(images)) => Self::Image(Picture {
                width: grid.width,
                height: grid.height,
                channels: grid.channels,
                pixels: images.get(i).to_vec(),
                rows: grid.rows,
                columns: grid.columns,
            }),
            (Representation::Words(words), Samples::Texts(texts)) => {
                let text = texts.get(i);
                let mut end = 0;
                let token = |(range, feature): (std::ops::Range<usize>, Option<usize>)| {
                    let space_before = range.start > end;
                    end = range.end;
                    Token { text: text[range].to_string(), feature, space_before }
                };
                let mut tokens: Vec<Token> = words.read(text).into_iter().map(token).collect();
                if !text[end..].trim().is_empty() {
                    let rest = "… (the rest is not read)".to_string();
                    tokens.push(Token { text: rest, feature: None, space_before: true });
                }
                Self::Text { tokens }
            }
            (_, Samples::Table(table)) => {
                let value = |values: &Values| match values {
                    Values::Numeric(v) if v[i].is_nan() => String::new(),
                    Values::Numeric(v) => v[i].to_string(),
                    Values::Categorical { ids, .. } if ids[i] == MISSING => String::new(),
                    Values::Categorical { levels, ids } => levels[ids[i] as usize].clone(),
                };
                let cell = |c: &ngsll::data::Column| (c.name.clone(), value(&c.values));
                Self::Row { cells: table.columns.iter().map(cell).collect() }
            }
            _ => unreachable!("the predictor has explained these samples"),
        }
    }
}
