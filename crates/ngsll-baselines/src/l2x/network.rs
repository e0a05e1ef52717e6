//! The selector, the predictor, and the relaxed choice between them.

use burn::module::Module;
use burn::tensor::activation::{log_softmax, softmax};
use burn::tensor::{Device, Tensor, TensorData};
use ngsll::TrainingSetup;
use ngsll::error::Result;
use ngsll::gate::hard::top_k;
use ngsll::generator::layers::Init;
use ngsll::generator::{BuiltIn, Dropout, Generator};
use ngsll::network::{Gating, Network};
use ngsll::random::{Purpose, gumbel, stream};
use ngsll::representation::Batch;
use rand_chacha::ChaCha8Rng;

/// Subtracted from the logits of features that the sample does not have.
const CLOSED: f32 = 1e9;

/// A network that rates the features of a sample, and one that predicts from the chosen ones.
#[derive(Module, Debug)]
pub(super) struct SelectorAndPredictor {
    selector: BuiltIn,
    predictor: Network<BuiltIn>,
}

impl SelectorAndPredictor {
    /// The network of the setup's options as selector, with one number for each feature, and its plain
    /// network as predictor.
    pub fn new(setup: &TrainingSetup, seed: u64, device: &Device) -> Result<Self> {
        let mut rng = stream(seed, Purpose::Initialize, 0, 1);
        let mut init = Init::new(&mut rng, device);
        let mut dims = setup.dims();
        dims.outputs = 1;
        let selector = setup.config().generator.build(dims, &mut init)?;
        Ok(Self { selector, predictor: setup.plain_network(seed)? })
    }

    /// Logits of the features: [batch, slots]; those that a sample does not have are closed.
    pub fn logits(&self, batch: &Batch, dropout: &mut Dropout) -> Tensor<2> {
        let logits = self.selector.forward(&batch.x, &batch.active, dropout);
        logits.squeeze_dim::<2>(1) - batch.mask.clone() * CLOSED
    }

    /// The scores from x multiplied by the factors of its features: [batch, outputs]
    pub fn scores(
        &self,
        batch: &Batch,
        factors: &Tensor<2>,
        dropout: &mut Dropout,
    ) -> Result<Tensor<2>> {
        let mut plain = batch.clone().plain();
        plain.x = batch.scaled(factors, 0.0);
        Ok(self.predictor.forward(&plain, Gating::Hard { k: 1 }, dropout)?.scores)
    }

    /// The K features with the largest logits of each sample, as slots.
    pub fn chosen(&self, batch: &Batch, k: usize) -> Vec<Vec<usize>> {
        let logits = self.logits(batch, &mut Dropout::off());
        let [_, slots] = logits.dims();
        let logits: Vec<f32> = logits.into_data().iter::<f32>().collect();
        let closed: Vec<f32> = batch.mask.clone().into_data().iter::<f32>().collect();
        let rows = logits.chunks_exact(slots).zip(closed.chunks_exact(slots));
        rows.map(|(logits, closed)| top_k(logits, closed, k)).collect()
    }
}

/// 1 in the chosen slots: [batch, slots]
pub(super) fn marks(batch: &Batch, chosen: &[Vec<usize>]) -> Tensor<2> {
    let slots = batch.active.slots;
    let mut marks = vec![0.0_f32; chosen.len() * slots];
    for (b, chosen) in chosen.iter().enumerate() {
        chosen.iter().for_each(|slot| marks[b * slots + slot] = 1.0);
    }
    Tensor::from_data(TensorData::new(marks, [chosen.len(), slots]), &batch.z.device())
}

/// The relaxed choice: the elementwise maximum of K draws of a Gumbel-softmax over the features.
///
/// logits: [batch, slots] → [batch, slots], near 1 where a feature was drawn
pub(super) fn relaxed_choice(
    logits: Tensor<2>,
    k: usize,
    temperature: f64,
    rng: &mut ChaCha8Rng,
) -> Tensor<2> {
    let [batch, slots] = logits.dims();
    let noise = TensorData::new(gumbel(rng, batch * k * slots), [batch, k, slots]);
    let noise = Tensor::<3>::from_data(noise, &logits.device());
    let draws = log_softmax(logits, 1).unsqueeze_dim::<3>(1) + noise;
    softmax(draws.div_scalar(temperature), 2).max_dim(1).squeeze_dim(1)
}
