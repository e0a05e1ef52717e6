//! AME, the attentive mixture of experts, on images.

use super::{Done, Method, Outcome};
use crate::budget::Budget;
use crate::pool::JobProgress;
use crate::split::SeededSplit;
use crate::{K, PaperDataset};
use ngsll::data::{Chunk, Images, Samples};
use ngsll::error::Result;
use ngsll::fit::Prepared;
use ngsll::objective::Targets;
use ngsll_baselines::ame::{AmeEvent, Labelled};
use ngsll_baselines::{Ame, AmeConfig};

/// AME, with weight α for its Granger objective.
pub(super) struct AttentiveMixture {
    name: &'static str,
    title: &'static str,
    alpha: f64,
}

/// The duration of an epoch, in epochs of the image network.
const EPOCH: f64 = 16.0;

/// Without and with the Granger objective, as in the paper.
pub(super) const VARIANTS: [AttentiveMixture; 2] = [
    AttentiveMixture { name: "ame-0", title: "AME, α = 0", alpha: 0.0 },
    AttentiveMixture { name: "ame-0.05", title: "AME, α = 0.05", alpha: 0.05 },
];

impl AttentiveMixture {
    fn config(&self, split: &SeededSplit<'_>) -> AmeConfig {
        AmeConfig {
            alpha: self.alpha,
            max_epochs: split.budget.ame_epochs,
            seed: split.seed,
            ..AmeConfig::default()
        }
    }
}

impl Method for AttentiveMixture {
    fn name(&self) -> &'static str {
        self.name
    }

    fn title(&self) -> &'static str {
        self.title
    }

    fn runs_on(&self, dataset: PaperDataset) -> bool {
        dataset == PaperDataset::Mnist
    }

    /// Few, because an epoch takes minutes.
    fn max_seeds(&self, budget: &Budget, _: PaperDataset) -> u64 {
        budget.ame_seeds
    }

    fn configuration(&self, split: &SeededSplit<'_>) -> Result<String> {
        Ok(format!("{:?}", self.config(split)))
    }

    fn trainings(&self, split: &SeededSplit<'_>, _: &[K]) -> f64 {
        let epochs = split.config().training.epochs.unwrap_or(1);
        EPOCH * split.budget.ame_epochs as f64 / epochs as f64
    }

    fn run(
        &self,
        split: &SeededSplit<'_>,
        _: &[K],
        progress: &mut JobProgress<'_>,
        done: &mut Done<'_>,
    ) -> Result<()> {
        let (config, prepared) = (self.config(split), split.prepare(split.config())?);
        let labelled = |chunk: Chunk| LabelledImages::new(&prepared, chunk);
        let train = labelled(split.train(&prepared))?;
        let valid = labelled(split.valid(&prepared))?;
        let test = labelled(split.test(&prepared))?;
        let classes = prepared.objective.classes().len();
        let ame =
            Ame::fit(&config, train.view(), valid.view(), classes, &mut |event| match event {
                AmeEvent::Step { epoch, step, steps } => {
                    progress.advance_to(EPOCH * (epoch as f64 + step as f64 / steps as f64))
                }
                AmeEvent::Epoch(record) => progress.advance_to(EPOCH * (record.epoch + 1) as f64),
            })?;
        done(Outcome {
            k: K::All,
            test: ame.accuracy(test.view())?,
            valid: ame.accuracy(valid.view())?,
            configuration: format!("epochs={} of at most {}", ame.history.len(), config.max_epochs),
            predictor: None,
        })
    }
}

/// Images with their classes.
struct LabelledImages {
    images: Images,
    classes: Vec<usize>,
}

impl LabelledImages {
    fn new(prepared: &Prepared, chunk: Chunk) -> Result<Self> {
        let Targets::Classes(classes) = prepared.objective.targets(&chunk)? else {
            unreachable!("the paper's data sets have classes")
        };
        let Samples::Images(images) = chunk.samples else {
            unreachable!("AME runs on images only")
        };
        Ok(Self { images, classes })
    }

    fn view(&self) -> Labelled<'_> {
        Labelled { images: &self.images, labels: &self.classes }
    }
}
