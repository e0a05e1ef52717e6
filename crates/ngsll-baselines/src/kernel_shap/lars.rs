//! Least-angle regression (Efron et al. 2004), up to the order in which features enter.
//!
//! Hand-written because linfa's reads the rows themselves, of which only the products are kept here.

use crate::weighted_least_squares::solve;

/// The first `k` features that enter, where `gram(i, j)` gives the products of the columns and
/// `correlations` those with the target; None if columns are linearly dependent.
pub(super) fn select(
    gram: impl Fn(usize, usize) -> f64,
    mut correlations: Vec<f64>,
    k: usize,
) -> Option<Vec<usize>> {
    let m = correlations.len();
    let mut active: Vec<usize> = Vec::new();
    loop {
        let inactive: Vec<usize> = (0..m).filter(|j| !active.contains(j)).collect();
        let stronger = |a: usize, &b: &usize| match correlations[b].abs() > correlations[a].abs() {
            true => b,
            false => a,
        };
        if active.len() == k || inactive.is_empty() {
            return Some(active);
        }
        let next = inactive.iter().fold(inactive[0], stronger);
        active.push(next);
        let largest = correlations[next].abs();
        let signs = active.iter().map(|&i| correlations[i].signum()).collect();
        let direction = solve(|i, j| gram(active[i], active[j]), signs)?;
        // Along this direction the correlations of all active features shrink at the same rate, 1 per
        // unit step; the next feature enters where its own correlation is as large as theirs.
        let shrink: Vec<f64> = (0..m)
            .map(|j| active.iter().zip(&direction).map(|(&i, u)| gram(j, i) * u).sum())
            .collect();
        let step = inactive
            .iter()
            .filter(|&&j| j != next)
            .flat_map(|&j| {
                let (c, a) = (correlations[j], shrink[j]);
                [(largest - c) / (1.0 - a), (largest + c) / (1.0 + a)]
            })
            .filter(|step| *step > 0.0)
            .fold(largest, f64::min);
        correlations.iter_mut().zip(&shrink).for_each(|(c, a)| *c -= step * a);
    }
}
