use super::*;
use crate::representation::NumericRange;

fn encode(columns: &Columns) -> Encoded {
    columns.encode(&table().into()).unwrap().unwrap()
}

fn table() -> Table {
    let size = Column::numeric("size", [0.0, 10.0, f64::NAN, 20.0]).unwrap();
    let colours = [Some("red"), Some("blue"), None, Some("green")];
    Table::new([size, Column::categorical("colour", colours)]).unwrap()
}

#[test]
fn missing_values_and_new_levels_are_not_listed() {
    // "green" (row 3) is not among the training rows.
    let columns =
        Columns::fit(&ColumnsConfig::default(), &table(), &[0, 1, 2], Evidence::Whole).unwrap();
    assert_eq!(columns.names, ["size", "colour=blue", "colour=red"]);
    let encoded = encode(&columns);
    let row = |r| columns.z(&encoded, r);
    // Mean 5, deviation 5.
    assert_eq!(row(0), SparseRow { indices: vec![0, 2], values: vec![-1.0, 1.0] });
    assert_eq!(row(2), SparseRow::default());
    assert_eq!(row(3), SparseRow { indices: vec![0], values: vec![3.0] });
    assert_eq!((columns.column_of(0), columns.column_of(2)), (0, 1));
}

#[test]
fn the_range_is_kept_and_columns_without_one_are_read() {
    let columns =
        Columns::fit(&ColumnsConfig::default(), &table(), &[0, 1, 2, 3], Evidence::Whole).unwrap();
    let ColumnEncoding::Numeric { range, .. } = &columns.encodings()[0] else { panic!("a number") };
    let expected = NumericRange { min: 0.0, max: 20.0, median: 10.0, whole: true };
    assert_eq!(*range, Some(expected));
    let mut json = serde_json::to_value(&columns).unwrap();
    assert_eq!(serde_json::from_value::<Columns>(json.clone()).unwrap(), columns);
    // In the form that lacks ranges.
    json["columns"][0].as_object_mut().unwrap().remove("range").unwrap();
    let older: Columns = serde_json::from_value(json).unwrap();
    let encoded = encode(&columns);
    assert_eq!(older.z(&encoded, 3), columns.z(&encoded, 3));
    // Without values there is no range.
    let none = Columns::fit(&ColumnsConfig::default(), &table(), &[2], Evidence::Whole).unwrap();
    assert!(matches!(none.encodings()[0], ColumnEncoding::Numeric { range: None, .. }));
    assert_eq!(NumericRange::of(&[0.5, 1.0]).map(|r| (r.median, r.whole)), Some((0.5, false)));
}

#[test]
fn bins_fill_up_from_the_left_and_missing_is_marked() {
    let config = ColumnsConfig { bins: 2, distinct_bins: 2, ..ColumnsConfig::default() };
    let columns = Columns::fit(&config, &table(), &[0, 1, 3], Evidence::Whole).unwrap();
    let encoded = encode(&columns);
    let x = |r: usize| {
        let (x, _) = columns.x(&encoded, &[r], &[], 0, &Device::default());
        let X::Columns(rows) = x else { unreachable!("it is a table") };
        rows.numbers().into_data().iter::<f32>().collect::<Vec<_>>()
    };
    // size: missing, value, bins 0–10 and 10–20; colour: missing and three levels.
    let deviation = (200.0_f32 / 3.0).sqrt();
    assert_eq!(x(0), [0.0, -10.0 / deviation, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    assert_eq!(x(1)[..4], [0.0, 0.0, 1.0, 0.0]);
    assert_eq!(x(2), [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
    assert_eq!(x(3)[2..4], [1.0, 1.0]);
}
