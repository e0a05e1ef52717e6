//! `results.csv`: a line for each cell.

use crate::store::Cell;

/// The columns.
const HEADER: &str = "dataset,method,k,seed,test_accuracy,validation_accuracy,seconds_since_job_start,job_ks,configuration,version,machine";

/// The cells as CSV.
pub fn csv(cells: &[Cell]) -> String {
    let mut text = format!("{HEADER}\n");
    for cell in cells {
        let together: Vec<String> = cell.together.iter().map(ToString::to_string).collect();
        let fields = [
            field(&cell.dataset),
            field(&cell.method),
            cell.k.to_string(),
            cell.seed.to_string(),
            format!("{:.6}", cell.test_accuracy),
            format!("{:.6}", cell.validation_accuracy),
            format!("{:.1}", cell.seconds),
            together.join("+"),
            field(&cell.configuration),
            field(&cell.version),
            field(&cell.machine),
        ];
        text += &(fields.join(",") + "\n");
    }
    text
}

/// A CSV field, quoted where it must be.
pub fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_string()
    }
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
            assert_eq!(field(text), expected);
        }
    }
}
