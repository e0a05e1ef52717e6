//! Drawing: explanations as pages and in a terminal, evaluations as reports, and figures as SVG and PNG.
//!
//! An [`ExplainedSample`] is the input of every view of a single explanation: [`html`] as a page,
//! [`fragments`] as the pieces of a host page, [`terminal`](fn@terminal) as lines of text. A
//! [`Collector`] gathers the content of a [`report`](fn@report) on an evaluation. [`figure`] draws the
//! paper's figures.
//!
//! ```
//! use ngsll::{Dataset, Ngsll};
//! use ngsll_view::{ExplainedSample, Summary};
//!
//! let texts = (0..40).map(|i| ["a good film", "a bad film"][i % 2]);
//! let data = Dataset::texts(texts, (0..40).map(|i| ["praise", "blame"][i % 2]))?;
//! let model = Ngsll::text().terms(1).epochs(1).fit(&data)?;
//!
//! let explanation = model.explain(&data)?.swap_remove(0);
//! let sample = ExplainedSample::new(&model, &data, 0, 1, explanation);
//! let classes = model.objective().classes();
//! print!("{}", ngsll_view::terminal(&sample, classes, false, 80));
//! let summary = Summary::new("Films", classes);
//! assert!(ngsll_view::html(&summary, &[sample]).contains("<title>Films</title>"));
//! # Ok::<(), ngsll::Error>(())
//! ```
//!
//! The modules, from the wording to the drawing:
//!
//! | module | draws |
//! |---|---|
//! | `interpretation` | nothing yet: *what* is said (order of the classes, verdict, rounded sum, contrast of two classes) |
//! | `sample` | a text, image or row with its chosen features, for pages and terminals |
//! | `card` | one explained sample: a card of a page, or its pieces |
//! | `promise`, `measured` | the promise of an explanation and its limits; figures measured of it |
//! | `page` | head, legend, search and all cards in one file |
//! | `report` | the model as a whole: a file for each panel |
//! | `terminal` | one explained sample as lines of text |
//! | `figure` | the paper's charts, digits and sentences |
//! | `svg` | shared parts of charts: axes with their ticks, frames, images inside a file |
//! | `colour`, `number_format`, `markup` | every colour, every number, escaping |
//!
//! | feature | adds |
//! |---|---|
//! | `png` | `figure::png`: SVG figures as PNG files, by resvg |

mod card;
mod colour;
mod explained_sample;
pub mod figure;
mod interpretation;
mod markup;
mod measured;
mod number_format;
mod page;
mod promise;
mod report;
mod sample;
mod svg;
mod terminal;
#[cfg(test)]
mod test_samples;
mod unseen;

pub use card::{Fragments, ScoreFragments, fragments};
pub use explained_sample::ExplainedSample;
pub use markup::escape;
pub use measured::Measured;
pub use page::{Summary, SummaryTable, cards, html, parts_css, report};
pub use promise::{Beside, promise, terminal_promise};
pub use report::{Collected, Collector, ModelOverview};
pub use sample::pixel_features;
pub use svg::data_uri;
pub use terminal::terminal;
pub use unseen::UnseenValues;
