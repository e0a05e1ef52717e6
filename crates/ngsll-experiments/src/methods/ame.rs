//! AME, the attentive mixture of experts, on images.

use super::{Done, Found, Method};
use crate::budget::Budget;
use crate::pool::Watch;
use crate::problem::Problem;
use crate::{Dataset, K};
use ngsll::data::{Chunk, Images, Samples};
use ngsll::error::Result;
use ngsll::fit::Prepared;
use ngsll::objective::Targets;
use ngsll_baselines::{Ame, AmeConfig, AmeEvent, LabelledImages};
use std::ops::ControlFlow;

/// AME with a weight α of its Granger objective.
pub(super) struct Attentive {
    name: &'static str,
    title: &'static str,
    alpha: f64,
}

/// An epoch takes about as long as so many of the image network.
const EPOCH: f64 = 16.0;

/// Without the Granger objective.
pub(super) const PLAIN: Attentive = Attentive { name: "ame-0", title: "AME, α = 0", alpha: 0.0 };
/// With it.
pub(super) const GRANGER: Attentive =
    Attentive { name: "ame-0.05", title: "AME, α = 0.05", alpha: 0.05 };

impl Attentive {
    fn config(&self, problem: &Problem<'_>) -> AmeConfig {
        AmeConfig::default()
            .alpha(self.alpha)
            .max_epochs(problem.budget.ame_epochs)
            .seed(problem.seed)
    }
}

impl Method for Attentive {
    fn name(&self) -> &'static str {
        self.name
    }

    fn title(&self) -> &'static str {
        self.title
    }

    fn runs_on(&self, dataset: Dataset) -> bool {
        dataset == Dataset::Mnist
    }

    fn ks(&self, _: &[K]) -> Vec<K> {
        vec![K::All]
    }

    /// An epoch takes minutes.
    fn most_seeds(&self, budget: &Budget, _: Dataset) -> u64 {
        budget.ame_seeds
    }

    fn configuration(&self, problem: &Problem<'_>) -> Result<String> {
        Ok(format!("{:?}", self.config(problem)))
    }

    fn trainings(&self, problem: &Problem<'_>, _: &[K]) -> f64 {
        let epochs = problem.config().training.epochs.unwrap_or(1);
        EPOCH * problem.budget.ame_epochs as f64 / epochs as f64
    }

    fn run(
        &self,
        problem: &Problem<'_>,
        _: &[K],
        watch: &mut Watch<'_>,
        done: &mut Done<'_>,
    ) -> Result<()> {
        let (config, prepared) = (self.config(problem), problem.prepare(problem.config())?);
        let part = |chunk: Chunk| Part::new(&prepared, chunk);
        let (train, valid) = (part(problem.train(&prepared))?, part(problem.valid(&prepared))?);
        let test = part(problem.test(&prepared))?;
        let classes = prepared.objective.classes().len();
        let ame =
            Ame::fit(
                &config,
                train.labelled(),
                valid.labelled(),
                classes,
                &mut |event| match event {
                    AmeEvent::Step { epoch, step, steps } => {
                        watch.come_to(EPOCH * (epoch as f64 + step as f64 / steps as f64))
                    }
                    AmeEvent::Epoch(record) => watch.come_to(EPOCH * (record.epoch + 1) as f64),
                    _ => ControlFlow::Continue(()),
                },
            )?;
        done(Found {
            k: K::All,
            test: ame.accuracy(test.labelled())?,
            valid: ame.accuracy(valid.labelled())?,
            configuration: format!("epochs={} of at most {}", ame.history.len(), config.max_epochs),
            predictor: None,
        })
    }
}

/// Images with their classes.
struct Part {
    images: Images,
    classes: Vec<usize>,
}

impl Part {
    fn new(prepared: &Prepared, chunk: Chunk) -> Result<Self> {
        let Targets::Classes(classes) = prepared.objective.targets(&chunk)? else {
            unreachable!("the paper's data sets have classes")
        };
        let Samples::Images(images) = chunk.samples else {
            unreachable!("AME runs on images alone")
        };
        Ok(Self { images, classes })
    }

    fn labelled(&self) -> LabelledImages<'_> {
        LabelledImages { images: &self.images, labels: &self.classes }
    }
}
