//! `ngsll reproduce`

use crate::args::{ExperimentArg, ReproduceArgs};
use crate::interrupt;
use crate::output::{check_writable, tell};
use crate::progress::GridProgress;
use anyhow::Result;
use ngsll::Error;
use ngsll_experiments::{Experiment, Request, reproduce};

pub fn run(args: &ReproduceArgs) -> Result<()> {
    let request = request(args);
    request.check()?;
    check_writable(&args.out)?;
    interrupt::listen();
    let progress = GridProgress::new(args.quiet);
    let result = reproduce(&request, &progress);
    progress.finish();
    result.map_err(|error| match error {
        Error::Interrupted => anyhow::Error::new(error)
            .context("stopped; the same command goes on from the finished cells"),
        error => error.into(),
    })?;
    if !args.quiet {
        tell(format_args!("written: {}", args.out.join("README.md").display()));
    }
    Ok(())
}

fn request(args: &ReproduceArgs) -> Request {
    let experiments = match args.experiment {
        ExperimentArg::MnistAccuracy => vec![Experiment::MnistAccuracy],
        ExperimentArg::MnistTime => vec![Experiment::MnistTime],
        ExperimentArg::TextAccuracy => vec![Experiment::TextAccuracy],
        ExperimentArg::MnistWeights => vec![Experiment::MnistWeights],
        ExperimentArg::TrecWeights => vec![Experiment::TrecWeights],
        ExperimentArg::All => Experiment::ALL.to_vec(),
    };
    // Where the program lies says nothing about the results.
    let command: Vec<String> =
        std::env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned()).collect();
    Request {
        experiments,
        data: args.data.clone(),
        out: args.out.clone(),
        seeds: args.seeds,
        ks: args.k.clone(),
        methods: args.methods.clone(),
        quick: args.quick,
        jobs: args
            .jobs
            .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)),
        epochs: args.epochs,
        command: format!("ngsll {}", command.join(" ")),
    }
}
