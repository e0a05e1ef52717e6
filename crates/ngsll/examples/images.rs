//! Small images of a bright bar, explained by the cells that it lies in; training that can be watched
//! and interrupted.
//!
//! ```text
//! cargo run --release -p ngsll --example images
//! ```

use ngsll::dataset::{ImageSize, Images};
use ngsll::random::{Purpose, stream};
use ngsll::representation::GridConfig;
use ngsll::train::Event;
use ngsll::{Dataset, Ngsll, Result};
use rand::RngExt;
use std::ops::ControlFlow;

const SIDE: usize = 12;

fn bars(n: usize) -> Result<Dataset> {
    let mut rng = stream(0, Purpose::Sample, 0, 0);
    let mut images = Images::empty(ImageSize { width: SIDE, height: SIDE, channels: 1 })?;
    for i in 0..n {
        let place = rng.random_range(0..SIDE);
        let bar = |at: usize| place == if i % 2 == 0 { at / SIDE } else { at % SIDE };
        let pixels: Vec<u8> = (0..SIDE * SIDE).map(|at| if bar(at) { 255 } else { 0 }).collect();
        images.push(&pixels)?;
    }
    Dataset::images(images, (0..n).map(|i| ["lies", "stands"][i % 2]))
}

fn main() -> Result<()> {
    let data = bars(400)?;
    let mut grid = GridConfig::default();
    grid.cells = [4, 4];
    let watch = |event: Event<'_>| {
        if let Event::Epoch { record, .. } = event {
            println!("validation loss {:.4}", record.valid_loss);
        }
        // `Break` would stop the training.
        ControlFlow::Continue(())
    };
    let model =
        Ngsll::images().terms(2).representation(grid).epochs(10).progress(watch).fit(&data)?;
    println!("accuracy with two cells: {:.3}", model.evaluate(&data)?.accuracy.unwrap_or(f64::NAN));
    for term in &model.explain(data.select(&[0]))?[0].outputs[0].terms {
        println!("{} contributes {:+.2}", term.name, term.contribution);
    }
    Ok(())
}

#[test]
fn it_runs() {
    main().unwrap();
}
