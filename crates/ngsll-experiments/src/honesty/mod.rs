//! The comparison of honesty: how much are the features that each method names worth to an independent
//! judge?
//!
//! | module | contents |
//! |---|---|
//! | `size` | the amount of computation |
//! | `sets` | the data sets, among them planted ones, whose reasons are known |
//! | `methods` | how each method names features |
//! | `comparison` | the results that are needed, and the jobs that compute them |
//! | `judging` | the judge's predictions from the named features |
//! | `result`, `page` | results, tables and figures |

mod comparison;
mod judging;
mod methods;
mod page;
mod result;
mod sets;
mod size;

pub use methods::names as method_names;
pub(crate) use page::HEADING;

use crate::K;
use crate::dataset::LoadedDataset;
use crate::page::{assemble, failure_notes};
use crate::png_copies::PngCopies;
use crate::reproduce::draw;
use crate::request::{PAGE, PICKS, Request};
use crate::store::Store;
use comparison::Comparison;
use ngsll::error::{Error, Result};
use ngsll_jobs::{Failure, Observer, write_atomic};
use sets::JudgedSet;
use size::Size;
use std::collections::HashMap;
use std::sync::Mutex;

/// Refuses methods and K unknown to the comparison.
pub(crate) fn check(request: &Request) -> Result<()> {
    methods::by_names(request.methods.as_deref())?;
    sets(request)?;
    match request.ks.iter().flatten().find(|k| **k == K::All) {
        Some(k) => Err(Error::setting(
            "k",
            k,
            "numbers only: with all features there is nothing to choose",
        )),
        None => Ok(()),
    }
}

/// Computes the missing results and writes `results.csv`, the figures and the page.
pub(crate) fn reproduce(request: &Request, observer: &dyn Observer) -> Result<Vec<Failure>> {
    run(request, Size::of(request), sets(request)?, observer)
}

/// The names of all data sets, as [`Request::sets`] takes them.
pub fn set_names() -> Vec<String> {
    JudgedSet::ALL.into_iter().map(JudgedSet::name).collect()
}

/// The requested data sets, in the order of the page.
fn sets(request: &Request) -> Result<Vec<JudgedSet>> {
    let Some(asked) = &request.sets else { return Ok(JudgedSet::ALL.to_vec()) };
    let names = set_names();
    if let Some(unknown) = asked.iter().find(|name| !names.contains(name)) {
        let expected = format!("expected some of {}", names.join(","));
        return Err(Error::setting("sets", unknown, expected));
    }
    Ok(JudgedSet::ALL.into_iter().filter(|set| asked.contains(&set.name())).collect())
}

fn run(
    request: &Request,
    size: Size,
    sets: Vec<JudgedSet>,
    observer: &dyn Observer,
) -> Result<Vec<Failure>> {
    let load = |set: &JudgedSet| match set {
        JudgedSet::Paper(dataset) => Some(LoadedDataset::load(*dataset, &request.data)),
        _ => None,
    };
    let loaded = sets.iter().filter_map(load).collect::<Result<Vec<_>>>()?;
    let results = Store::open(&request.out)?;
    let picks = Store::open(&request.out.join(PICKS))?;
    let comparison = Comparison {
        loaded: &loaded,
        size,
        sets,
        methods: methods::by_names(request.methods.as_deref())?,
        ks: request.ks.as_ref().map(|ks| numbers(ks)),
        results: &results,
        picks: &picks,
        judges: Mutex::new(HashMap::new()),
    };
    let specs = comparison.specs();
    let first = comparison.first_round(&specs)?;
    let mut failures = ngsll_jobs::run(first, request.jobs, 1, observer, |task, job| {
        comparison.compute(task, job)
    })?;
    let second = comparison.second_round(&specs)?;
    failures.extend(ngsll_jobs::run(second, request.jobs, 1, observer, |t, job| {
        comparison.judge_all(t, job)
    })?);
    let found = comparison.results(&specs)?;
    write_atomic(&request.out.join("results.csv"), result::csv(&found).as_bytes())?;
    let copies = PngCopies::new();
    let figure = |name: &str, svg: &str| draw(&request.out, name, svg, &copies);
    let sections = page::sections(&found, figure)?;
    let mut notes = failure_notes(&failures);
    notes.extend(copies.note().map(String::from));
    let page = assemble(
        &format!("{HEADING}\n\n{}", page::INTRODUCTION),
        &page::facts(&request.command, &found),
        &comparison.size.omissions(request),
        &notes,
        &sections,
    );
    write_atomic(&request.out.join(PAGE), page.as_bytes())?;
    Ok(failures)
}

/// The numbers among the requested K, ascending and without duplicates.
fn numbers(ks: &[K]) -> Vec<usize> {
    let mut numbers: Vec<usize> = ks.iter().filter_map(|k| k.top()).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

#[cfg(test)]
mod tests;
