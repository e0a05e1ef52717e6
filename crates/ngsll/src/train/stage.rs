//! The loop over stages, epochs and steps.

use super::checkpoint::{Checkpoints, Position};
use super::optimizer::Optimizer;
use super::{
    EpochRecord, Event, ParamGradients, Part, Progress, Stage, Trained, Trainer, loss, numbered,
    param_gradients,
};
use crate::config::fewest_samples;
use crate::error::{Error, Result};
use crate::evidence::Evidence;
use crate::figures;
use crate::gate::KHotGate;
use crate::generator::{Dropout, Generator};
use crate::network::{Gating, Network};
use crate::objective::{Targets, ValueLoss};
use crate::random::{Purpose, stream};
use crate::representation::{Batch, Encoded};
use burn::module::Module;
use burn::tensor::{Device, Tensor};
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use std::ops::{ControlFlow, Range};
use std::time::{Duration, Instant};

/// Samples in a validation batch: enough to be efficient, and few enough for many threads.
const VALID_BATCH: usize = 64;

/// A small validation part is read with several subsets of each sample, so that about this many are
/// read in all, up to a bound for each sample.
const SUBSET_SAMPLES: usize = 4096;
const MOST_SUBSETS: usize = 8;

/// The number of scales of all terms that are tried before two epochs are compared: from 1 down to a quarter.
const SCALES: usize = 13;

/// Batches whose samples are sorted by length together.
const WINDOW: usize = 16;

/// A checkpoint is written at the end of an epoch and, within one, this often.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(120);

/// Everything that changes while a stage runs; the content of a checkpoint.
pub(super) struct State<G: Generator> {
    pub network: Network<G>,
    pub best: Network<G>,
    pub optimizer: Optimizer,
    pub position: Position,
}

impl<G: Generator> State<G> {
    /// Passes the network to the optimiser by value: with one owner, its numbers are changed in place.
    fn update_network(&mut self, update: impl FnOnce(&mut Optimizer, Network<G>) -> Network<G>) {
        let network = std::mem::replace(&mut self.network, self.best.clone());
        self.network = update(&mut self.optimizer, network);
    }
}

/// A training of one stage that is advanced epoch by epoch.
pub(crate) struct Running<G: Generator> {
    state: State<G>,
}

impl Trainer<'_> {
    /// A training of the first stage, at its start.
    pub fn start<G: Generator>(&self, network: Network<G>, stages: &[Stage]) -> Result<Running<G>> {
        let network = numbered(network);
        let (best, position) = (network.clone(), Position::default());
        let state = State { best, network, optimizer: Optimizer::new(&stages[0]), position };
        Ok(Running { state })
    }

    /// Its validation loss from random subsets, and that from all features with their scores:
    /// [rows, outputs]
    pub fn held_out_losses<G: Generator>(
        &self,
        running: &Running<G>,
        stages: &[Stage],
    ) -> Result<([f64; 2], Vec<f64>)> {
        let (network, device) = (running.state.network.valid(), self.device.clone().inner());
        let from_subsets = self.validate(&network, stages[0].k)?.0;
        let Part { samples, rows, targets, weights } = self.valid;
        let batch = self.batch(samples, rows, &device);
        let all = batch.all_available();
        let scores = network.evidence_scores(&batch, &all, &mut Dropout::off())?;
        let from_all = |&scale: &f64| {
            let scores = network.with_terms_scaled(scores.clone(), scale);
            f64::from(loss(scores, targets, weights, self.config.loss).into_scalar::<f32>())
        };
        let from_all = self.scales(targets).iter().map(from_all).min_by(f64::total_cmp);
        let from_all = from_all.expect("there is a scale");
        Ok(([from_subsets, from_all], scores.into_data().iter::<f64>().collect()))
    }

    /// Runs one more epoch.
    pub fn advance<G: Generator>(&self, running: &mut Running<G>, stages: &[Stage]) -> Result<()> {
        let Running { state } = running;
        self.run_epoch(state, stages, None, &mut |_| ControlFlow::Continue(()))?;
        (state.position.epoch, state.position.step) = (state.position.epoch + 1, 0);
        Ok(())
    }

    /// Runs the given stages, or resumes from the checkpoint.
    pub(super) fn run_stages<G: Generator>(
        &self,
        from: Trained<G>,
        stages: &[Stage],
        which: Range<usize>,
        checkpoints: Option<&Checkpoints>,
        progress: &mut Progress<'_>,
    ) -> Result<Trained<G>> {
        let position =
            Position { stage: which.start, history: from.history, ..Position::default() };
        let mut state = State {
            best: from.network.clone(),
            network: from.network,
            optimizer: Optimizer::new(&stages[which.start]),
            position,
        };
        if let Some(resumed) = checkpoints.map(|c| c.load(&state.network, stages)).transpose()? {
            state = resumed.unwrap_or(state);
        }
        while state.position.stage < which.end {
            match self.run_stage(&mut state, stages, checkpoints, progress) {
                Err(Error::Interrupted) if self.keep_when_stopped => {
                    self.take_what_is_learned(&mut state);
                    break;
                }
                run => run?,
            }
            state.network = state.best.clone();
            let stage = state.position.stage + 1;
            let history = std::mem::take(&mut state.position.history);
            state.position = Position { stage, history, ..Position::default() };
            if let Some(next) = stages.get(stage) {
                state.optimizer = Optimizer::new(next);
            }
        }
        crate::ops::buffer_pool::release();
        Ok(Trained { network: state.best, history: state.position.history })
    }

    /// After an interruption: keeps the best epoch, or the steps of the first one if none is complete.
    fn take_what_is_learned<G: Generator>(&self, state: &mut State<G>) {
        if state.position.history.is_empty() {
            state.update_network(|optimizer, network| optimizer.flush(network));
            state.best = state.network.clone();
        }
    }

    fn run_stage<G: Generator>(
        &self,
        state: &mut State<G>,
        stages: &[Stage],
        checkpoints: Option<&Checkpoints>,
        progress: &mut Progress<'_>,
    ) -> Result<()> {
        let stage = &stages[state.position.stage];
        // A polish that does not help leaves its start untouched.
        let fresh = state.position.epoch == 0 && state.position.step == 0;
        if stage.temperature == 0.0 && fresh {
            state.position.best_loss = self.validate(&state.network.valid(), stage.k)?.0;
        }
        let most = self.stop_after.map_or(stage.max_epochs, |most| most.min(stage.max_epochs));
        while state.position.epoch < most && state.position.stale < stage.patience {
            self.run_epoch(state, stages, checkpoints, progress)?;
            // Here and not when a checkpoint is written: the result must not depend on the clock.
            state.update_network(|optimizer, network| optimizer.flush(network));
            let (valid_loss, valid_metric) = self.validate(&state.network.valid(), stage.k)?;
            let p = &mut state.position;
            let steps = self.steps().max(1) as f64;
            let record = EpochRecord {
                stage: p.stage,
                epoch: p.epoch,
                train_loss: p.loss_sum / steps,
                valid_loss,
                valid_metric,
            };
            if valid_loss < p.best_loss || self.stop_after.is_some() {
                p.best_loss = valid_loss;
                p.stale = 0;
                state.best = state.network.clone();
            } else {
                p.stale += 1;
            }
            p.history.push(record);
            (p.epoch, p.step, p.loss_sum) = (p.epoch + 1, 0, 0.0);
            if let Some(checkpoints) = checkpoints {
                checkpoints.save(state, stages)?;
            }
            let record = state.position.history.last().expect("a record was just added");
            if progress(Event::Epoch { stages, record }).is_break() {
                return Err(Error::Interrupted);
            }
        }
        Ok(())
    }

    fn steps(&self) -> usize {
        self.train.rows.len().div_ceil(self.batch_size())
    }

    fn batch_size(&self) -> usize {
        let fewest = fewest_samples(self.representation.is_screened());
        self.config.batch_size(self.train.rows.len(), fewest)
    }

    fn run_epoch<G: Generator>(
        &self,
        state: &mut State<G>,
        stages: &[Stage],
        checkpoints: Option<&Checkpoints>,
        progress: &mut Progress<'_>,
    ) -> Result<()> {
        let steps = self.steps();
        let Position { stage, epoch, .. } = state.position;
        let batches = self.batches(&mut stream(
            self.seed,
            Purpose::Shuffle,
            stage_epoch_key(stage, epoch),
            0,
        ));
        if epoch > 0 && state.position.step == 0 && stages[stage].final_learning_rate.is_some() {
            let rate = stages[stage].rate(epoch);
            state.update_network(|optimizer, network| optimizer.change_rate(network, rate));
        }
        let mut saved = Instant::now();
        for (step, positions) in batches.iter().enumerate().skip(state.position.step) {
            // On a thread of the pool: from outside, every parallel part of the step would have to
            // wake the pool and wait for it.
            let value = rayon::scope(|_| self.step(state, &stages[stage], positions))?;
            state.position.loss_sum += value;
            state.position.step = step + 1;
            let stop =
                progress(Event::Step { stages, stage, epoch, step: step + 1, steps }).is_break();
            if let Some(checkpoints) = checkpoints
                && (stop || saved.elapsed() > CHECKPOINT_EVERY)
            {
                checkpoints.save(state, stages)?;
                saved = Instant::now();
            }
            if stop {
                return Err(Error::Interrupted);
            }
        }
        Ok(())
    }

    /// The positions of each batch of an epoch, in random order. Texts of similar length go together,
    /// so that there is little padding: lengths are sorted within windows of random samples.
    pub(super) fn batches(&self, rng: &mut ChaCha8Rng) -> Vec<Vec<usize>> {
        let mut order: Vec<usize> = (0..self.train.rows.len()).collect();
        order.shuffle(rng);
        let length = |&position: &usize| self.train.samples.length(self.train.rows[position]);
        for window in order.chunks_mut(self.batch_size() * WINDOW) {
            window.sort_by_key(length);
        }
        let mut batches: Vec<Vec<usize>> =
            order.chunks(self.batch_size()).map(<[usize]>::to_vec).collect();
        batches.shuffle(rng);
        batches
    }

    /// One update; returns the loss before it.
    fn step<G: Generator>(
        &self,
        state: &mut State<G>,
        stage: &Stage,
        positions: &[usize],
    ) -> Result<f64> {
        let rows: Vec<usize> = positions.iter().map(|&i| self.train.rows[i]).collect();
        let words = self.train.samples.words(&rows);
        state.update_network(|optimizer, network| optimizer.catch_up(network, &words));
        let total: f32 = positions.iter().map(|&i| self.train.weights[i]).sum();
        let p = &state.position;
        let results = self.each_shard(positions, p.step, |shard| {
            let at = (stage_epoch_key(p.stage, p.epoch), shard.key);
            self.gradients(&state.network, stage, &shard.positions, total, at)
        })?;
        let (values, gradients): (Vec<f64>, Vec<ParamGradients>) = results.into_iter().unzip();
        let value: f64 = values.iter().sum();
        if !value.is_finite() {
            let what = format!("the loss in stage {} epoch {}", p.stage + 1, p.epoch + 1);
            return Err(diverged(what));
        }
        state.update_network(|optimizer, network| optimizer.step(network, gradients));
        Ok(value)
    }

    /// A shard's part of the loss and of the gradients; `total` is the weight of the whole batch.
    fn gradients<G: Generator>(
        &self,
        network: &Network<G>,
        stage: &Stage,
        positions: &[usize],
        total: f32,
        at: (u64, u64),
    ) -> Result<(f64, ParamGradients)> {
        // Separate leaves: graphs that share any would wait for each other.
        let still = network.valid();
        let network = still.clone().train();
        let rows: Vec<usize> = positions.iter().map(|&i| self.train.rows[i]).collect();
        let batch = self.training_batch(&rows, at);
        let weights: Vec<f32> = positions.iter().map(|&i| self.train.weights[i]).collect();
        let share = weights.iter().sum::<f32>() / total.max(f32::MIN_POSITIVE);
        let [shown, loss] = if self.evidence == Evidence::Chosen {
            self.loss_from_subsets(&network, &still, &batch, positions, at)?
        } else {
            let gate = KHotGate::new(stage.k, stage.temperature)?;
            let mut rng = stream(self.seed, Purpose::Noise, at.0, at.1);
            let gating = if gate.is_hard() {
                Gating::Hard { k: stage.k }
            } else {
                Gating::Soft { gate, noise: self.config.noise, rng: &mut rng }
            };
            let mut dropout = self.dropout(at);
            let scores = network.forward(&batch, gating, &mut dropout)?.scores;
            let loss =
                loss(scores, &self.train.targets.select(positions), &weights, self.config.loss);
            [loss.clone(), loss]
        };
        let value = f64::from(shown.mul_scalar(share).into_scalar::<f32>());
        Ok((value, param_gradients(&network, loss.mul_scalar(share).backward())))
    }

    /// The dropout of a step.
    pub(super) fn dropout(&self, at: (u64, u64)) -> Dropout {
        Dropout::on(stream(self.seed, Purpose::Dropout, at.0, at.1))
    }

    /// A training batch, changed at random if samples of its kind are.
    fn training_batch(&self, rows: &[usize], at: (u64, u64)) -> Batch {
        let mut rng = stream(self.seed, Purpose::Shift, at.0, at.1);
        let samples = self.train.samples;
        match self.representation.augment(samples, rows, self.augmentation, &mut rng) {
            Some(changed) => {
                let rows: Vec<usize> = (0..changed.len()).collect();
                self.batch(&changed, &rows, &self.device)
            }
            None => self.batch(samples, rows, &self.device),
        }
    }

    /// A batch of the samples; for the plain network z is the constant 1.
    fn batch(&self, samples: &Encoded, rows: &[usize], device: &Device) -> Batch {
        let batch = self.representation.batch(samples, rows, device);
        if self.plain_network { batch.plain() } else { batch }
    }

    /// Loss, and accuracy or R², on the validation part; the loss is finite.
    fn validate<G: Generator>(&self, network: &Network<G>, k: usize) -> Result<(f64, f64)> {
        let (loss, metric) = self.evaluate(network, self.valid, k)?;
        if !loss.is_finite() {
            return Err(diverged("the validation loss".into()));
        }
        Ok((loss, metric))
    }

    /// Loss, and accuracy or R², on any part: under the hard gate of size `k` or, if predictions are
    /// made from chosen features, the loss from random subsets, the same ones each time, and the other
    /// from all features.
    pub fn evaluate<G: Generator>(
        &self,
        network: &Network<G>,
        part: &Part<'_>,
        k: usize,
    ) -> Result<(f64, f64)> {
        let device = self.device.clone().inner();
        let mut positions: Vec<usize> = (0..part.rows.len()).collect();
        positions.sort_by_key(|&position| part.samples.length(part.rows[position]));
        let draws = match self.evidence {
            Evidence::Whole => 0,
            Evidence::Chosen => (SUBSET_SAMPLES / positions.len().max(1)).clamp(1, MOST_SUBSETS),
        };
        let scales = self.scales(&part.targets);
        let sums = |(number, positions): (usize, &[usize])| -> Result<EvaluationSums> {
            let rows: Vec<usize> = positions.iter().map(|&i| part.rows[i]).collect();
            let batch = self.batch(part.samples, &rows, &device);
            let targets = part.targets.select(positions);
            let weights: Vec<f32> = positions.iter().map(|&i| part.weights[i]).collect();
            let weight: f64 = weights.iter().map(|&w| f64::from(w)).sum();
            let of = |scores: Tensor<2>, scale: f64| {
                let scores = network.with_terms_scaled(scores, scale);
                f64::from(loss(scores, &targets, &weights, self.config.loss).into_scalar::<f32>())
            };
            let losses =
                |scores: Tensor<2>| scales.iter().map(move |&scale| of(scores.clone(), scale));
            let mut off = Dropout::off();
            let scores = match self.evidence {
                Evidence::Whole => network.forward(&batch, Gating::Hard { k }, &mut off)?.scores,
                Evidence::Chosen => {
                    network.evidence_scores(&batch, &batch.all_available(), &mut off)?
                }
            };
            let mut sums = vec![0.0; scales.len()];
            let mut add = |scores: Tensor<2>| {
                let losses = losses(scores);
                sums.iter_mut().zip(losses).for_each(|(sum, loss)| *sum += weight * loss);
            };
            for draw in 0..draws {
                let at = (number * MOST_SUBSETS + draw) as u64;
                let mut rng = stream(self.seed, Purpose::Subset, u64::MAX, at);
                let kept = self.subset(&batch, &mut rng);
                add(network.evidence_scores(&batch, &kept, &mut off)?);
            }
            if draws == 0 {
                add(scores.clone());
            }
            sums.iter_mut().for_each(|sum| *sum /= draws.max(1) as f64);
            let scores: Vec<f64> = scores.into_data().iter::<f64>().collect();
            let scores = scores.chunks(scores.len() / positions.len());
            let (mut correct, mut squares) = (0, 0.0);
            match &targets {
                Targets::Classes(classes) => {
                    let right = |(c, s): (&usize, &[f64])| self.objective.class(s) == *c;
                    correct = classes.iter().zip(scores).filter(|p| right(*p)).count();
                }
                Targets::Values(values) => {
                    let count = self.config.loss == ValueLoss::Poisson;
                    let read = |score: f64| if count { score.exp() } else { score };
                    let square = |(v, s): (&f32, &[f64])| (f64::from(*v) - read(s[0])).powi(2);
                    squares = values.iter().zip(scores).map(square).sum();
                }
            }
            Ok(EvaluationSums { losses: sums, weight, squares, correct })
        };
        let batches = positions.par_chunks(VALID_BATCH).enumerate();
        let batches: Vec<EvaluationSums> = batches.map(sums).collect::<Result<_>>()?;
        // In order, so that the bits do not depend on the number of threads.
        let sum = |f: fn(&EvaluationSums) -> f64| batches.iter().map(f).sum::<f64>();
        let n = part.rows.len();
        let metric = match &part.targets {
            Targets::Classes(_) => figures::accuracy(batches.iter().map(|b| b.correct).sum(), n),
            Targets::Values(values) => {
                let mean = values.iter().map(|&v| f64::from(v)).sum::<f64>() / n.max(1) as f64;
                let total: f64 = values.iter().map(|&v| (f64::from(v) - mean).powi(2)).sum();
                figures::r2(sum(|b| b.squares), total)
            }
        };
        let of_scale = |at: usize| batches.iter().map(|b| b.losses[at]).sum::<f64>();
        let least = (0..scales.len()).map(of_scale).min_by(f64::total_cmp);
        let weight = sum(|b| b.weight).max(f64::MIN_POSITIVE);
        Ok((least.expect("there is a scale") / weight, metric.unwrap_or(0.0)))
    }

    /// The numbers that terms are multiplied by where losses are compared. A network that will be
    /// calibrated is compared as if it were: an overconfident one may have learned
    /// more.
    fn scales(&self, targets: &Targets) -> Vec<f64> {
        let calibrated = self.evidence == Evidence::Chosen
            && self.config.calibrates()
            && matches!(targets, Targets::Classes(_));
        match calibrated {
            true => (0..SCALES).map(|i| 0.5_f64.powf(i as f64 / 6.0)).collect(),
            false => vec![1.0],
        }
    }
}

/// The contribution of a batch to an evaluation.
struct EvaluationSums {
    /// For each scale.
    losses: Vec<f64>,
    weight: f64,
    squares: f64,
    correct: usize,
}

fn diverged(what: String) -> Error {
    Error::NotFinite { what, hint: "; a lower learning rate usually helps".into() }
}

/// Stage and epoch as one number for the random streams.
fn stage_epoch_key(stage: usize, epoch: usize) -> u64 {
    (stage as u64) << 32 | epoch as u64
}
