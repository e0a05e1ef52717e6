//! AME, the attentive mixture of experts, on images.

use super::{Done, Method, Outcome};
use crate::budget::Budget;
use crate::split::SeededSplit;
use crate::{K, PaperDataset};
use ngsll::error::Result;
use ngsll::objective::Targets;
use ngsll::{Dataset, Samples, TrainingSetup};
use ngsll_baselines::{Ame, AmeConfig, AmeEvent, LabelledImages};
use ngsll_jobs::JobProgress;
use std::ops::ControlFlow;

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
        let config = AmeConfig::default().alpha(self.alpha).seed(split.seed);
        config.max_epochs(split.budget.ame_epochs)
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
        let (config, setup) = (self.config(split), split.setup(split.config())?);
        let train = ImagePart::new(&setup, split.train(&setup))?;
        let valid = ImagePart::new(&setup, split.valid(&setup))?;
        let test = ImagePart::new(&setup, split.test(&setup))?;
        let classes = setup.objective().classes().len();
        let mut on_event = |event: AmeEvent<'_>| match event {
            AmeEvent::Step { epoch, step, steps } => {
                progress.advance_to(EPOCH * (epoch as f64 + step as f64 / steps as f64))
            }
            AmeEvent::Epoch(record) => progress.advance_to(EPOCH * (record.epoch + 1) as f64),
            _ => ControlFlow::Continue(()),
        };
        let ame = Ame::fit(&config, train.view(), valid.view(), classes, &mut on_event)?;
        done(Outcome {
            k: K::All,
            test: ame.accuracy(test.view())?,
            valid: ame.accuracy(valid.view())?,
            configuration: format!(
                "epochs={} of at most {}",
                ame.history.len(),
                split.budget.ame_epochs
            ),
            model: None,
        })
    }
}

/// The images of one part, with the numbers of their classes.
struct ImagePart {
    data: Dataset,
    classes: Vec<usize>,
}

impl ImagePart {
    fn new(setup: &TrainingSetup, data: Dataset) -> Result<Self> {
        let Targets::Classes(classes) = setup.objective().targets(&data)? else {
            unreachable!("the paper's data sets have classes")
        };
        Ok(Self { data, classes })
    }

    fn view(&self) -> LabelledImages<'_> {
        let Samples::Images(images) = self.data.samples() else {
            unreachable!("AME runs on images only")
        };
        LabelledImages::new(images, &self.classes)
    }
}
