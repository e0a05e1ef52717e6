//! `ngsll examples`: small files to try the other commands on. All of them are made up here, from a fixed seed.

mod people;
mod reviews;
mod shapes;

use crate::args::ExamplesArgs;
use crate::output::Output;
use crate::shell::quoted;
use anyhow::{Context, Result};
use ngsll::Error;
use ngsll::model_folder::refuse_existing;
use ngsll::random::{Purpose, stream};
use ngsll::readable::count;
use rand::RngExt;
use rand::seq::IndexedRandom;
use std::io::Write;
use std::path::Path;

/// The seed of all files.
const SEED: u64 = 1;

/// The source of random numbers.
type Rng = rand_chacha::ChaCha8Rng;

pub fn run(args: &ExamplesArgs) -> Result<()> {
    refuse_existing(&args.out)?;
    let rng = |file| stream(SEED, Purpose::Sample, file, 0);
    let (reviews, new_reviews) = reviews::files(&mut rng(1));
    let (people, new_people) = people::files(&mut rng(2));
    for (name, text) in [
        ("reviews.csv", reviews),
        ("new-reviews.csv", new_reviews),
        ("people.csv", people),
        ("new-people.csv", new_people),
    ] {
        write(&args.out.join(name), text.as_bytes())?;
    }
    for (name, png) in shapes::files(&mut rng(3))? {
        write(&args.out.join("shapes").join(name), &png)?;
    }
    let folder = args.out.display().to_string();
    let folder = quoted(folder.trim_end_matches('/'));
    let mut out = Output::open(None)?;
    writeln!(
        out,
        "Made-up examples are in {folder}:\n  \
         reviews.csv     {} film reviews, each positive or negative; new-reviews.csv has more, without labels\n  \
         people.csv      {} people with their income, for a table; new-people.csv has {} more\n  \
         shapes/         {} pictures of circles, crosses and squares\n\
         What to try next:\n  \
         ngsll train --task text --data {folder}/reviews.csv --target sentiment --k 3 --out reviews-model\n  \
         ngsll explain reviews-model --data {folder}/new-reviews.csv",
        count(reviews::ROWS),
        count(people::ROWS),
        count(people::NEW_ROWS),
        count(shapes::IMAGES),
    )?;
    out.finish()
}

/// Writes a new file, and creates missing folders.
fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let folder = path.parent().context("a file has a folder")?;
    std::fs::create_dir_all(folder).map_err(|e| Error::io(folder, "make", e))?;
    std::fs::write(path, bytes).map_err(|e| Error::io(path, "write", e))?;
    Ok(())
}

/// An element of a list, each with equal probability.
fn pick<T: Copy>(list: &[T], rng: &mut Rng) -> T {
    *list.choose(rng).expect("no list is empty")
}

/// True with this probability.
fn chance(share: f64, rng: &mut Rng) -> bool {
    rng.random_bool(share)
}
