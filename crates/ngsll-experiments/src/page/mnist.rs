//! The accuracy table on MNIST.

use super::{Section, seeds};
use crate::budget::Budget;
use crate::methods::Method;
use crate::store::RunResult;
use crate::table::{MeanOverSeeds, markdown};
use crate::{K, paper};
use ngsll_baselines::AmeConfig;

/// The accuracy table on MNIST, next to the paper's numbers.
pub(crate) fn mnist_accuracy(
    methods: &[&dyn Method],
    ks: &[K],
    results: &[RunResult],
    budget: &Budget,
) -> Section {
    let mut body = ABOUT.to_string();
    body += if budget.select {
        " L and U are selected on the validation part: for NGSLL with and without K-HGM by the loss after the first stage, for \
         DNN by the final accuracy.\n\n"
    } else {
        " L = 1 and U = 128.\n\n"
    };
    if results.iter().any(|result| result.method.starts_with("ame")) {
        body += &format!(
            "An epoch of AME takes minutes, so it was trained for at most {} epochs, where its authors allow 300. Its learning \
             rate of 0.001 is lowered only after {} epochs without progress, and training stops only after {}.\n\n",
            budget.ame_epochs,
            AmeConfig::RATE_PATIENCE,
            AmeConfig::PATIENCE,
        );
    }
    body += &table(methods, ks, results);
    Section { title: "Accuracy on binary-class MNIST".into(), body }
}

fn table(methods: &[&dyn Method], ks: &[K], results: &[RunResult]) -> String {
    let mut header = vec![String::new()];
    for k in ks {
        header.extend([format!("K = {k}"), format!("paper, K = {k}")]);
    }
    header.extend(["all features".to_string(), "seeds".to_string()]);
    let mut rows = Vec::new();
    for method in methods {
        let name = method.name();
        let at = |k: K| MeanOverSeeds::of_results(results, "mnist", name, k);
        let all = at(K::All);
        if ks.iter().all(|&k| at(k).is_none()) && all.is_none() {
            continue;
        }
        let constant = method.ks(ks) == [K::All];
        let mut row = vec![method.title().to_string()];
        for &k in ks {
            let ours = if constant { all } else { at(k) };
            row.push(ours.map_or(String::new(), |spread| spread.show(4)));
            let theirs = paper::mnist_accuracy(name, k);
            row.push(theirs.map_or(String::new(), |(mean, sd)| format!("{mean:.3} ± {sd:.3}")));
        }
        let all = all.filter(|_| !constant);
        row.push(all.map_or(String::new(), |spread| spread.show(4)));
        row.push(seeds(results, "mnist", name).to_string());
        rows.push(row);
    }
    markdown(&header, &rows)
}

const ABOUT: &str = "Accuracy on MNIST's test images, digits 0–4 against 5–9: mean ± standard deviation over the seeds. Each seed \
    splits the training images anew, 11 for training to 1 for validation (55,000/5,000). DNN, AME and the random forest use the \
    whole image and have one value for every K. \"All features\" is, without K-HGM, the model as trained, and for linear models all \
    cells with an intercept. At K, linear models keep their K largest weights, as in the paper, and no intercept, which the paper \
    does not mention; refitted at K, those features get new weights and an intercept by least squares. NGSLL has a learned \
    intercept in addition to its K terms, except with the preset paper.";
