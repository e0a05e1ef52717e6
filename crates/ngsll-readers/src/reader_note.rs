//! Notes for the user about how samples were read.

use ngsll::findings::Remedy;
use std::fmt;

/// A note, in one sentence, about how samples were read, for users who may want to change it.
///
/// ```
/// use ngsll_readers::ReaderNote;
/// let note = ReaderNote::from("the second column is read as text".to_string());
/// assert_eq!(note.to_string(), "the second column is read as text");
/// assert_eq!(note.remedy, None);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReaderNote {
    /// The observation, and how the samples were read.
    pub text: String,
    /// The option that changes it.
    pub remedy: Option<Remedy>,
    /// The text between the two: `, and`.
    joint: &'static str,
}

impl ReaderNote {
    /// A note with its remedy, after a `joint` such as `, and`.
    pub(crate) fn with_remedy(text: String, joint: &'static str, remedy: Remedy) -> Self {
        Self { text, joint, remedy: Some(remedy) }
    }

    /// The sentence with the option as `worded` names it; without the option if that is `None`.
    pub fn sentence(&self, worded: impl FnOnce(&Remedy) -> Option<String>) -> String {
        match self.remedy.as_ref().and_then(worded) {
            Some(remedy) => format!("{}{} {remedy}", self.text, self.joint),
            None => self.text.clone(),
        }
    }
}

impl From<String> for ReaderNote {
    fn from(text: String) -> Self {
        Self { text, remedy: None, joint: "" }
    }
}

impl fmt::Display for ReaderNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.sentence(|remedy| Some(remedy.to_string())))
    }
}
