//! Ridge and lasso: one linear model over z for all samples.

use super::{Done, Method, Outcome, with_all, without_all};
use crate::split::SeededSplit;
use crate::{K, PaperDataset};
use ngsll::error::Result;
use ngsll::objective::Targets;
use ngsll::{Dataset, TrainingSetup};
use ngsll_baselines::{LassoOptions, LinearModel, RidgeOptions, SparseRows, Terms};
use ngsll_jobs::JobProgress;

/// The penalty on the weights; cross-validation on the training part selects its strength.
#[derive(Clone, Copy)]
enum Penalty {
    Ridge,
    Lasso,
}

/// Least squares with a penalty. At K it keeps its K largest weights, as in the paper's comparison, or
/// refits those features; with all features there is always an intercept.
pub(super) struct LinearMethod {
    name: &'static str,
    title: &'static str,
    penalty: Penalty,
    /// Whether the K features are refitted, with an intercept.
    refitted: bool,
}

/// As in the paper, and with the K features refitted: their weights then do not depend on features that
/// are left out, which is how NGSLL's K weights are trained.
pub(super) const VARIANTS: [LinearMethod; 4] = [
    LinearMethod { name: "ridge", title: "Ridge", penalty: Penalty::Ridge, refitted: false },
    LinearMethod { name: "lasso", title: "Lasso", penalty: Penalty::Lasso, refitted: false },
    LinearMethod {
        name: "ridge-refitted",
        title: "Ridge, refitted at K",
        penalty: Penalty::Ridge,
        refitted: true,
    },
    LinearMethod {
        name: "lasso-refitted",
        title: "Lasso, refitted at K",
        penalty: Penalty::Lasso,
        refitted: true,
    },
];

/// Which class wins among equal scores; part of the fingerprint.
const TIES: &str = "ties to the most frequent class";

impl LinearMethod {
    fn fit(
        &self,
        rows: &SparseRows,
        classes: &[usize],
        n: usize,
        seed: u64,
    ) -> Result<LinearModel> {
        match self.penalty {
            Penalty::Ridge => LinearModel::ridge(rows, classes, n, &ridge_options(seed)),
            Penalty::Lasso => LinearModel::lasso(rows, classes, n, &lasso_options(seed)),
        }
    }
}

fn ridge_options(seed: u64) -> RidgeOptions {
    RidgeOptions::default().seed(seed)
}

fn lasso_options(seed: u64) -> LassoOptions {
    LassoOptions::default().seed(seed)
}

impl Method for LinearMethod {
    fn name(&self) -> &'static str {
        self.name
    }

    fn title(&self) -> &'static str {
        self.title
    }

    fn runs_on(&self, _: PaperDataset) -> bool {
        true
    }

    fn is_linear(&self) -> bool {
        true
    }

    /// With all features, refitted or not is the same model; only one of the two rows has it.
    fn ks(&self, requested: &[K]) -> Vec<K> {
        match self.refitted {
            true => without_all(requested),
            false => with_all(requested),
        }
    }

    fn configuration(&self, split: &SeededSplit<'_>) -> Result<String> {
        let options = match self.penalty {
            Penalty::Ridge => format!("{:?}", ridge_options(split.seed)),
            Penalty::Lasso => format!("{:?}", lasso_options(split.seed)),
        };
        Ok(format!("{options} {TIES} {:?}", split.config().representation))
    }

    fn trainings(&self, _: &SeededSplit<'_>, _: &[K]) -> f64 {
        0.1
    }

    fn run(
        &self,
        split: &SeededSplit<'_>,
        ks: &[K],
        _: &mut JobProgress<'_>,
        done: &mut Done<'_>,
    ) -> Result<()> {
        let setup = split.setup(split.config())?;
        let n_classes = setup.objective().classes().len();
        let (rows, classes) = z(&setup, &split.train(&setup))?;
        let model = self.fit(&rows, &classes, n_classes, split.seed)?;
        let (valid_rows, valid_classes) = z(&setup, &split.valid(&setup))?;
        let (test_rows, test_classes) = z(&setup, &split.test(&setup))?;
        for &k in ks {
            let refitted;
            let (model, terms) = match k {
                K::All => (&model, Terms::All),
                K::Top(k) if self.refitted => {
                    refitted = model.refitted(&rows, &classes, k)?;
                    (&refitted, Terms::All)
                }
                K::Top(k) => (&model, Terms::Top(k)),
            };
            done(Outcome {
                k,
                test: model.accuracy(&test_rows, &test_classes, terms),
                valid: model.accuracy(&valid_rows, &valid_classes, terms),
                configuration: format!("alpha={:.3e}", model.alpha()),
                model: None,
            })?;
        }
        Ok(())
    }
}

/// z of every sample, and the classes.
pub(super) fn z(setup: &TrainingSetup, data: &Dataset) -> Result<(SparseRows, Vec<usize>)> {
    let Targets::Classes(classes) = setup.objective().targets(data)? else {
        unreachable!("the paper's data sets have classes")
    };
    let representation = setup.representation();
    let encoded = representation.encode(data.samples())?;
    let rows = (0..data.len()).map(|row| representation.z(&encoded, row));
    Ok((SparseRows::from_rows(rows, representation.features())?, classes))
}
