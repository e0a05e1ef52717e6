//! Film reviews: praise and blame, some of it by *not* and *never*, among clauses with neither.

use super::{Rng, chance, pick};
use rand::seq::SliceRandom;

/// Reviews to learn from.
pub const ROWS: usize = 600;
/// Reviews without labels.
const NEW_ROWS: usize = 20;
/// Share of the reviews with the wrong label, as in real data.
const SLIPS: f64 = 0.02;

const SUBJECTS: [&str; 8] = [
    "the acting",
    "the story",
    "the music",
    "the camera work",
    "the dialogue",
    "the ending",
    "the cast",
    "the script",
];

const PRAISE: [&str; 8] = [
    "is superb",
    "is a delight",
    "is wonderful",
    "moved me to tears",
    "is brilliant",
    "never feels dull",
    "is not bad at all",
    "deserves every award",
];

const BLAME: [&str; 8] = [
    "is dull",
    "makes no sense",
    "is a mess",
    "bored me",
    "is awful",
    "never comes to life",
    "is not good at all",
    "is a waste of money",
];

const NEUTRAL: [&str; 8] = [
    "I saw it on a Sunday with my sister",
    "it runs for a little over two hours",
    "the cinema was half empty",
    "my neighbour had told me about it",
    "it is set in Lisbon in the nineties",
    "we had seats in the third row",
    "it is the director's second film",
    "there are subtitles",
];

const WINNING: [&str; 4] = [
    "I would watch it again",
    "everybody should see it",
    "I recommend it warmly",
    "it gets ten out of ten",
];

const LOSING: [&str; 4] = [
    "I left before the end",
    "nobody should see it",
    "I want my money back",
    "it gets two out of ten",
];

/// The file with labels, and the one without.
pub fn files(rng: &mut Rng) -> (String, String) {
    let mut reviews = "sentiment,text\n".to_string();
    for i in 0..ROWS {
        let positive = i % 2 == 0;
        let text = review(positive, rng);
        let label = if positive != chance(SLIPS, rng) { "positive" } else { "negative" };
        reviews += &format!("{label},\"{text}\"\n");
    }
    let new: String = (0..NEW_ROWS).map(|i| format!("\"{}\"\n", review(i % 2 == 0, rng))).collect();
    (reviews, format!("text\n{new}"))
}

fn review(positive: bool, rng: &mut Rng) -> String {
    let (verdicts, endings) = if positive { (PRAISE, WINNING) } else { (BLAME, LOSING) };
    let clause = |rng: &mut Rng, verdicts: &[&str]| {
        format!("{} {}", pick(&SUBJECTS, rng), pick(verdicts, rng))
    };
    let mut parts = vec![clause(rng, &verdicts)];
    if chance(0.7, rng) {
        parts.push(pick(&NEUTRAL, rng).to_string());
    }
    if chance(0.5, rng) {
        parts.push(clause(rng, &verdicts));
    }
    // Hardly any film is good or bad in every respect.
    if chance(0.2, rng) && parts.len() > 2 {
        parts.push(clause(rng, if positive { &BLAME } else { &PRAISE }));
    }
    parts.shuffle(rng);
    if chance(0.5, rng) {
        parts.push(pick(&endings, rng).to_string());
    }
    parts.join(" and ")
}
