//! The arguments of `ngsll export`.

use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct ExportArgs {
    /// Model folder
    pub model: PathBuf,
    /// New file to write; - is standard output
    #[arg(long, value_name = "FILE.onnx")]
    pub onnx: PathBuf,
    /// Number of terms in each score, fixed in the file [default: the model's]
    #[arg(short, long)]
    pub k: Option<usize>,
}
