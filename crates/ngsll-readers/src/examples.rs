//! Validation samples in JSON, which a model folder keeps for people to start from.

use ngsll::dataset::{
    CellValue, Column, Dataset, DatePart, Images, Samples, Table, Values, timestamp_of_days,
};
use ngsll::error::Result;
use ngsll::examples::{Example, Input, Row, choose, medoid};
use ngsll::objective::Objective;

/// At most `n` of the given rows: from each class in turn, or spread evenly over the values of the target. Only the
/// data and the rows decide which. Images that PNG cannot represent are left out (all of them without the feature
/// `images`).
pub fn examples(
    dataset: &Dataset,
    rows: &[usize],
    objective: &Objective,
    n: usize,
) -> Result<Vec<Example>> {
    let example =
        |row: usize| Some(Example::new(input(dataset.samples(), row)?, dataset.label(row)?));
    Ok(choose(dataset, rows, objective, n)?.into_iter().filter_map(example).collect())
}

/// Of the given rows of a table the one that is nearest to all others; `None` for samples of another kind.
pub fn typical_row(dataset: &Dataset, rows: &[usize]) -> Option<Example> {
    let table = dataset.samples().as_table()?;
    let row = medoid(table, rows)?;
    Some(Example::new(Input::Row(cells(table, row)), dataset.label(row)?).as_typical())
}

/// One sample; `None` for an image that PNG cannot represent.
fn input(samples: &Samples, row: usize) -> Option<Input> {
    match samples {
        Samples::Texts(texts) => Some(Input::Text(texts.get(row).to_owned())),
        Samples::Images(images) => base64_png(images, row).map(Input::Image),
        Samples::Table(table) => Some(Input::Row(cells(table, row))),
        _ => None,
    }
}

/// The cells as a user would supply them: the date, not its parts.
fn cells(table: &Table, row: usize) -> Row {
    let cell = |column: &Column| {
        let value = match (column.values(), &column.form().date) {
            (Values::Numeric(days), Some(date)) if date.part == DatePart::Days => {
                let date = Some(days[row]).filter(|days| !days.is_nan());
                date.map(|days| CellValue::Timestamp(timestamp_of_days(days)))
            }
            (_, Some(_)) => return None,
            // A missing number is NaN.
            (Values::Numeric(values), None) => Some(CellValue::Number(values[row])),
            (Values::Categorical(categories), None) => {
                categories.get(row).map(|level| CellValue::Text(level.to_owned().into()))
            }
            _ => None,
        };
        let name = column.form().date.as_ref().map_or(column.name(), |date| &date.column);
        Some((name.to_owned(), value.unwrap_or(CellValue::Missing)))
    };
    table.columns().iter().filter_map(cell).collect()
}

#[cfg(feature = "images")]
fn base64_png(images: &Images, row: usize) -> Option<String> {
    use base64::Engine;
    use image::ImageEncoder;

    let size = images.size();
    let colour = match size.channels {
        1 => image::ExtendedColorType::L8,
        3 => image::ExtendedColorType::Rgb8,
        _ => return None,
    };
    let (width, height) = (u32::try_from(size.width).ok()?, u32::try_from(size.height).ok()?);
    let mut file = Vec::new();
    let encoder = image::codecs::png::PngEncoder::new(&mut file);
    encoder.write_image(images.get(row), width, height, colour).ok()?;
    Some(base64::engine::general_purpose::STANDARD.encode(file))
}

#[cfg(not(feature = "images"))]
fn base64_png(_: &Images, _: usize) -> Option<String> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn binary() -> Objective {
        Objective::for_classes(["a", "b"]).unwrap()
    }

    #[test]
    fn classes_take_turns_and_only_the_given_rows_are_shown() {
        let long = "x".repeat(2001);
        let texts = ["zero", "one", "two", "three", &long, "five"];
        let data = Dataset::texts(texts, ["a", "a", "a", "a", "b", "b"]).unwrap();
        let found = examples(&data, &[1, 2, 3, 4, 5], &binary(), 3).unwrap();
        let json = serde_json::to_value(&found).unwrap();
        let expected = serde_json::json!([
            {"text": "one", "label": "a"}, {"text": "five", "label": "b"}, {"text": "two", "label": "a"},
        ]);
        assert_eq!(json, expected);
        assert_eq!(serde_json::from_value::<Vec<Example>>(json).unwrap(), found);
        assert!(examples(&data, &[1, 2], &binary(), 0).unwrap().is_empty());
    }

    #[test]
    fn values_are_spread_from_small_to_large_and_missing_cells_are_null() {
        let size = Column::numeric("size", [f64::NAN, 1.0, 2.5, 3.0]).unwrap();
        let colour = Column::categorical("colour", [Some("red"), None, Some("red"), Some("red")]);
        let table = Table::new([size, colour]).unwrap();
        let data = Dataset::table(table, ["9", "1", "5", "7"]).unwrap();
        let objective = Objective::for_values("price", 0.0, 1.0).unwrap();
        let found = examples(&data, &[0, 1, 2, 3], &objective, 2).unwrap();
        let expected = serde_json::json!([
            {"row": {"size": 2.5, "colour": "red"}, "label": "5"},
            {"row": {"size": null, "colour": "red"}, "label": "9"},
        ]);
        assert_eq!(serde_json::to_value(found).unwrap(), expected);
    }

    #[test]
    fn a_typical_row_is_one_of_the_data() {
        let size = Column::numeric("size", [1.0, 5.0, 5.5, 6.0, 90.0]).unwrap();
        let colour = Column::categorical("colour", ["red", "red", "blue", "red", "blue"].map(Some));
        let data = Dataset::table(Table::new([size, colour]).unwrap(), ["a", "b", "a", "b", "a"]);
        let found = typical_row(&data.unwrap(), &[0, 1, 2, 3, 4]);
        let expected = serde_json::json!(
            {"row": {"size": 5.0, "colour": "red"}, "label": "b", "typical": true}
        );
        assert_eq!(serde_json::to_value(found).unwrap(), expected);
        let texts = Dataset::texts(["a"], ["b"]).unwrap();
        assert!(typical_row(&texts, &[0]).is_none());
    }

    #[cfg(feature = "images")]
    #[test]
    fn images_come_back_from_their_png() {
        use base64::Engine;
        use ngsll::dataset::ImageSize;

        for channels in [1, 3] {
            let pixels: Vec<u8> = (0..2 * channels as u8 * 6).map(|v| v * 5).collect();
            let images = Images::new(ImageSize { width: 3, height: 2, channels }, pixels).unwrap();
            let data = Dataset::images(images.clone(), ["a", "b"]).unwrap();
            let found = examples(&data, &[1], &binary(), 5).unwrap();
            let Input::Image(base64) = &found[0].input else { panic!("{found:?}") };
            let png = base64::engine::general_purpose::STANDARD.decode(base64).unwrap();
            assert_eq!(image::load_from_memory(&png).unwrap().as_bytes(), images.get(1));
        }
        let two = ImageSize { width: 1, height: 1, channels: 2 };
        let data = Dataset::images(Images::new(two, vec![0; 4]).unwrap(), ["a", "b"]).unwrap();
        assert!(examples(&data, &[0], &binary(), 1).unwrap().is_empty());
    }
}
