//! The machine and the program that results come from.

/// The number of cores available to this process.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The processor's name, where the operating system reports it.
fn processor() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    line.split_once(':').map(|(_, name)| name.trim().to_string())
}

/// A short description of the machine: `2 cores, AMD EPYC`.
pub(crate) fn describe() -> String {
    let processor = processor().map_or(String::new(), |name| format!(", {name}"));
    format!("{} cores{processor}", cores())
}

/// The version, with the commit if the program was built in a git checkout.
pub(crate) fn version() -> String {
    let version = env!("CARGO_PKG_VERSION");
    match option_env!("NGSLL_COMMIT") {
        Some(commit) => format!("{version}, built at commit {commit}"),
        None => version.to_string(),
    }
}
