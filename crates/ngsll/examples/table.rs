//! A table with numbers, categories and gaps: a price explained in its own units.
//!
//! ```text
//! cargo run --release -p ngsll --example table
//! ```

use ngsll::dataset::{Column, Table};
use ngsll::random::{Purpose, stream};
use ngsll::{Dataset, Ngsll, Result};
use rand::RngExt;

fn main() -> Result<()> {
    let n = 1500;
    let mut rng = stream(0, Purpose::Sample, 0, 0);
    let area: Vec<f64> = (0..n).map(|_| rng.random_range(30.0..200.0)).collect();
    let age: Vec<f64> = (0..n).map(|_| rng.random_range(0.0..80.0)).collect();
    let towns: Vec<&str> =
        (0..n).map(|_| ["Riverton", "Hillside"][rng.random_range(0..2)]).collect();
    // A square metre costs more in one town, and age matters in the other only.
    let price = |i: usize| match towns[i] {
        "Riverton" => 5_000.0 * area[i],
        _ => 3_000.0 * area[i] - 2_000.0 * age[i],
    };
    let prices: Vec<f64> = (0..n).map(price).collect();
    // Every tenth house has no known age: NaN.
    let known = |(i, age): (usize, &f64)| if i % 10 == 0 { f64::NAN } else { *age };
    let table = Table::new([
        Column::numeric("area", area.iter().copied())?,
        Column::numeric("age", age.iter().enumerate().map(known))?,
        Column::categorical("town", towns.iter().map(Some)),
    ])?;
    let data = Dataset::table(table, &prices)?;
    let model = Ngsll::table().terms(2).target("price").epochs(30).fit(&data)?;
    println!("R² with two terms: {:.3}", model.evaluate(&data)?.r2.unwrap_or(f64::NAN));

    let explanation = &model.explain(data.select(&[1]))?[0];
    let score = &explanation.outputs[0];
    println!("{} = {:.0}", score.name, score.score);
    println!("{:>12} {:+.0}", "on average", score.intercept);
    for term in &score.terms {
        let value = term.observed.clone().unwrap_or_default();
        println!("{:>12} {:+.0}  {value}", term.name, term.contribution);
    }
    Ok(())
}

#[test]
fn it_runs() {
    main().unwrap();
}
