//! Rules without a network: the cells with the most ink, the rarest words, any features.

use super::numbering::Numbering;
use super::{JudgedMethod, OnPicks, Work};
use ngsll::error::Result;
use ngsll::random::{Purpose, stream};
use ngsll::{Evidence, TrainingSetup};
use rand::seq::SliceRandom;
use std::time::Instant;

pub(super) fn run(work: &Work<'_>, done: &mut OnPicks<'_>) -> Result<()> {
    let (setup, numbering) = work.setup(Evidence::Chosen)?;
    for method in [JudgedMethod::MostInk, JudgedMethod::RarestWord, JudgedMethod::Random] {
        let ks = work.ks(method);
        if ks.is_empty() {
            continue;
        }
        let started = Instant::now();
        let orders = match method {
            JudgedMethod::MostInk => by_ink(&numbering),
            JudgedMethod::RarestWord => by_rarity(work, &setup, &numbering)?,
            _ => at_random(work, &numbering),
        };
        let time = started.elapsed();
        for k in ks {
            let top = |order: &Vec<usize>| order.iter().copied().take(k).collect();
            done(method, k, work.picks(None, orders.iter().map(top).collect(), time))?;
        }
    }
    Ok(())
}

fn rows(numbering: &Numbering) -> std::ops::Range<usize> {
    0..numbering.encoded.len()
}

/// Cells by falling ink.
fn by_ink(numbering: &Numbering) -> Vec<Vec<usize>> {
    let order = |row: usize| {
        let z = numbering.representation.z(&numbering.encoded, row);
        let mut cells: Vec<(u32, f32)> = z.indices.into_iter().zip(z.values).collect();
        cells.retain(|(_, ink)| *ink != 0.0);
        cells.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        cells.into_iter().map(|(j, _)| j as usize).collect()
    };
    rows(numbering).map(order).collect()
}

/// Words by the number of training texts that hold them, the fewest first.
fn by_rarity(
    work: &Work<'_>,
    setup: &TrainingSetup,
    numbering: &Numbering,
) -> Result<Vec<Vec<usize>>> {
    let representation = &numbering.representation;
    let encoded = representation.encode(work.prepared.samples.samples())?;
    let mut texts = vec![0_usize; representation.features()];
    for &row in &setup.rows().train {
        representation.listed(&encoded, row).into_iter().for_each(|word| texts[word] += 1);
    }
    let order = |row: usize| {
        let mut words = numbering.available(row).to_vec();
        words.sort_by_key(|&word| (texts[word], word));
        words
    };
    Ok(rows(numbering).map(order).collect())
}

fn at_random(work: &Work<'_>, numbering: &Numbering) -> Vec<Vec<usize>> {
    let order = |row: usize| {
        let mut features = numbering.available(row).to_vec();
        features.shuffle(&mut stream(work.prepared.seed, Purpose::Sample, 1, row as u64));
        features
    };
    rows(numbering).map(order).collect()
}
