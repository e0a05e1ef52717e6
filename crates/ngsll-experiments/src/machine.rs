//! On what and from what the results were made.

/// The number of cores that this process may use.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The processor's name, where the system tells it.
pub fn processor() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    line.split_once(':').map(|(_, name)| name.trim().to_string())
}

/// The machine in a few words.
pub fn describe() -> String {
    let processor = processor().map_or(String::new(), |name| format!(", {name}"));
    format!("{} cores{processor}", cores())
}

/// The version, and the commit where the program was built in a git checkout.
pub fn version() -> String {
    let version = env!("CARGO_PKG_VERSION");
    match option_env!("NGSLL_COMMIT") {
        Some(commit) => format!("{version}, built at commit {commit}"),
        None => version.to_string(),
    }
}
