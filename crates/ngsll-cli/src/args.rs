//! The command line.

mod export;
mod paper;
mod serve;

pub use export::ExportArgs;
pub use paper::{DataArgs, DataCommand, GetArgs, ReproduceArgs};
pub use serve::ServeArgs;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use std::path::PathBuf;
use std::str::FromStr;

/// Models as accurate as a deep network whose every prediction is the sum of K named terms.
#[derive(Debug, Parser)]
#[command(name = "ngsll", version, arg_required_else_help = true, disable_help_subcommand = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
    /// Number of threads; results do not depend on it [default: RAYON_NUM_THREADS, else the number of available cores]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Train on bundled handwritten digits and show the results
    Demo(DemoArgs),
    /// Write small example files for trying the other commands: texts, a table, images
    Examples(ExamplesArgs),
    /// Train a model on your text, images or table
    Train(TrainArgs),
    /// Search for better options and train a model with the best
    Tune(TuneArgs),
    /// Predict the samples of a file
    Predict(PredictArgs),
    /// Predict and show the K terms of each prediction
    Explain(ExplainArgs),
    /// Measure a model on labelled samples
    Evaluate(EvaluateArgs),
    /// Compare two models on the same samples: which is better, whether by chance, where they disagree
    Compare(CompareArgs),
    /// Compare new samples with the training data: shifts in columns, words and chosen features
    Drift(DriftArgs),
    /// Train a judge of a model's terms; evaluate then says how far they can be trusted
    Judge(JudgeArgs),
    /// Describe a model: what it predicts, from which features, and how it was trained
    Describe(DescribeArgs),
    /// Export a model as an ONNX file that chooses, predicts and explains as it does
    Export(ExportArgs),
    /// Serve models over HTTP: a web page, plain JSON, the Open Inference Protocol
    Serve(ServeArgs),
    /// Fetch the data sets of the paper
    Data(DataArgs),
    /// Reproduce the paper's tables and figures
    Reproduce(ReproduceArgs),
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
    /// Print this message, the help of a command, or every option of a model (help options)
    Help(HelpArgs),
}

#[derive(Debug, Args)]
pub struct HelpArgs {
    /// A command; or options, and words to search them for, such as options generator
    #[arg(value_name = "COMMAND")]
    pub topic: Vec<String>,
}

#[derive(Debug, Args)]
pub struct DemoArgs {
    /// New folder for the model and the report
    #[arg(long, value_name = "DIR", default_value = "ngsll-demo")]
    pub out: PathBuf,
}

#[derive(Debug, Args)]
pub struct ExamplesArgs {
    /// New folder for the files
    #[arg(long, value_name = "DIR", default_value = "examples")]
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

/// A fixed K, or `auto`.
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

// How to read the file of --data; a doc comment would be the help of the whole command.
#[derive(Debug, Clone, Args)]
pub struct ReadingArgs {
    /// Format of standard input, with --data - [default: by its first bytes]
    #[arg(long, value_name = "FORMAT")]
    pub input_format: Option<InputFormat>,
    /// Labels of IDX images [default: the file beside them]
    #[arg(long, value_name = "PATH")]
    pub labels: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct JudgeArgs {
    /// Model folder, to which the judge is added
    pub model: PathBuf,
    /// The file or folder that the model was trained on; - is standard input
    #[arg(long, value_name = "PATH")]
    pub data: PathBuf,
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// Print nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct TuneArgs {
    /// Maximum number of option sets to try; the first is the given options
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub trials: usize,
    /// Trials that run in parallel and share the cores [default: as many as --threads]
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Write the best options without training a model with them
    #[arg(long)]
    pub options_only: bool,
    #[command(flatten)]
    pub train: TrainArgs,
}

#[derive(Debug, Clone, Args)]
pub struct TrainArgs {
    /// Kind of samples
    #[arg(long)]
    pub task: Option<TaskArg>,
    /// CSV, TSV, JSON lines, IDX images (each also .gz), Parquet, label<TAB>text lines or a folder of images by class;
    /// - is standard input
    #[arg(long, value_name = "PATH")]
    pub data: Option<PathBuf>,
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// Column that identifies a row: it is not a feature, and later outputs include it
    #[arg(long, value_name = "COLUMN")]
    pub id: Option<String>,
    /// Column to predict
    #[arg(long, value_name = "COLUMN")]
    pub target: Option<String>,
    /// Labels to merge into groups, such as "0-4=low,5-9=high"
    #[arg(long, value_name = "GROUPS")]
    pub group: Option<String>,
    /// Validation samples, for early stopping [default: a share of the data]
    #[arg(long, value_name = "PATH", conflicts_with = "valid_fraction")]
    pub valid: Option<PathBuf>,
    /// Share of the data used for validation, without --valid [default: 0.1]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub valid_fraction: Option<f64>,
    /// Share held out from training and measured at the end [default: 0]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub test_fraction: Option<f64>,
    /// Number of terms in each score, or auto for the fewest with nearly the best validation loss [default: 5]
    #[arg(short, long)]
    pub k: Option<TermsArg>,
    /// What predictions are based on: the chosen features alone, or the whole sample as in the paper
    /// [default: chosen]
    #[arg(long)]
    pub evidence: Option<EvidenceArg>,
    /// Training schedule [default: subsets, with evidence whole annealed]
    #[arg(long)]
    pub preset: Option<PresetArg>,
    /// First measure by cross-validation with this many folds
    #[arg(long, value_name = "N")]
    pub folds: Option<usize>,
    /// Measure the spread over this many seeds first, on the test share or with --folds
    #[arg(long, value_name = "N")]
    pub seeds: Option<u64>,
    /// Also train a judge, which measures how far the terms can be trusted
    #[arg(long)]
    pub judge: bool,
    /// Also measure the base rate, a linear model and boosted trees on the same rows (tables)
    #[arg(long)]
    pub compare: bool,
    /// Seed of all random numbers [default: 0]
    // TOML has no larger whole numbers.
    #[arg(long, value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64))]
    pub seed: Option<u64>,
    /// TOML file with options, such as the train.toml of a model folder
    #[arg(long, value_name = "FILE.toml")]
    pub config: Option<PathBuf>,
    /// Set any option by its name in the TOML file; overrides the file and the flags
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Continue an interrupted run
    #[arg(long)]
    pub resume: bool,
    /// New folder for the model
    #[arg(long, value_name = "MODEL")]
    pub out: PathBuf,
    /// Print nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PredictFormat {
    Csv,
    Json,
    Parquet,
}

/// Format of standard input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum InputFormat {
    Csv,
    Tsv,
    /// label<TAB>text, or texts, one per line
    Lines,
    /// One JSON object per line
    Jsonl,
    Parquet,
}

// A model, and the samples to predict.
#[derive(Debug, Args)]
pub struct QuestionArgs {
    /// Model folder
    pub model: PathBuf,
    /// Samples, in the form that the model was trained on; labels may be absent; - is standard input
    #[arg(long, value_name = "PATH")]
    pub data: PathBuf,
    /// Format of standard input, with --data - [default: by its first bytes]
    #[arg(long, value_name = "FORMAT")]
    pub input_format: Option<InputFormat>,
    /// Column that identifies a row: outputs include it [default: the one that the model was trained with]
    #[arg(long, value_name = "COLUMN")]
    pub id: Option<String>,
    /// Number of terms in each score [default: the model's]
    #[arg(short, long)]
    pub k: Option<usize>,
}

#[derive(Debug, Args)]
pub struct PredictArgs {
    #[command(flatten)]
    pub question: QuestionArgs,
    /// Output format [default: by the name of --out, else csv]
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
    #[command(flatten)]
    pub question: QuestionArgs,
    /// Rows to explain, counted from 0, such as 0,5,7-9 [default: all; the first 20 as table or html]
    #[arg(long, value_name = "ROWS")]
    pub rows: Option<String>,
    /// Output format [default: by the name of --out, else table]
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
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// Column that identifies a row: outputs include it [default: the one that the model was trained with]
    #[arg(long, value_name = "COLUMN")]
    pub id: Option<String>,
    /// Number of terms in each score [default: the model's]
    #[arg(short, long)]
    pub k: Option<usize>,
    /// Rows to measure: all, or the share of the training file that --test-fraction held out
    #[arg(long, default_value = "all")]
    pub part: PartArg,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// New HTML page to write: metrics, charts, chosen features and the worst errors
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
    /// Also measure each group of samples, by a column of the file; the model need not use it
    #[arg(long, value_name = "COLUMN")]
    pub by: Option<String>,
    /// Probability above which the second of two classes is predicted [default: the model's, 0.5]
    #[arg(long, value_name = "PROBABILITY", allow_negative_numbers = true)]
    pub threshold: Option<f64>,
    /// Cost of predicting the second class for a sample of the first; without --threshold the
    /// threshold with the lowest cost is found
    #[arg(
        long,
        value_name = "COST",
        requires = "cost_false_negative",
        allow_negative_numbers = true
    )]
    pub cost_false_positive: Option<f64>,
    /// Cost of missing a sample of the second class
    #[arg(
        long,
        value_name = "COST",
        requires = "cost_false_positive",
        allow_negative_numbers = true
    )]
    pub cost_false_negative: Option<f64>,
    /// Store the threshold in the model folder, so that predict, explain and serve use it
    #[arg(long)]
    pub keep_threshold: bool,
}

#[derive(Debug, Args)]
pub struct CompareArgs {
    /// Model folder
    #[arg(value_name = "MODEL")]
    pub first: PathBuf,
    /// Another model folder, with the same target
    #[arg(value_name = "OTHER")]
    pub second: PathBuf,
    /// Labelled samples, in the form that both models were trained on; - is standard input
    #[arg(long, value_name = "PATH")]
    pub data: PathBuf,
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// Number of terms in each score [default: each model's own]
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
    /// New samples, in the form that the model was trained on; labels may be absent; - is standard input
    #[arg(long, value_name = "PATH")]
    pub data: PathBuf,
    /// Format of standard input, with --data - [default: by its first bytes]
    #[arg(long, value_name = "FORMAT")]
    pub input_format: Option<InputFormat>,
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

/// Parses a share of the data, also in percent; its range is checked with the other options.
fn share(text: &str) -> Result<f64, String> {
    let (number, of) =
        text.strip_suffix('%').map_or((text, 1.0), |number| (number.trim_end(), 100.0));
    let share = number.parse::<f64>().map(|number| number / of);
    share.map_err(|_| "expected a share such as 0.2 or 20%".to_string())
}
