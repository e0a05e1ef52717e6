//! The command line.

mod serve;

pub use serve::ServeArgs;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use std::path::PathBuf;
use std::str::FromStr;

/// Models as accurate as a deep network whose every prediction is the sum of K named terms.
#[derive(Debug, Parser)]
#[command(name = "ngsll", version, arg_required_else_help = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Train on handwritten digits that come with the program, and show what comes out
    Demo(DemoArgs),
    /// Train a model on your text, images or table
    Train(TrainArgs),
    /// Look for better options, and train a model with the best
    Tune(TuneArgs),
    /// Predict the samples of a file
    Predict(PredictArgs),
    /// Predict and show the K terms of each prediction
    Explain(ExplainArgs),
    /// Measure a model on labelled samples
    Evaluate(EvaluateArgs),
    /// Say which of two models is better on the same samples, whether it is chance, and where they disagree
    Compare(CompareArgs),
    /// Say what moved in new samples since training: columns, words, and the features that are chosen
    Drift(DriftArgs),
    /// Train a judge of a model's terms; evaluate then says how far they can be trusted
    Judge(JudgeArgs),
    /// Say what a model predicts, from what, and how it was made
    Describe(DescribeArgs),
    /// Answer over HTTP: a web page, plain JSON, the Open Inference Protocol
    Serve(ServeArgs),
    /// Fetch the data sets of the paper
    Data(DataArgs),
    /// Compute the paper's tables and figures again
    Reproduce(ReproduceArgs),
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
}

#[derive(Debug, Args)]
pub struct DemoArgs {
    /// New folder for the model and the report
    #[arg(long, value_name = "DIR", default_value = "ngsll-demo")]
    pub out: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TaskArg {
    Text,
    Image,
    Tabular,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PresetArg {
    Subsets,
    Annealed,
    Paper,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EvidenceArg {
    Chosen,
    Whole,
}

/// K, or that it is to be found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TermsArg {
    Fixed(usize),
    Auto,
}

impl FromStr for TermsArg {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "auto" {
            return Ok(Self::Auto);
        }
        text.parse().map(Self::Fixed).map_err(|_| "expected a whole number or auto".to_string())
    }
}

#[derive(Debug, Args)]
pub struct JudgeArgs {
    /// Model folder, to which the judge is added
    pub model: PathBuf,
    /// The file or folder that the model was trained on
    #[arg(long, value_name = "PATH")]
    pub data: PathBuf,
    /// Labels of IDX images [default: the file beside them]
    #[arg(long, value_name = "PATH")]
    pub labels: Option<PathBuf>,
    /// Say nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct TuneArgs {
    /// Most sets of options to try, the first being the options as they are
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub trials: usize,
    /// Trials that run side by side and share the cores [default: the number of cores]
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Write the best options, and train no model with them
    #[arg(long)]
    pub options_only: bool,
    #[command(flatten)]
    pub train: TrainArgs,
}

#[derive(Debug, Clone, Args)]
pub struct TrainArgs {
    /// What the samples are
    #[arg(long)]
    pub task: Option<TaskArg>,
    /// CSV, TSV, JSON lines, IDX images (each also .gz), Parquet, label<TAB>text lines or a folder of PNG/JPEG by class;
    /// - is standard input
    #[arg(long, value_name = "PATH")]
    pub data: Option<PathBuf>,
    /// What standard input holds, with --data - [default: by its first bytes]
    #[arg(long, value_name = "FORMAT")]
    pub input_format: Option<InputFormat>,
    /// Column that names a row: it is no feature, and later outputs carry it
    #[arg(long, value_name = "COLUMN")]
    pub id: Option<String>,
    /// Labels of IDX images [default: the file beside them]
    #[arg(long, value_name = "PATH")]
    pub labels: Option<PathBuf>,
    /// Column to predict
    #[arg(long, value_name = "COLUMN")]
    pub target: Option<String>,
    /// Labels to merge, such as "0-4=low,5-9=high"
    #[arg(long, value_name = "GROUPS")]
    pub group: Option<String>,
    /// Samples that decide when to stop [default: a share of the data]
    #[arg(long, value_name = "PATH", conflicts_with = "valid_fraction")]
    pub valid: Option<PathBuf>,
    /// Share of the data that decides when to stop, without --valid [default: 0.1]
    #[arg(long, value_name = "SHARE")]
    pub valid_fraction: Option<f64>,
    /// Share that training never sees, measured at the end [default: 0]
    #[arg(long, value_name = "SHARE")]
    pub test_fraction: Option<f64>,
    /// Number of terms of each score, or auto: as few as cost next to nothing [default: 5]
    #[arg(short, long)]
    pub k: Option<TermsArg>,
    /// What a prediction is made from: the chosen features alone, or the whole sample as in the paper
    /// [default: chosen]
    #[arg(long)]
    pub evidence: Option<EvidenceArg>,
    /// Course of training [default: subsets, with whole samples annealed]
    #[arg(long)]
    pub preset: Option<PresetArg>,
    /// Measure by cross-validation first: train this many times, each time on all but one part of the data
    #[arg(long, value_name = "N")]
    pub folds: Option<usize>,
    /// Measure the spread over this many seeds first, on the test share or with --folds
    #[arg(long, value_name = "N")]
    pub seeds: Option<u64>,
    /// Train a judge as well, which says how far the terms can be trusted
    #[arg(long)]
    pub judge: bool,
    /// Also show what the base rate, a linear model and boosted trees reach on the same rows (tables)
    #[arg(long)]
    pub compare: bool,
    /// Seed of all random numbers [default: 0]
    // TOML has no larger whole numbers.
    #[arg(long, value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    pub seed: Option<u64>,
    /// TOML file with options, such as the train.toml of a model folder
    #[arg(long, value_name = "FILE.toml")]
    pub config: Option<PathBuf>,
    /// Set any option by its name in the TOML file; wins over the file and the flags
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Continue an interrupted run
    #[arg(long)]
    pub resume: bool,
    /// New folder for the model
    #[arg(long, value_name = "MODEL")]
    pub out: PathBuf,
    /// Say nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PredictFormat {
    Csv,
    Json,
    Parquet,
}

/// What standard input holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum InputFormat {
    Csv,
    Tsv,
    /// label<TAB>text, or texts, a line each
    Lines,
    /// A JSON object a line
    Jsonl,
    Parquet,
}

#[derive(Debug, Args)]
pub struct PredictArgs {
    /// Model folder
    pub model: PathBuf,
    /// Samples, in the form that the model was trained on; labels may be absent; - is standard input
    #[arg(long, value_name = "PATH")]
    pub data: PathBuf,
    /// What standard input holds, with --data - [default: by its first bytes]
    #[arg(long, value_name = "FORMAT")]
    pub input_format: Option<InputFormat>,
    /// Column that names a row: outputs carry it [default: the one that the model was trained with]
    #[arg(long, value_name = "COLUMN")]
    pub id: Option<String>,
    /// Number of terms of each score [default: the model's]
    #[arg(short, long)]
    pub k: Option<usize>,
    /// Form of the output [default: by the name of --out, else csv]
    #[arg(long)]
    pub format: Option<PredictFormat>,
    /// New file to write to; - is standard output [default: -]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExplainFormat {
    Table,
    Json,
    Csv,
    Parquet,
    Html,
}

#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// Model folder
    pub model: PathBuf,
    /// Samples, in the form that the model was trained on; labels may be absent; - is standard input
    #[arg(long, value_name = "PATH")]
    pub data: PathBuf,
    /// What standard input holds, with --data - [default: by its first bytes]
    #[arg(long, value_name = "FORMAT")]
    pub input_format: Option<InputFormat>,
    /// Column that names a row: outputs carry it [default: the one that the model was trained with]
    #[arg(long, value_name = "COLUMN")]
    pub id: Option<String>,
    /// Number of terms of each score [default: the model's]
    #[arg(short, long)]
    pub k: Option<usize>,
    /// Rows to explain, counted from 0, such as 0,5,7-9 [default: all; the first 20 as table or html]
    #[arg(long, value_name = "ROWS")]
    pub rows: Option<String>,
    /// Form of the output [default: by the name of --out, else table]
    #[arg(long)]
    pub format: Option<ExplainFormat>,
    /// New file to write to; - is standard output [default: -]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PartArg {
    All,
    Test,
}

#[derive(Debug, Args)]
pub struct EvaluateArgs {
    /// Model folder
    pub model: PathBuf,
    /// Labelled samples, in the form that the model was trained on; - is standard input
    #[arg(long, value_name = "PATH")]
    pub data: PathBuf,
    /// What standard input holds, with --data - [default: by its first bytes]
    #[arg(long, value_name = "FORMAT")]
    pub input_format: Option<InputFormat>,
    /// Column that names a row: outputs carry it [default: the one that the model was trained with]
    #[arg(long, value_name = "COLUMN")]
    pub id: Option<String>,
    /// Labels of IDX images [default: the file beside them]
    #[arg(long, value_name = "PATH")]
    pub labels: Option<PathBuf>,
    /// Number of terms of each score [default: the model's]
    #[arg(short, long)]
    pub k: Option<usize>,
    /// Which rows: all of them or, of the file that the model was trained on, the share that --test-fraction set aside
    #[arg(long, default_value = "all")]
    pub part: PartArg,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// New page to write: figures, charts, chosen features, and the cases it gets most wrong
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Also measure each group of the samples by a column of the file, which the model need not use
    #[arg(long, value_name = "COLUMN")]
    pub by: Option<String>,
    /// Probability above which the second of two classes is predicted [default: the model's, 0.5]
    #[arg(long, value_name = "PROBABILITY", allow_negative_numbers = true)]
    pub threshold: Option<f64>,
    /// What it costs to take a sample of the first class for one of the second; without --threshold
    /// the one that costs least is found
    #[arg(
        long,
        value_name = "COST",
        requires = "cost_false_negative",
        allow_negative_numbers = true
    )]
    pub cost_false_positive: Option<f64>,
    /// What it costs to miss a sample of the second class
    #[arg(
        long,
        value_name = "COST",
        requires = "cost_false_positive",
        allow_negative_numbers = true
    )]
    pub cost_false_negative: Option<f64>,
    /// Keep the threshold in the model folder: predict, explain and serve then use it, too
    #[arg(long)]
    pub keep_threshold: bool,
}

#[derive(Debug, Args)]
pub struct CompareArgs {
    /// Model folder
    #[arg(value_name = "MODEL")]
    pub first: PathBuf,
    /// Another model folder, of the same question
    #[arg(value_name = "OTHER")]
    pub second: PathBuf,
    /// Labelled samples, in the form that both models were trained on
    #[arg(long, value_name = "PATH")]
    pub data: PathBuf,
    /// Labels of IDX images [default: the file beside them]
    #[arg(long, value_name = "PATH")]
    pub labels: Option<PathBuf>,
    /// Number of terms of each score [default: each model's own]
    #[arg(short, long)]
    pub k: Option<usize>,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct DriftArgs {
    /// Model folder
    pub model: PathBuf,
    /// New samples, in the form that the model was trained on; labels may be absent
    #[arg(long, value_name = "PATH")]
    pub data: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct DescribeArgs {
    /// Model folder
    pub model: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// New file to write a model card to, in Markdown
    #[arg(long, value_name = "CARD.md", conflicts_with = "json")]
    pub out: Option<PathBuf>,
}

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
    /// Folder or URL to take the files from instead
    #[arg(long, value_name = "FOLDER-OR-URL")]
    pub from: Option<String>,
    /// Say nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExperimentArg {
    /// The accuracy table on binary-class MNIST
    MnistAccuracy,
    /// Milliseconds per explanation
    MnistTime,
    /// Accuracy against K on MPQA, Subj and TREC
    TextAccuracy,
    /// The weights for one image of each digit
    MnistWeights,
    /// The weights for questions of each kind
    TrecWeights,
    /// What the features that each method names are worth to an independent judge, with known reasons among the data; hours, and not part of all
    Honesty,
    /// All but honesty, on one page
    All,
}

#[derive(Debug, Args)]
pub struct ReproduceArgs {
    /// The table or figure
    pub experiment: ExperimentArg,
    /// Folder that holds the data sets, as data get makes it
    #[arg(long, value_name = "DIR", default_value = "data")]
    pub data: PathBuf,
    /// Folder to fill; results that an earlier call left there are not computed again
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Number of splits, each trained anew; variants of a network at most 3 and AME 1 unless --methods names them [default: 5 on text, 3 on MNIST, 3 for honesty; quick: 1]
    #[arg(long, value_name = "N")]
    pub seeds: Option<u64>,
    /// Numbers of terms, also all [default: 1,5,10; accuracy on text: 1,2,3,5,10,all; honesty: 1,3,5,10 on MNIST, 1,2,3,5 on text]
    #[arg(short, long, value_name = "K,K,...", value_delimiter = ',')]
    pub k: Option<Vec<ngsll_experiments::K>>,
    #[arg(long, value_name = "NAME,NAME,...", value_delimiter = ',', help = methods_help())]
    pub methods: Option<Vec<String>>,
    #[arg(long, value_name = "NAME,NAME,...", value_delimiter = ',', help = sets_help())]
    pub sets: Option<Vec<String>>,
    /// A shorter form, 16 minutes on two cores for all, and as much for honesty; the page says what it leaves out
    #[arg(long)]
    pub quick: bool,
    /// Trainings that run side by side, each on one thread [default: the number of cores]
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Most epochs of every training [default: by data size; AME: 8]
    #[arg(long, value_name = "N")]
    pub epochs: Option<usize>,
    /// Say nothing but errors
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
    format!(
        "Methods that the accuracy tables compare: {names}; that honesty compares: {honesty} [default: all]"
    )
}
