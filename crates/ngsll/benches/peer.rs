//! Our side of the comparison with other libraries, driven by `benches/peers/compare.py`.
//!
//! With `--answer` it answers each line `WORK REPEATS` on its input with a line of JSON, the seconds
//! of each repetition, so that its rounds can take turns with a peer's. With `--export FOLDER` it
//! first writes what a peer needs to compute the same function, and what it should come to.

mod common;

use burn::tensor::Device;
use common::{BATCH, GateRows, Stepper, images, model, setup};
use gemm::{Parallelism, gemm};
use ngsll::config::Task;
use ngsll::explanation::Explanation;
use ngsll::generator::Dropout;
use ngsll::network::Gating;
use ngsll::train::{Array, Weights, to_bytes};
use ngsll::{Dataset, Model, Samples};
use std::hint::black_box;
use std::io::{BufRead, Write};
use std::path::Path;
use std::time::Instant;

/// Training images, a whole number of batches; MNIST has 60,000.
const IMAGES: usize = 468 * BATCH;

/// Rows and columns of the matrices whose product shows what the machine can do.
const SQUARE: usize = 1024;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    if !arguments.iter().any(|a| a == "--answer") {
        println!("the comparison with other libraries is started by benches/peers/run");
        return Ok(());
    }
    let data = images(IMAGES);
    let model = model(Task::Image, &images(10 * BATCH));
    let folder = arguments.iter().skip_while(|a| *a != "--export").nth(1);
    if let Some(folder) = folder {
        export(Path::new(folder), &model, &data)?;
    }
    let work = Work::new(model, &data);
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let (name, repeats) = line.split_once(' ').ok_or("expected WORK REPEATS")?;
        let seconds = work.run(name, repeats.trim().parse()?)?;
        println!("{}", serde_json::json!({ "work": name, "seconds": seconds }));
        std::io::stdout().flush()?;
    }
    Ok(())
}

/// Everything that can be timed, ready.
struct Work {
    stepper: Stepper,
    model: Model,
    batch: Samples,
    singles: Vec<Samples>,
    gate: GateRows,
}

impl Work {
    fn new(model: Model, data: &Dataset) -> Self {
        let rows: Vec<usize> = (0..BATCH).collect();
        Self {
            stepper: Stepper::new(setup(Task::Image, data, 1000)),
            model,
            batch: data.samples().select(&rows),
            singles: rows.iter().map(|&row| data.samples().select(&[row])).collect(),
            gate: GateRows::new(1, 10_000),
        }
    }

    fn run(&self, name: &str, repeats: usize) -> Result<Vec<f64>, String> {
        Ok(match name {
            "train" => (0..repeats).map(|_| self.stepper.step().as_secs_f64()).collect(),
            "explain_batch" => timed(repeats, |_| self.explain(&self.batch)),
            "predict_batch" => timed(repeats, |_| self.model.predict(&self.batch)),
            "explain_one" => timed(repeats, |i| self.explain(&self.singles[i % BATCH])),
            "gate_k1" => timed(repeats, |_| self.gate.forward_backward(1)),
            "gate_k50" => timed(repeats, |_| self.gate.forward_backward(50)),
            "gemm" => {
                let factor = vec![1.0_f32; SQUARE * SQUARE];
                let mut product = factor.clone();
                timed(repeats, |_| multiply(&factor, &mut product))
            }
            other => return Err(format!("no work is called {other}")),
        })
    }

    fn explain(&self, samples: &Samples) -> Vec<Explanation> {
        self.model.explain(samples).expect("the samples fit the model")
    }
}

fn timed<T>(repeats: usize, mut work: impl FnMut(usize) -> T) -> Vec<f64> {
    let time = |i| {
        let start = Instant::now();
        black_box(work(i));
        start.elapsed().as_secs_f64()
    };
    (0..repeats).map(time).collect()
}

/// product = factor · factor, on all threads
#[expect(unsafe_code, reason = "the product takes pointers")]
fn multiply(factor: &[f32], product: &mut [f32]) {
    assert!(factor.len() == SQUARE * SQUARE && product.len() == SQUARE * SQUARE);
    let threads = Parallelism::Rayon(rayon::current_num_threads());
    let (n, rs, cs) = (SQUARE, SQUARE as isize, 1);
    let (out, a) = (product.as_mut_ptr(), factor.as_ptr());
    // SAFETY: the strides reach the SQUARE² elements that both slices were found to have.
    unsafe {
        gemm(
            n, n, n, out, cs, rs, false, a, cs, rs, a, cs, rs, 0.0, 1.0, false, false, false,
            threads,
        );
    }
}

/// Writes the model folder and, beside it, `check.safetensors`:
///
/// | array | |
/// |---|---|
/// | `pixels` | [batch, 28, 28], 0 to 255 |
/// | `sparse_weights`, `scores` | w' [batch, 49] and ŷ `[batch]` of those images |
/// | `cells`, `labels` | z [n, 49] and class `[n]` of all training images |
fn export(folder: &Path, model: &Model, data: &Dataset) -> ngsll::Result<()> {
    model.save(folder.join("model"))?;
    let Samples::Images(images) = data.samples() else { unreachable!("images were made") };
    let (size, pixels) = (images.size(), images.pixels());
    let representation = model.representation();
    let encoded = representation.encode(data.samples())?;
    let rows: Vec<usize> = (0..BATCH).collect();
    let batch = representation.batch(&encoded, &rows, &Device::default());
    let gating = Gating::Hard { k: model.k() };
    let forward = model.network().forward(&batch, gating, &mut Dropout::off())?;
    let numbers = |data: burn::tensor::TensorData| data.iter::<f32>().collect::<Vec<f32>>();
    let cells = (0..data.len()).flat_map(|row| representation.z(&encoded, row).values).collect();
    let labels = data.labels().expect("the images have labels").iter();
    let labels = labels.map(|l| if l == model.objective().classes()[1] { 1.0 } else { 0.0 });
    let features = representation.features();
    let pixels = pixels[..BATCH * size.bytes()].iter().map(|&p| f32::from(p)).collect();
    let arrays = [
        ("pixels", vec![BATCH, size.height, size.width], pixels),
        ("sparse_weights", vec![BATCH, features], numbers(forward.sparse_weights.into_data())),
        ("scores", vec![BATCH], numbers(forward.scores.into_data())),
        ("cells", vec![data.len(), features], cells),
        ("labels", vec![data.len()], labels.collect()),
    ];
    let named = |(name, shape, values): (&str, _, _)| {
        Array::new(shape, values).map(|array| (name.to_string(), array))
    };
    let bytes = to_bytes(&arrays.into_iter().map(named).collect::<ngsll::Result<Weights>>()?);
    let file = folder.join("check.safetensors");
    std::fs::write(&file, bytes).map_err(|e| ngsll::Error::io(&file, "write", e))
}
