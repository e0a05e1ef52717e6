//! Cards inside a host page, such as a notebook.

use super::{Summary, legend};
use crate::interpretation::Interpretation;
use crate::{ExplainedSample, card, colour, escape};

/// Resets styles that a host page may have set.
const HOST: &str = include_str!("embedded.css");

/// The legend and a card for every sample as one element with its own style, for a host page.
/// `id`, letters and digits, is unique on that page. Colours follow the page: in a notebook its theme, elsewhere
/// the reader's system.
///
/// ```
/// use ngsll::{Dataset, Ngsll};
/// use ngsll_view::{ExplainedSample, Summary, cards};
/// let texts = (0..40).map(|i| ["a good film", "a bad film"][i % 2]);
/// let data = Dataset::texts(texts, (0..40).map(|i| ["praise", "blame"][i % 2]))?;
/// let model = Ngsll::text().terms(1).epochs(1).fit(&data)?;
/// let explanation = model.explain(&data)?.swap_remove(0);
/// let sample = ExplainedSample::new(&model, &data, 0, 0, explanation);
/// let summary = Summary::new("Films", model.objective().classes());
/// assert!(cards(&summary, &[sample], "first").starts_with("<div id=\"ngsll-first\" class=\"ngsll\">"));
/// # Ok::<(), ngsll::Error>(())
/// ```
pub fn cards(summary: &Summary, samples: &[ExplainedSample], id: &str) -> String {
    let interpretations: Vec<Interpretation> =
        samples.iter().map(|s| Interpretation::new(s, &summary.classes)).collect();
    let card = |(i, r): (usize, &Interpretation)| card::html(r, &format!("{id}-{i}"));
    let cards: String = interpretations.iter().enumerate().map(card).collect();
    let style = scoped(&(colour::css_variables() + super::PARTS + super::PAGE), id);
    format!(
        "<div id=\"ngsll-{id}\" class=\"ngsll\"><style>{style}</style>\n{legend}\
         <div class=\"cards\">\n{cards}</div></div>\n",
        id = escape(id),
        legend = legend(&interpretations, &summary.measured),
    )
}

/// The page's style restricted to one element: rules are nested, and rules for the page as a whole
/// apply to the element. The dark colours are repeated for pages that declare themselves dark.
fn scoped(css: &str, id: &str) -> String {
    let css = css.replace(":root", "&").replace("body {", "& {");
    let dark = "@media screen and (prefers-color-scheme";
    let blocks: Vec<&str> = css
        .match_indices(dark)
        .filter_map(|(at, _)| {
            let start = at + css[at..].find('{')? + 1;
            let inner = start + css[start..].find('{')? + 1;
            Some(&css[inner..inner + css[inner..].find('}')?])
        })
        .collect();
    let themes = HOST.replace("DARK", &blocks.concat());
    format!("#ngsll-{id} {{\n{css}{themes}}}\n", id = escape(id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_samples::{classes, explained, output, text};

    #[test]
    fn nothing_of_the_style_reaches_the_page_around_it() {
        let sample = explained(text("x"), "b", &[0.4, 0.6], vec![output("b", 0.0, &[("x", 1.0)])]);
        let summary = Summary { classes: classes(&["a", "b"]), ..Summary::default() };
        let html = cards(&summary, &[sample.clone(), sample], "c1");
        let style = html.split("<style>").nth(1).and_then(|s| s.split("</style>").next()).unwrap();
        assert!(style.starts_with("#ngsll-c1 {") && style.trim_end().ends_with('}'));
        assert!(!style.contains(":root") && !style.contains("body {"), "{style}");
        assert_eq!(style.matches('{').count(), style.matches('}').count());
        // The colours of the dark scheme are there for the reader's system and for the theme of a notebook.
        assert_eq!(style.matches("--ground: #17181a").count(), 2);
        assert_eq!(html.matches("<article").count(), 2);
        assert!(!html.contains("<script") && !html.contains("http"));
    }
}
