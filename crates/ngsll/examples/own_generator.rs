//! A generator of one's own: any Burn module that writes a weight for every listed feature. `ngsll` brings Burn
//! and `rand` with it; another version of theirs would not fit.
//!
//! ```text
//! cargo run --release -p ngsll --example own_generator
//! ```
//!
//! The task: of two numbers, is the one that a third points to positive? A linear model of the
//! three cannot answer. The generator here is a single hidden layer over the encoded columns.

use ngsll::burn::module::Module;
use ngsll::burn::tensor::{Tensor, activation::tanh};
use ngsll::dataset::{Column, Table};
use ngsll::generator::layers::{Init, Linear};
use ngsll::generator::{Active, Dims, Dropout, Generator, X, XShape};
use ngsll::rand::RngExt;
use ngsll::random::{Purpose, stream};
use ngsll::{Dataset, Device, Error, ModelFolder, Ngsll, Result, burn};
use std::ops::ControlFlow;

/// One hidden layer with tanh.
#[derive(Module, Debug)]
struct OneLayer {
    hidden: Linear,
    weights: Linear,
    #[module(skip)]
    dims: (usize, usize),
}

impl OneLayer {
    fn build(dims: Dims, init: &mut Init<'_>) -> Result<Self> {
        let XShape::Columns { width, .. } = dims.x else {
            return Err(Error::setting("task", "not tabular", "this network reads table columns"));
        };
        Ok(Self {
            hidden: Linear::new(width, 64, init),
            weights: Linear::new(64, dims.outputs * dims.features, init),
            dims: (dims.outputs, dims.features),
        })
    }
}

impl Generator for OneLayer {
    fn forward(&self, x: &X, active: &Active, _dropout: &mut Dropout) -> Tensor<3> {
        let X::Columns(rows) = x else { unreachable!("tables are columns") };
        let (outputs, features) = self.dims;
        let columns = rows.numbers();
        let batch = columns.dims()[0];
        let all = self.weights.forward(tanh(self.hidden.forward(columns)));
        let all = all.reshape([batch, outputs, features]);
        // The listed features only: a row leaves out what is missing.
        match &active.indices {
            Some(listed) => {
                let listed = listed.clone().unsqueeze_dim::<3>(1);
                all.gather(2, listed.expand([batch, outputs, active.slots]))
            }
            None => all,
        }
    }
}

fn samples(n: usize) -> Result<Dataset> {
    let mut rng = stream(0, Purpose::Sample, 0, 0);
    let mut draw = || -> Vec<f64> { (0..n).map(|_| rng.random_range(-1.0..1.0)).collect() };
    let (left, right, pointer) = (draw(), draw(), draw());
    let label = |i: usize| if pointer[i] < 0.0 { left[i] > 0.0 } else { right[i] > 0.0 };
    let labels: Vec<&str> = (0..n).map(|i| if label(i) { "yes" } else { "no" }).collect();
    let columns = [("left", left), ("right", right), ("pointer", pointer)];
    let columns = columns.map(|(name, values)| Column::numeric(name, values));
    Dataset::table(Table::new(columns.into_iter().collect::<Result<Vec<_>>>()?)?, labels)
}

fn main() -> Result<()> {
    let data = samples(2000)?;
    let setup = Ngsll::table().terms(1).epochs(20).setup(&data)?;
    let fitted = setup.fit_generator(OneLayer::build, None, &mut |_| ControlFlow::Continue(()))?;
    let metrics = fitted.model.evaluate(&data)?;
    println!("accuracy with one term: {:.3}", metrics.accuracy.unwrap_or(f64::NAN));

    // A model folder holds the weights; the network comes from this program.
    let folder = std::env::temp_dir().join(format!("own-generator-{}", std::process::id()));
    fitted.model.save(&folder)?;
    let loaded = ModelFolder::open(&folder)?.model_with(OneLayer::build, &Device::default())?;
    for explanation in loaded.explain(data.select(&[0, 1, 2]))? {
        let score = &explanation.outputs[0];
        for term in &score.terms {
            println!(
                "score {:+.2}: {} contributes {:+.2}",
                score.score, term.name, term.contribution
            );
        }
    }
    std::fs::remove_dir_all(&folder).map_err(|e| Error::io(&folder, "remove", e))
}

#[test]
fn it_runs() {
    main().unwrap();
}
