//! The numbers stated in the paper: the authors' results, on their machine.

use crate::K;

/// The accuracies of the paper's table `tab:experiment:mnist_acc`: mean and standard deviation over five splits.
pub(crate) fn mnist_accuracy(method: &str, k: K) -> Option<(f64, f64)> {
    let at = |values: [(f64, f64); 3]| match k {
        K::Top(1) => Some(values[0]),
        K::Top(5) => Some(values[1]),
        K::Top(10) => Some(values[2]),
        _ => None,
    };
    match method {
        "ngsll" | "ngsll-paper" => at([(0.994, 0.000), (0.995, 0.001), (0.994, 0.000)]),
        "dense" | "dense-paper" => at([(0.967, 0.009), (0.991, 0.001), (0.991, 0.001)]),
        "ridge" => at([(0.526, 0.000), (0.561, 0.000), (0.582, 0.002)]),
        "lasso" => at([(0.523, 0.005), (0.549, 0.001), (0.582, 0.003)]),
        // The same for every K.
        "ame-0" => Some((0.973, 0.003)),
        "ame-0.05" => Some((0.977, 0.001)),
        "dnn" => Some((0.992, 0.001)),
        _ => None,
    }
}

/// The milliseconds of the paper's table `tab:experiment:mnist_time`, mean and standard deviation; for the
/// forest's prediction the text states only a mean.
pub(crate) fn mnist_time(method: &str, k: K) -> Option<(f64, Option<f64>)> {
    match (method, k) {
        ("ngsll", K::Top(1)) => Some((2.55, Some(0.04))),
        ("ngsll", K::Top(5)) => Some((6.19, Some(0.07))),
        ("ngsll", K::Top(10)) => Some((10.76, Some(0.17))),
        ("kernel-shap", _) => Some((699.65, Some(60.39))),
        ("lime", _) => Some((1109.95, Some(22.11))),
        ("forest", _) => Some((0.6, None)),
        _ => None,
    }
}
