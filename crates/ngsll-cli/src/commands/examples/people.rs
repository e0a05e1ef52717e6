//! People and their income. It depends on education, hours a week, age up to fifty, and savings; a little on the class of
//! work, and not at all on the city.

use super::{Rng, chance, pick};
use ngsll::random::normal;
use rand::RngExt;

/// People to learn from.
pub const ROWS: usize = 2400;
/// People to measure on.
pub const NEW_ROWS: usize = 600;
/// Share of the cells that are empty.
const MISSING: f64 = 0.03;

const HEADER: &str = "age,hours,education,workclass,savings,city,income\n";

const EDUCATION: [(&str, f64); 4] =
    [("School", -1.2), ("College", -0.2), ("Bachelor", 0.7), ("Master", 1.6)];

const WORK: [(&str, f64); 3] = [("Private", 0.0), ("Government", 0.2), ("Self-employed", -0.4)];

const CITIES: [&str; 4] = ["Bristol", "Leeds", "Glasgow", "Cardiff"];

/// The two files.
pub fn files(rng: &mut Rng) -> (String, String) {
    let mut file = |rows| HEADER.to_string() + &(0..rows).map(|_| person(rng)).collect::<String>();
    (file(ROWS), file(NEW_ROWS))
}

fn person(rng: &mut Rng) -> String {
    let age = rng.random_range(19..=70);
    let [hours, savings] = <[f32; 2]>::try_from(normal(rng, 2)).expect("two were requested");
    let hours = (40.0 + 9.0 * f64::from(hours)).round().clamp(5.0, 80.0);
    let savings = (12_000.0 * (0.9 * f64::from(savings)).exp() / 100.0).round() * 100.0;
    let (education, learned) = pick(&EDUCATION, rng);
    let (work, sector) = pick(&WORK, rng);
    let rising = f64::from(age.min(50) - 35) / 8.0;
    let score = -1.0
        + 1.3 * learned
        + sector
        + rising
        + (hours - 40.0) / 6.0
        + (savings - 15_000.0) / 12_000.0;
    let income = if chance(1.0 / (1.0 + (-1.5 * score).exp()), rng) { ">50K" } else { "<=50K" };
    let cells =
        [age.to_string(), hours.to_string(), education.into(), work.into(), savings.to_string()];
    let cells = cells.map(|cell| if chance(MISSING, rng) { String::new() } else { cell });
    format!("{},{},{income}\n", cells.join(","), pick(&CITIES, rng))
}
