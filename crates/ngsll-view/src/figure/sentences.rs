//! Sentences whose chosen words are marked, for several K.

use crate::colour::{hex, hue, mix};
use crate::svg::{Anchor, Svg};

/// A sentence with its truth, read by several models.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LabelledSentence {
    /// The true class.
    pub truth: String,
    /// One entry for each model.
    pub marked: Vec<Marked>,
}

/// A sentence as one model reads it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Marked {
    /// The model: `K = 1`.
    pub model: String,
    /// The predicted class.
    pub predicted: String,
    /// The words in order.
    pub words: Vec<Word>,
}

/// A word of a sentence.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Word {
    /// Its spelling in the text.
    pub text: String,
    /// Whether the vocabulary contains it.
    pub known: bool,
    /// Its weight for the predicted class, if it was chosen.
    pub weight: Option<f64>,
}

impl LabelledSentence {
    /// A sentence that no model has read yet.
    pub fn new(truth: impl Into<String>) -> Self {
        Self { truth: truth.into(), marked: Vec::new() }
    }
}

impl Marked {
    /// The model's prediction, and the words.
    pub fn new(model: impl Into<String>, predicted: impl Into<String>, words: Vec<Word>) -> Self {
        Self { model: model.into(), predicted: predicted.into(), words }
    }
}

impl Word {
    /// A word, known or not, with its weight where it was chosen.
    pub fn new(text: impl Into<String>, known: bool, weight: Option<f64>) -> Self {
        Self { text: text.into(), known, weight }
    }
}

const SIZE: f64 = 14.0;
/// Width of a letter of a monospaced font of that size; `textLength` fits every font to it.
const LETTER: f64 = 8.4;
const LINE: f64 = 25.0;
const LEFT: f64 = 224.0;
const WIDTH: f64 = 1100.0;
const MONOSPACE: &str = "DejaVu Sans Mono, Liberation Mono, Courier New, monospace";

/// Sentences from top to bottom, each with a line or more for every model.
pub fn sentences(sentences: &[LabelledSentence]) -> String {
    let mut svg = Svg::new(WIDTH, 0.0);
    let mut y = 30.0;
    for sentence in sentences {
        svg.bold((14.0, y), SIZE, Anchor::Start, &sentence.truth);
        for marked in &sentence.marked {
            let wrong = if marked.predicted == sentence.truth { "" } else { " (wrong)" };
            let caption = format!("{} → {}{wrong}", marked.model, marked.predicted);
            svg.text((LEFT - 10.0, y), 12.0, Anchor::End, &caption);
            y = words(&mut svg, &marked.words, y) + LINE;
        }
        y += 12.0;
    }
    svg.resize(y);
    svg.finish("Chosen words of questions")
}

/// Draws the words of a sentence from the line `y` on; returns its last line.
fn words(svg: &mut Svg, words: &[Word], mut y: f64) -> f64 {
    let largest = words.iter().filter_map(|word| word.weight).map(f64::abs);
    let largest = largest.fold(f64::MIN_POSITIVE, f64::max);
    let mut x = LEFT;
    for word in words {
        let length = word.text.chars().count() as f64 * LETTER;
        if x + length > WIDTH - 14.0 && x > LEFT {
            (x, y) = (LEFT, y + LINE);
        }
        let mut colour = if word.known { "#222" } else { "#999" };
        if let Some(weight) = word.weight {
            let share = weight.abs() / largest;
            let ground = mix([255; 3], hue(weight < 0.0).on_light, 0.2 + 0.8 * share);
            // White letters on dark backgrounds.
            if share > 0.5 {
                colour = "#fff";
            }
            svg.add(format_args!(
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"3\" fill=\"{}\"/>",
                x - 3.0,
                y - SIZE,
                length + 6.0,
                SIZE + 5.0,
                hex(ground),
            ));
        }
        let attributes = format!(
            "fill=\"{colour}\" font-family=\"{MONOSPACE}\" textLength=\"{length:.1}\" lengthAdjust=\"spacingAndGlyphs\""
        );
        svg.styled_text((x, y), SIZE, Anchor::Start, &attributes, &word.text);
        x += length + 1.4 * LETTER;
    }
    y
}
