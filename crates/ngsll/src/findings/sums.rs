//! A row of totals among the rows of a table.

/// The fewest rows above a row of totals.
const FEWEST_ROWS: usize = 5;

/// The relative tolerance of a sum, for the rounding of its parts.
const ROUNDING: f64 = 1e-6;

/// The first row whose numbers are the sums of all above it, in every column that has one there. A sum must exceed
/// each of its parts, so that the first rows of a column with few values do not pass for one.
pub(crate) fn totals_row(columns: &[&[f64]]) -> Option<usize> {
    let rows = columns.first()?.len();
    let mut above = vec![(0.0_f64, 0.0_f64); columns.len()];
    for row in 0..rows {
        let values = || columns.iter().zip(&above).map(|(column, above)| (column[row], *above));
        let present = || values().filter(|(value, _)| !value.is_nan());
        let is_sum = |(value, (sum, largest)): (f64, (f64, f64))| {
            (value - sum).abs() <= ROUNDING * sum.abs() && value.abs() > largest
        };
        if row >= FEWEST_ROWS && present().next().is_some() && present().all(is_sum) {
            return Some(row);
        }
        for (column, (sum, largest)) in columns.iter().zip(&mut above) {
            if !column[row].is_nan() {
                *sum += column[row];
                *largest = largest.max(column[row].abs());
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_holds_the_sums_is_found() {
        let gap = f64::NAN;
        let size = [80.0, 120.0, gap, 450.0, 200.0, 80.0, 930.0];
        let sales = [1.5, 2.25, 0.1, 8.0, 3.3, 4.0, 19.15];
        assert_eq!(totals_row(&[&size, &sales]), Some(6));
        let with_mean = [3.0, 4.0, 5.0, 4.0, 4.0, 4.0, 4.0];
        assert_eq!(totals_row(&[&size, &sales, &with_mean]), None, "a mean is no sum");
        let no_mean = [3.0, 4.0, 5.0, 4.0, 4.0, 4.0, gap];
        assert_eq!(totals_row(&[&size, &no_mean]), Some(6));
        assert_eq!(totals_row(&[&[0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 2.0]]), Some(7));
        assert_eq!(totals_row(&[&[0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0]]), None);
        assert_eq!(totals_row(&[&[1.0, 2.0, 3.0]]), None, "too few rows");
        assert_eq!(totals_row(&[&[gap; 9]]), None);
        assert_eq!(totals_row(&[]), None);
    }
}
