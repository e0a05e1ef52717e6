//! Measured figures of a model's terms, shown beside the promise.

use crate::escape;
use crate::number_format::count;
use crate::terminal::lines::clean;
use ngsll::generator::Generator;
use ngsll::trust::Sentence;
use ngsll::{Model, Trust};

/// Figures of a model's terms in words, or the command that measures them; before these, the guarantees about
/// monotone columns, which need no measurement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measured {
    measurement: Measurement,
    monotone: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Measurement {
    /// The circumstances of the measurement, and the results.
    Figures { how: String, sentences: Vec<Sentence> },
    /// Not measured yet; these commands do it.
    Missing { commands: Vec<String> },
}

impl Measured {
    /// The figures of a model with K = `k`, or with the closest K that was measured. `folder` is the model's name in
    /// commands.
    pub fn of<G: Generator>(model: &Model<G>, k: usize, folder: &str) -> Self {
        let measured = match model.trust_near(k) {
            Some(trust) => Self::from(trust),
            None => Self::missing(model.judge().is_some(), folder),
        };
        measured.for_model(model)
    }

    /// Adds the promise about the model's monotone columns.
    pub fn for_model<G: Generator>(self, model: &Model<G>) -> Self {
        let capital = |promise: String| promise[..1].to_uppercase() + &promise[1..] + ".";
        Self { monotone: model.monotone_promise().map(capital), ..self }
    }

    /// Replaces the command by other means of measuring: how to train a judge, and how to use it.
    pub fn measured_by(mut self, judging: &str, evaluating: &str) -> Self {
        if let Measurement::Missing { commands } = &mut self.measurement {
            let steps = [judging, evaluating].map(String::from);
            *commands = steps[steps.len() - commands.len()..].to_vec();
        }
        self
    }

    /// Not measured; `judge` says whether the model has a judge.
    fn missing(judge: bool, folder: &str) -> Self {
        let judging = (!judge).then(|| format!("ngsll judge {folder} --data TRAINING-FILE"));
        let evaluating = format!("ngsll evaluate {folder} --data TEST-FILE");
        let commands = judging.into_iter().chain([evaluating]).collect();
        Self { measurement: Measurement::Missing { commands }, monotone: None }
    }

    /// In plain text, a paragraph each.
    pub(crate) fn paragraphs(&self) -> Vec<String> {
        let measured = match &self.measurement {
            Measurement::Figures { how, sentences } => {
                let keys = sentences.iter().filter(|sentence| sentence.key);
                let keys = keys.map(|s| format!("{} {}: {}.", s.name, s.figure, s.meaning));
                std::iter::once(format!("{how}:")).chain(keys).map(|text| clean(&text)).collect()
            }
            Measurement::Missing { commands } => {
                let (commands, s) = (commands.join(", then "), plural_s(commands));
                vec![clean(&format!("{MISSING}: {commands} measure{s} it."))]
            }
        };
        self.monotone.iter().map(|promise| clean(promise)).chain(measured).collect()
    }

    /// As a part of a page: the two figures that belong to the promise, and the others folded.
    pub(crate) fn html(&self) -> String {
        let monotone = self.monotone.as_deref().map(escape);
        let monotone = monotone.map(|promise| format!("<p class=\"promise\">{promise}</p>\n"));
        let measured = match &self.measurement {
            Measurement::Figures { how, sentences } => {
                let row = |s: &Sentence| {
                    let [name, figure, meaning] =
                        [&s.name, &s.figure, &s.meaning].map(|text| escape(text));
                    format!("<div><dt>{name} <b>{figure}</b></dt> <dd>{meaning}</dd></div>")
                };
                let list = |key: bool| -> String {
                    sentences.iter().filter(|sentence| sentence.key == key).map(row).collect()
                };
                format!(
                    "<div class=\"measured\"><p>{}:</p><dl>{}</dl>\
                     <details><summary>all other figures</summary><dl>{}</dl></details></div>\n",
                    escape(how),
                    list(true),
                    list(false),
                )
            }
            Measurement::Missing { commands } => {
                let s = plural_s(commands);
                let commands = commands.iter().map(|c| format!("<code>{}</code>", escape(c)));
                let commands = commands.collect::<Vec<_>>().join(", then ");
                format!(
                    "<div class=\"measured\"><p>{MISSING}: {commands} measure{s} it.</p></div>\n"
                )
            }
        };
        monotone.unwrap_or_default() + &measured
    }
}

const MISSING: &str = "How far the terms can be trusted has not been measured for this model";

/// One command "measures", two "measure".
fn plural_s(commands: &[String]) -> &'static str {
    if commands.len() == 1 { "s" } else { "" }
}

impl From<&Trust> for Measured {
    fn from(trust: &Trust) -> Self {
        let data = trust.data.as_ref().map(|name| format!(" of {name}")).unwrap_or_default();
        let samples = match trust.samples {
            1 => "1 sample".to_string(),
            n => format!("{} samples", count(n as u64)),
        };
        let how = format!("Measured with K = {} on {samples}{data}", trust.k);
        let mut sentences = trust.sentences();
        for sentence in &mut sentences {
            sentence.figure = sentence.figure.replace('-', "−");
        }
        Self { measurement: Measurement::Figures { how, sentences }, monotone: None }
    }
}

impl Default for Measured {
    /// The measurements of an unknown model.
    fn default() -> Self {
        Self::missing(false, "MODEL")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn trust() -> Trust {
        let quality = |accuracy: f64| json!({ "accuracy": accuracy });
        let trust = json!({
            "data": "<new>\u{1b}.csv", "samples": 1000, "k": 2, "own": quality(0.83), "chosen": quality(0.82),
            "random": quality(0.7), "all": quality(0.9), "removed": quality(0.8), "encoding_gap": -0.01,
            "contest_rate": 0.25, "removal": { "sign": 0.9 },
        });
        serde_json::from_value(trust).unwrap()
    }

    #[test]
    fn the_gap_and_the_contest_rate_are_shown_and_the_rest_is_collapsed() {
        let measured = Measured::from(&trust());
        let [how, gap, contested] = &measured.paragraphs()[..] else { panic!("{measured:?}") };
        assert_eq!(how, "Measured with K = 2 on 1,000 samples of <new> .csv:");
        assert!(gap.starts_with("encoding gap −0.010: what the model knows"), "{gap}");
        assert!(contested.starts_with("contest rate 0.250: share of samples"), "{contested}");
        let html = measured.html();
        let (open, folded) = html.split_once("<details>").unwrap();
        assert!(open.contains("&lt;new&gt;") && !html.contains("<new>"), "{html}");
        assert_eq!((open.matches("<dt>").count(), folded.matches("<dt>").count()), (2, 6));
        assert!(open.contains("<dt>contest rate <b>0.250</b></dt>"), "{open}");
    }

    #[test]
    fn missing_figures_name_the_commands_that_measure_them() {
        let text = Measured::missing(false, "'my model'").paragraphs().concat();
        let in_python =
            Measured::missing(true, "m").measured_by("m.fit_judge(X, y)", "m.report(X, y)");
        assert!(in_python.paragraphs()[0].ends_with(": m.report(X, y) measures it."));
        let commands = "ngsll judge 'my model' --data TRAINING-FILE, then ngsll evaluate 'my model' --data TEST-FILE";
        assert_eq!(text, format!("{MISSING}: {commands} measure it."));
        let judged = Measured::missing(true, "<m>");
        assert!(
            judged.paragraphs().concat().ends_with("evaluate <m> --data TEST-FILE measures it.")
        );
        assert!(judged.html().contains("<code>ngsll evaluate &lt;m&gt; --data TEST-FILE</code>"));
    }
}
