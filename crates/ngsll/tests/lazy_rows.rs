//! A whole training whose table has sparse gradients and rows that wait, against the same training
//! with Burn's own embedding, which gives every row a gradient and an update in every step.

mod common;

use burn::module::Module;
use burn::tensor::activation::tanh;
use burn::tensor::{IndexingUpdateOp, Int, Tensor};
use common::small::{With, config, go_on, setup, texts, whole};
use ngsll::config::Task;
use ngsll::generator::layers::{Embedding, Init, Linear};
use ngsll::generator::{Active, Dims, Dropout, Generator, X, XShape};
use ngsll::random::{Purpose, stream};
use ngsll::train::{Checkpoints, Event, Weights, weights_of};
use ngsll::{Config, Dataset, Error, Fitted, TrainingSetup};
use rand::RngExt;
use std::ops::ControlFlow;

/// A weight for each position from its own word.
#[derive(Module, Debug)]
struct Words {
    table: Embedding,
    weight: Linear,
    #[module(skip)]
    sparse: bool,
    /// Words share rows by their number modulo this.
    #[module(skip)]
    rows: i64,
}

impl Words {
    fn build(sparse: bool, rows: usize, dims: Dims, init: &mut Init<'_>) -> Self {
        let XShape::Tokens { ids, .. } = dims.x else { unreachable!("the samples are texts") };
        let rows = rows.min(ids);
        let table = Embedding::new(rows, 8, 0.25, init);
        let weight = Linear::new(8, dims.outputs, init);
        Self { table, weight, sparse, rows: rows as i64 }
    }
}

/// [`Embedding::forward`] with Burn's own operation, whose gradient is of the table's size.
fn dense(table: &Embedding, ids: Tensor<2, Int>) -> Tensor<3> {
    let present = ids.clone().not_equal_elem(0).float().unsqueeze_dim(2);
    burn::tensor::module::embedding(table.weight.val(), ids) * present
}

impl Generator for Words {
    fn forward(&self, x: &X, active: &Active, _dropout: &mut Dropout) -> Tensor<3> {
        let (ids, kept) = match x {
            X::Tokens(ids) => (ids, None),
            X::MaskedTokens { ids, kept } => (ids, Some(kept)),
            _ => unreachable!("the samples are texts"),
        };
        let ids = ids.clone().remainder_scalar(self.rows);
        let words = if self.sparse { self.table.forward(ids) } else { dense(&self.table, ids) };
        let words = kept.map_or(words.clone(), |kept| words * kept.clone().unsqueeze_dim(2));
        let weights = self.weight.forward(tanh(words));
        let weights = weights.swap_dims(1, 2);
        let [batch, outputs, time] = weights.dims();
        let token_slots = active.token_slots.clone().expect("texts say where their features occur");
        let token_slots = token_slots.slots.unsqueeze_dim::<3>(1).expand([batch, outputs, time]);
        Tensor::zeros([batch, outputs, active.slots + 1], &weights.device())
            .scatter(2, token_slots, weights, IndexingUpdateOp::Add)
            .slice_dim(2, 0..active.slots)
    }
}

/// Words that favour one of two classes, each in a few texts only.
fn rare_words() -> Dataset {
    let mut rng = stream(0, Purpose::Sample, 0, 0);
    let row = |i: usize| {
        let word = |_| format!("{}{}", ["a", "b"][i % 2], rng.random_range(0..60));
        let words: Vec<String> = (0..4).map(word).collect();
        (words.join(" "), ["first", "second"][i % 2])
    };
    texts((0..400).map(row).collect())
}

fn trained(preset: &str, sparse: bool, rows: usize) -> Weights {
    let config = config(Task::Text).with("training.preset", preset).unwrap();
    let setup = setup(config, &rare_words()).unwrap();
    let build = |dims, init: &mut Init<'_>| Ok(Words::build(sparse, rows, dims, init));
    let fitted = setup.fit_generator(build, None, &mut go_on).unwrap();
    weights_of(fitted.model.network())
}

/// Rounding is all that may differ. One update moves a weight by up to 1e-3, what follows it while
/// the row waits by up to ten times that: 3e-5 tells a course with missed updates apart.
#[test]
fn waiting_rows_do_not_change_the_course_of_training() {
    // The last changes its step size with every epoch.
    for preset in ["annealed", "paper", "subsets"] {
        let [lazy, plain] = [true, false].map(|sparse| trained(preset, sparse, usize::MAX));
        assert!(lazy["generator.table.weight"].shape[0] > 100);
        for (name, array) in &plain {
            for (i, (l, p)) in lazy[name].values.iter().zip(&array.values).enumerate() {
                assert!((l - p).abs() < 3e-5, "{preset}, {name}, entry {i}: {l} instead of {p}");
            }
        }
    }
}

/// It is not announced which of these rows a batch reads. Up to one step reads them as they wait;
/// from then on all are made good before each.
#[test]
fn a_table_that_is_not_read_by_tokens_is_trained_all_the_same() {
    let [lazy, plain] = [true, false].map(|sparse| trained("annealed", sparse, 40));
    assert_eq!(lazy["generator.table.weight"].shape, [40, 8]);
    for (l, p) in
        lazy["generator.table.weight"].values.iter().zip(&plain["generator.table.weight"].values)
    {
        assert!((l - p).abs() < 5e-3, "{l} instead of {p}");
    }
}

fn rare_setup(config: Config) -> TrainingSetup {
    setup(config, &rare_words()).unwrap()
}

fn stop_at(at: (usize, usize, usize)) -> impl FnMut(Event<'_>) -> ControlFlow<()> {
    move |event| match event {
        Event::Step { stage, epoch, step, .. } if (stage, epoch, step) == at => {
            ControlFlow::Break(())
        }
        _ => ControlFlow::Continue(()),
    }
}

/// Most rows wait when these checkpoints are written; a run that writes none goes the same way.
#[test]
fn a_run_stopped_while_rows_wait_resumes_to_the_same_weights() {
    for (config, stops) in [
        (whole(Task::Text), [(0, 0, 3), (0, 2, 11), (4, 1, 20)]),
        (config(Task::Text), [(0, 0, 3), (0, 2, 11), (0, 8, 20)]),
    ] {
        let setup = rare_setup(config);
        let whole = setup.fit(None, &mut go_on).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let checkpoints = Checkpoints::new(folder.path().join("c"), setup.fingerprint());
        for at in stops {
            let stopped = setup.fit(Some(&checkpoints), &mut stop_at(at));
            assert!(matches!(stopped, Err(Error::Interrupted)), "{stopped:?}");
        }
        let resumed = setup.fit(Some(&checkpoints), &mut go_on).unwrap();
        let weights = |fitted: &Fitted| weights_of(fitted.model.network());
        assert_eq!(weights(&whole), weights(&resumed));
        assert_eq!(whole.history, resumed.history);
    }
}

#[test]
fn a_checkpoint_with_another_optimiser_s_file_is_refused() {
    let setup = rare_setup(config(Task::Text));
    let folder = tempfile::tempdir().unwrap();
    let checkpoints = Checkpoints::new(folder.path(), setup.fingerprint());
    setup.fit(Some(&checkpoints), &mut stop_at((0, 0, 2))).unwrap_err();
    let file = folder.path().join("optimiser.0");
    let refuse = || {
        let error = setup.fit(Some(&checkpoints), &mut stop_at((0, 0, 3))).unwrap_err();
        error.to_string()
    };
    std::fs::copy(folder.path().join("model.0"), &file).unwrap();
    let foreign = refuse();
    assert!(foreign.contains("optimiser.0") && foreign.contains("its checksum"), "{foreign}");
    std::fs::write(&file, b"not this").unwrap();
    let damaged = refuse();
    assert!(damaged.contains("optimiser.0") && damaged.contains("its checksum"), "{damaged}");
}
