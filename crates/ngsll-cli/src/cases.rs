//! Samples as a person sees them, for the views.

use crate::view::{Case, Picture, Subject, Token};
use ngsll::Predictor;
use ngsll::data::{Chunk, MISSING, Origin, Samples, Values};
use ngsll::explanation::Explanation;
use ngsll::representation::Representation;

/// The case of sample `i` of a chunk, which is row `row` of the data.
pub fn case(
    predictor: &Predictor,
    chunk: &Chunk,
    i: usize,
    row: usize,
    explanation: Explanation,
) -> Case {
    let truth =
        chunk.labels.as_ref().map(|labels| labels[i].clone()).filter(|label| !label.is_empty());
    let file = match &chunk.origin {
        Origin::Files(files) => {
            files[i].file_name().map(|name| name.to_string_lossy().into_owned())
        }
        Origin::Lines { .. } => None,
    };
    Case { row, file, subject: subject(predictor, &chunk.samples, i), truth, explanation }
}

/// Sample `i` as a person sees it.
pub fn subject(predictor: &Predictor, samples: &Samples, i: usize) -> Subject {
    match (predictor.representation(), samples) {
        (Representation::Grid(grid), Samples::Images(images)) => Subject::Image(Picture {
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
            Subject::Text { tokens }
        }
        (_, Samples::Table(table)) => {
            let value = |values: &Values| match values {
                Values::Numeric(v) if v[i].is_nan() => String::new(),
                Values::Numeric(v) => v[i].to_string(),
                Values::Categorical { ids, .. } if ids[i] == MISSING => String::new(),
                Values::Categorical { levels, ids } => levels[ids[i] as usize].clone(),
            };
            let cell = |c: &ngsll::data::Column| (c.name.clone(), value(&c.values));
            Subject::Row { cells: table.columns.iter().map(cell).collect() }
        }
        _ => unreachable!("the predictor has explained these samples"),
    }
}
