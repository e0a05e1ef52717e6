//! The commands that reproduce the paper.

use clap::builder::PossibleValue;
use clap::{Args, Subcommand, ValueEnum};
use ngsll_experiments::Experiment;
use std::path::PathBuf;
use std::sync::LazyLock;

#[derive(Debug, Args)]
pub struct DataArgs {
    #[command(subcommand)]
    pub command: DataCommand,
}

#[derive(Debug, Subcommand)]
pub enum DataCommand {
    /// Download a data set, check it and convert it
    Get(GetArgs),
}

#[derive(Debug, Args)]
pub struct GetArgs {
    /// mnist, mpqa, subj or trec
    #[arg(value_name = "DATASET")]
    pub dataset: ngsll_experiments::PaperDataset,
    /// Folder that holds the data sets
    #[arg(long, value_name = "DIR", default_value = "data")]
    pub dir: PathBuf,
    /// Alternative folder or URL for the files
    #[arg(long, value_name = "FOLDER-OR-URL")]
    pub from: Option<String>,
    /// Print nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}

/// The experiments to reproduce.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExperimentArg {
    One(Experiment),
    /// Those of the paper.
    All,
}

impl ExperimentArg {
    pub fn experiments(self) -> Vec<Experiment> {
        match self {
            Self::One(experiment) => vec![experiment],
            Self::All => Experiment::ALL.to_vec(),
        }
    }
}

impl ValueEnum for ExperimentArg {
    fn value_variants<'a>() -> &'a [Self] {
        static VARIANTS: LazyLock<Vec<ExperimentArg>> = LazyLock::new(|| {
            let each = Experiment::ALL.into_iter().chain([Experiment::Honesty]);
            each.map(ExperimentArg::One).chain([ExperimentArg::All]).collect()
        });
        &VARIANTS
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            Self::One(experiment) => {
                PossibleValue::new(experiment.name()).help(experiment.purpose())
            }
            Self::All => PossibleValue::new("all").help("All but honesty, on one page"),
        })
    }
}

#[derive(Debug, Args)]
pub struct ReproduceArgs {
    /// The table or figure
    pub experiment: ExperimentArg,
    /// Folder that holds the data sets, as written by data get
    #[arg(long, value_name = "DIR", default_value = "data")]
    pub data: PathBuf,
    /// Output folder; results of an earlier call are reused
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Number of splits, each with its own training; at most 3 for variants of a network and 1 for AME unless --methods names them [default: 5 on text, 3 on MNIST, 3 for honesty; quick: 1]
    #[arg(long, value_name = "N")]
    pub seeds: Option<u64>,
    /// Numbers of terms; all means every feature [default: 1,5,10; accuracy on text: 1,2,3,5,10,all; honesty: 1,3,5,10 on MNIST, 1,2,3,5 on text]
    #[arg(short, long, value_name = "K,K,...", value_delimiter = ',')]
    pub k: Option<Vec<ngsll_experiments::K>>,
    #[arg(long, value_name = "NAME,NAME,...", value_delimiter = ',', help = methods_help())]
    pub methods: Option<Vec<String>>,
    #[arg(long, value_name = "NAME,NAME,...", value_delimiter = ',', help = sets_help())]
    pub sets: Option<Vec<String>>,
    /// A shorter version, 16 minutes on two cores for all; the page lists what it omits
    #[arg(long)]
    pub quick: bool,
    /// Training runs in parallel, each on one thread [default: as many as --threads]
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Maximum number of epochs of every training run [default: by data size; AME: 8]
    #[arg(long, value_name = "N")]
    pub epochs: Option<usize>,
    /// Print nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}

fn sets_help() -> String {
    let names = ngsll_experiments::honesty_set_names().join(", ");
    format!("Data sets of honesty: {names} [default: all]")
}

fn methods_help() -> String {
    let names = ngsll_experiments::method_names().join(", ");
    let honesty = ngsll_experiments::honesty_method_names().join(", ");
    format!("Methods of the accuracy tables: {names}; of honesty: {honesty} [default: all]")
}
