//! The newcomer's first command, unchanged.

use std::process::Command;

#[test]
fn the_demo_reaches_its_accuracy_and_leaves_a_model_and_a_report() {
    let folder = tempfile::tempdir().unwrap();
    let demo = Command::new(env!("CARGO_BIN_EXE_ngsll"))
        .arg("demo")
        .current_dir(&folder)
        .output()
        .unwrap();
    let text = String::from_utf8(demo.stdout).unwrap();
    assert!(demo.status.success(), "{}", String::from_utf8_lossy(&demo.stderr));
    // "  K = 3    0.989   0.539": ours, then ridge at the same K.
    let row = |k: &str| -> Vec<f64> {
        let line = text
            .lines()
            .find(|line| line.trim().starts_with(k))
            .unwrap_or_else(|| panic!("no {k}: {text}"));
        line.replace(k, "").split_whitespace().map(|number| number.parse().unwrap()).collect()
    };
    for k in ["K = 1", "K = 3", "K = 5"] {
        let accuracies = row(k);
        assert!(accuracies[0] > accuracies[1] + 0.2, "{k}: {accuracies:?}");
    }
    assert!(row("K = 3")[0] >= 0.98, "{text}");
    assert!(text.contains("→ high") && text.contains("What to try next"), "{text}");

    let out = folder.path().join("ngsll-demo");
    let report = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(
        report.contains("</html>") && !report.contains("src=\"http"),
        "the report is one whole file"
    );
    for part in [
        "Truth against prediction",
        "How many features it takes",
        "How often each cell is chosen",
        "Measured with K = 3 on",
    ] {
        assert!(report.contains(part), "no {part:?} in the report");
    }
    let describe = Command::new(env!("CARGO_BIN_EXE_ngsll"))
        .arg("describe")
        .arg(out.join("model"))
        .output()
        .unwrap();
    assert!(String::from_utf8(describe.stdout).unwrap().contains("2 classes (low, high)"));

    let again = Command::new(env!("CARGO_BIN_EXE_ngsll"))
        .arg("demo")
        .current_dir(&folder)
        .output()
        .unwrap();
    assert_eq!(again.status.code(), Some(2), "a second run overwrites nothing");
}
