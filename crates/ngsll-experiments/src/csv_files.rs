//! `results.csv` and `times.csv`.

use crate::store::RunResult;
use crate::timing::Timing;

/// `results.csv`: a line per result.
pub(crate) fn results(results: &[RunResult]) -> String {
    let header = [
        "dataset",
        "method",
        "k",
        "seed",
        "test_accuracy",
        "validation_accuracy",
        "seconds_since_job_start",
        "job_ks",
        "configuration",
        "version",
        "machine",
    ];
    write(header, results, |result| {
        let job_ks: Vec<String> = result.job_ks.iter().map(ToString::to_string).collect();
        [
            result.dataset.clone(),
            result.method.clone(),
            result.k.to_string(),
            result.seed.to_string(),
            format!("{:.6}", result.test_accuracy),
            format!("{:.6}", result.validation_accuracy),
            format!("{:.1}", result.seconds_since_job_start),
            job_ks.join("+"),
            result.configuration.clone(),
            result.version.clone(),
            result.machine.clone(),
        ]
    })
}

/// `times.csv`: a line per explainer and K.
pub(crate) fn times(timings: &[Timing]) -> String {
    let header = ["method", "k", "samples", "first_quartile_ms", "median_ms", "third_quartile_ms"];
    write(header, timings, |timing| {
        let [low, median, high] = timing.quartiles.map(|ms| format!("{ms:.4}"));
        let (k, samples) = (timing.k.to_string(), timing.samples.to_string());
        [timing.method.clone(), k, samples, low, median, high]
    })
}

/// Lines of fields below a header.
pub(crate) fn write<T, const N: usize>(
    header: [&str; N],
    items: &[T],
    fields: impl Fn(&T) -> [String; N],
) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(header).expect("writing to memory succeeds");
    for item in items {
        writer.write_record(fields(item)).expect("every line has as many fields as the header");
    }
    let bytes = writer.into_inner().expect("writing to memory succeeds");
    String::from_utf8(bytes).expect("all fields are UTF-8")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        for (text, expected) in [
            ("plain", "plain"),
            ("a,b", "\"a,b\""),
            ("say \"x\"", "\"say \"\"x\"\"\""),
            ("two\nlines", "\"two\nlines\""),
            ("", ""),
        ] {
            let csv = write(["a", "b"], &[text], |text| [text.to_string(), String::new()]);
            assert_eq!(csv, format!("a,b\n{expected},\n"));
        }
    }
}
