//! `ngsll data get`: the datasets of the paper, from the web or from a folder, each file checked.

mod catalogue;
mod convert;
mod download;
mod fetch;
#[cfg(all(test, target_os = "linux"))]
mod killed;
#[cfg(test)]
mod test_server;
#[cfg(test)]
mod tests;

use crate::args::GetArgs;
use crate::output::Output;
use anyhow::Result;
use catalogue::Catalogue;
use fetch::{DownloadProgress, FetchOutcome, fetch};
use indicatif::{ProgressBar, ProgressStyle};
use std::io::Write;

pub fn run(args: &GetArgs) -> Result<()> {
    let bar = ProgressBar::new(0);
    let style = "{msg} {bar:24.cyan/blue} {bytes}/{total_bytes}, {bytes_per_sec}, {eta} left";
    bar.set_style(ProgressStyle::with_template(style).expect("the template is valid"));
    let mut show = |progress: DownloadProgress<'_>| {
        if !args.quiet {
            bar.set_message(progress.file.to_string());
            bar.set_length(progress.total.unwrap_or(progress.bytes));
            bar.set_position(progress.bytes);
        }
    };
    let result =
        fetch(args.dataset, &args.dir, args.from.as_deref(), &Catalogue::paper(), &mut show);
    bar.finish_and_clear();
    let mut out = Output::open(None)?;
    for fetched in result? {
        if !args.quiet {
            let path = fetched.path.display();
            match fetched.outcome {
                FetchOutcome::AlreadyThere => writeln!(out, "{path}: already there")?,
                FetchOutcome::Downloaded(url) => writeln!(out, "{path}: from {url}")?,
                FetchOutcome::Taken(from) => writeln!(out, "{path}: from {}", from.display())?,
                FetchOutcome::Written => writeln!(out, "{path}: written")?,
            }
        }
    }
    out.finish()
}
