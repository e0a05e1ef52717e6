//! `ngsll train`

use crate::args::TrainArgs;
use crate::training;
use anyhow::Result;

pub fn run(args: &TrainArgs) -> Result<()> {
    training::run(args, false)
}
