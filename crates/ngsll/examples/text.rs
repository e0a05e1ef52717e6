//! Sentences in which word order decides, explained by one word each.
//!
//! ```text
//! cargo run --release -p ngsll --example text
//! ```
//!
//! "not good" is blame and "not bad" is praise: a linear model of the words cannot learn that. The
//! network writes another weight for the same word in another sentence.

use ngsll::{Dataset, Model, Ngsll, Result, Samples};

fn main() -> Result<()> {
    let things = ["film", "book", "meal", "room", "song"];
    let verdicts =
        [("not good", "blame"), ("not bad", "praise"), ("good", "praise"), ("bad", "blame")];
    let mut texts = Vec::new();
    let mut labels = Vec::new();
    for i in 0..400 {
        let (verdict, label) = verdicts[i % 4];
        texts.push(format!("the {} was {verdict}", things[i / 4 % 5]));
        labels.push(label);
    }
    let data = Dataset::texts(&texts, &labels)?;
    let model = Ngsll::text().terms(1).seed(7).epochs(20).fit(&data)?;
    println!("accuracy with one word: {:.3}", model.evaluate(&data)?.accuracy.unwrap_or(f64::NAN));

    // A model is kept as a folder, and comes back the same.
    let folder = std::env::temp_dir().join(format!("ngsll-text-{}", std::process::id()));
    model.save(&folder)?;
    let model = Model::load(&folder)?;
    let new = Samples::texts(["the song was not bad", "the song was not good"]);
    for explanation in model.explain(&new)? {
        let (score, class) = (&explanation.outputs[0], explanation.prediction.class());
        let label = class.map_or("", |class| class.label());
        for term in &score.terms {
            println!("{label}: {:?} contributes {:+.2}", term.name, term.contribution);
        }
    }
    std::fs::remove_dir_all(&folder).map_err(|e| ngsll::Error::io(&folder, "remove", e))
}

#[test]
fn it_runs() {
    main().unwrap();
}
