//! `ngsll reproduce`

use crate::args::ReproduceArgs;
use crate::interrupt;
use crate::jobs_progress::JobsProgress;
use crate::output::{check_writable, eprint_line};
use anyhow::Result;
use ngsll::Error;
use ngsll_experiments::{Failure, Request, reproduce};

pub fn run(args: &ReproduceArgs) -> Result<()> {
    let request = request(args);
    request.check()?;
    check_writable(&args.out)?;
    interrupt::listen();
    let progress = JobsProgress::new(args.quiet);
    let result = reproduce(&request, &progress);
    progress.finish();
    let failures = result.map_err(|error| match error {
        Error::Interrupted => anyhow::Error::new(error)
            .context("stopped; the same command continues from the finished results"),
        error => error.into(),
    })?;
    if !args.quiet {
        eprint_line(format_args!("written: {}", args.out.join("README.md").display()));
    }
    let more = match failures.len() {
        0 | 1 => String::new(),
        n => format!(", nor have {} others, which the page names", n - 1),
    };
    match failures.into_iter().next() {
        Some(Failure { title, error, .. }) => {
            Err(anyhow::Error::new(error).context(format!("{title} has no result{more}")))
        }
        None => Ok(()),
    }
}

fn request(args: &ReproduceArgs) -> Request {
    let trimmed = |names: &Vec<String>| names.iter().map(|name| name.trim().to_string()).collect();
    let args_given = std::env::args_os().skip(1).map(|arg| arg.to_string_lossy().into_owned());
    let mut request = Request::new(args.experiment.experiments(), &args.data, &args.out);
    request.seeds = args.seeds;
    request.ks = args.k.clone();
    request.methods = args.methods.as_ref().map(trimmed);
    request.sets = args.sets.as_ref().map(trimmed);
    request.quick = args.quick;
    request.jobs = args.jobs.unwrap_or(request.jobs);
    request.epochs = args.epochs;
    request.command = command(args_given);
    request
}

/// The command as the page shows it: the locations of the program, the data and the page do not matter for
/// the results.
fn command(args: impl Iterator<Item = String>) -> String {
    let mut shown = vec!["ngsll".to_string()];
    let mut is_path = false;
    for arg in args {
        let named = ["--data", "--out"].into_iter().find(|name| {
            arg == *name || arg.strip_prefix(name).is_some_and(|rest| rest.starts_with('='))
        });
        match named {
            Some(name) => shown.push(format!("{name} DIR")),
            None if is_path => {}
            None => shown.push(arg.clone()),
        }
        is_path = named == Some(arg.as_str());
    }
    shown.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_shows_no_paths() {
        let args = ["reproduce", "all", "--data", "/home/me/data", "--out=/tmp/x", "--seeds", "3"];
        let shown = command(args.into_iter().map(String::from));
        assert_eq!(shown, "ngsll reproduce all --data DIR --out DIR --seeds 3");
    }
}
