//! Helpers of the benchmarks: data made from a fixed seed, and the pieces whose time is taken.
#![allow(dead_code, unused_imports, reason = "each benchmark uses its part")]

mod made;
mod stepper;

pub use made::{WORDS, images, texts};
pub use stepper::Stepper;

use burn::tensor::{Device, Tensor, TensorData};
use ngsll::config::Task;
use ngsll::gate::k_hot::k_hot_gate;
use ngsll::random::{Purpose, gumbel, stream};
use ngsll::representation::WordsConfig;
use ngsll::train::Preset;
use ngsll::{Config, Dataset, Evidence, Model, TrainingSetup};
use rand::RngExt;
use std::ops::ControlFlow;

/// Samples of a training step and of a batch explanation.
pub const BATCH: usize = 128;

/// K of the first stage of both presets, and of the explanations.
pub const K: usize = 10;

/// The default network and batches of a task where it reads whole samples, in one stage that is the first
/// of both presets.
pub fn setup(task: Task, data: &Dataset, epochs: usize) -> TrainingSetup {
    let mut stage = Preset::Annealed.stages(K, epochs).remove(0);
    (stage.max_epochs, stage.patience) = (epochs, epochs);
    let mut config = Config::with_evidence(task, Evidence::Whole);
    config.k = K;
    config.training.stages = Some(vec![stage]);
    config.training.batch_size = Some(BATCH);
    if task == Task::Text {
        let mut words = WordsConfig::default();
        words.min_count = 1;
        config.representation = words.into();
    }
    // A separate validation part leaves all samples, a whole number of batches, to training.
    let valid = data.select(&(0..BATCH).collect::<Vec<_>>());
    let options = config.check().expect("the options are valid");
    TrainingSetup::new(options, data, Some(&valid), &Device::default()).expect("the data are valid")
}

/// The default model of a task after one epoch on these samples.
pub fn model(task: Task, data: &Dataset) -> Model {
    let fitted = setup(task, data, 1).fit(None, &mut |_| ControlFlow::Continue(()));
    fitted.expect("one epoch does not diverge").model
}

/// Rows for the K-hot gate, all features open.
pub struct GateRows {
    squares: Tensor<2>,
    mask: Tensor<2>,
    noise: Tensor<2>,
}

impl GateRows {
    /// squares, mask, noise: [rows, active]
    pub fn new(rows: usize, active: usize) -> Self {
        let device = Device::default().autodiff();
        let mut rng = stream(0, Purpose::Sample, 0, 0);
        let tensor = |values: Vec<f32>| {
            Tensor::<2>::from_data(TensorData::new(values, [rows, active]), &device)
        };
        let squares = (0..rows * active).map(|_| rng.random::<f32>()).collect();
        let (squares, noise) = (tensor(squares), tensor(gumbel(&mut rng, rows * active)));
        Self { squares: squares.require_grad(), mask: tensor(vec![0.0; rows * active]), noise }
    }

    /// The soft gate (τ = 1) and its gradient.
    pub fn forward_backward(&self, k: usize) -> Tensor<2> {
        let (mask, noise) = (self.mask.clone(), self.noise.clone());
        let gradients = k_hot_gate(self.squares.clone(), mask, noise, k, 1.0).backward();
        self.squares.grad(&gradients).expect("the squares ask for a gradient")
    }

    /// The hard gate.
    pub fn hard(&self, k: usize) -> Tensor<2> {
        ngsll::gate::hard::hard_gate(self.squares.clone(), self.mask.clone(), k)
    }
}
