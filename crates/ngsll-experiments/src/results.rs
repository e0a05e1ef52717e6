//! `results.csv`: a line for each cell.

use crate::store::Cell;
use csv::Writer;

/// The columns.
const HEADER: [&str; 11] = [
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

/// The cells as CSV.
pub fn csv(cells: &[Cell]) -> String {
    let records = cells.iter().map(|cell| {
        let together: Vec<String> = cell.together.iter().map(ToString::to_string).collect();
        [
            cell.dataset.clone(),
            cell.method.clone(),
            cell.k.to_string(),
            cell.seed.to_string(),
            format!("{:.6}", cell.test_accuracy),
            format!("{:.6}", cell.validation_accuracy),
            format!("{:.1}", cell.seconds),
            together.join("+"),
            cell.configuration.clone(),
            cell.version.clone(),
            cell.machine.clone(),
        ]
    });
    csv_text(HEADER, records)
}

/// A CSV file of a header and records with as many fields.
pub(crate) fn csv_text<const N: usize>(
    header: [&str; N],
    records: impl Iterator<Item = [String; N]>,
) -> String {
    let mut writer = Writer::from_writer(Vec::new());
    let in_memory = "writing to memory cannot fail";
    writer.write_record(header).expect(in_memory);
    records.for_each(|record| writer.write_record(record).expect(in_memory));
    String::from_utf8(writer.into_inner().expect(in_memory)).expect("all fields are UTF-8")
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
            let csv = csv_text(["a", "b"], [[text.to_string(), "1".to_string()]].into_iter());
            assert_eq!(csv, format!("a,b\n{expected},1\n"));
        }
    }
}
