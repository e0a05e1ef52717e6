use super::*;
use crate::random::{Purpose, stream};
use std::collections::HashSet;

#[test]
fn cells_hold_their_mean_ink_even_when_the_size_does_not_divide() {
    let grid =
        Grid { channels: 1, height: 3, width: 3, rows: 2, columns: 2, regions: None, pixels: None };
    let z = grid.ink(&[51, 0, 0, 0, 255, 255, 0, 255, 255]);
    // Borders fall after pixel 1 of 3: the first cell has one pixel, the last four.
    assert_eq!(z.values, [0.2, 0.0, 0.0, 1.0]);
    assert_eq!(grid.name(1), "row 1, column 2");
    assert_eq!(grid.cells(), [0, 1, 1, 2, 3, 3, 2, 3, 3]);
}

#[test]
fn regions_take_the_place_of_cells() {
    let size = ImageSize { width: 2, height: 2, channels: 1 };
    let images = Images::new(size, vec![51, 102, 255, 0]).unwrap();
    let mut config = GridConfig { regions: Some("mask.png".into()), ..GridConfig::default() };
    let unread = Grid::fit(&config, &images).unwrap_err().to_string();
    assert!(unread.starts_with("representation.regions = mask.png: the mask has not been"));
    let names = ["edge", "rest"].map(String::from);
    config.region_map = Some(Regions::new((2, 2), &[3, 3, 3, 8], &names).unwrap());
    let grid = Grid::fit(&config, &images).unwrap();
    assert_eq!((grid.features(), grid.name(0)), (2, "edge".to_string()));
    assert_eq!(grid.cells(), [0, 0, 0, 1]);
    assert_eq!(grid.ink(images.get(0)).values, [1.6 / 3.0, 0.0]);
    let encoded = grid.encode(&images.into()).unwrap().unwrap();
    let removed = grid.changed(&encoded, 0, Change::Remove { feature: 0 }).unwrap();
    assert_eq!(removed.pixels(0, 4), [0; 4]);
    let json = serde_json::to_string(&grid).unwrap();
    assert_eq!(serde_json::from_str::<Grid>(&json).unwrap(), grid);
    let before = r#"{"channels":1,"height":2,"width":2,"rows":1,"columns":2}"#;
    let before: Grid = serde_json::from_str(before).unwrap();
    assert_eq!(serde_json::to_string(&before).unwrap().matches("regions").count(), 0);
    for (wrong, expected) in [
        (
            r#"{"channels":1,"height":2,"width":2,"rows":1,"columns":0}"#,
            "0×1 cells or its regions do not fit",
        ),
        (r#"{"channels":0,"height":2,"width":2,"rows":1,"columns":1}"#, "2×2 pixels in 0 channels"),
    ] {
        let found = serde_json::from_str::<Grid>(wrong).unwrap_err().to_string();
        assert!(found.contains(expected), "{found}");
    }
    assert_eq!(format!("{:?}", GridConfig::default()), "GridConfig { cells: [7, 7] }");
}

#[test]
fn moved_images_hold_the_pixels_of_their_origin_and_repeat_the_border() {
    let (channels, height, width, most) = (2, 5, 4, 2);
    let grid = Grid { channels, height, width, rows: 2, columns: 2, regions: None, pixels: None };
    let pixels: Vec<u8> = (0..3 * grid.size().bytes() as u8).collect();
    let images = Encoded { len: 3, x: EncodedX::Images(pixels) };
    // Image 1 four hundred times, so that every move is drawn.
    let rows = [&[2, 0][..], &[1; 400]].concat();
    let moved = |seed| grid.moved(&images, &rows, most, &mut stream(seed, Purpose::Shift, 0, 0));
    let first = moved(1);
    assert_eq!(first.len, 402);
    let mut seen = HashSet::new();
    for (i, &row) in rows.iter().enumerate() {
        let (from, to) = (images.pixels(row, 40), first.pixels(i, 40));
        let is_moved = |&(down, right): &(i64, i64)| {
            (0..40).all(|p| {
                let (c, y, x) = (p % 2, p as i64 / 8, p as i64 / 2 % 4);
                let (y, x) = ((y - down).clamp(0, 4), (x - right).clamp(0, 3));
                to[p] == from[2 * (y * 4 + x) as usize + c]
            })
        };
        let moves = (-2..=2).flat_map(|down| (-2..=2).map(move |right| (down, right)));
        let found: Vec<_> = moves.filter(is_moved).collect();
        assert_eq!(found.len(), 1, "{to:?} is not image {row} moved");
        seen.insert(found[0]);
    }
    assert_eq!(seen.len(), 25, "only {seen:?} of 5 × 5 moves were drawn");
    assert_eq!(first.pixels(9, 40), moved(1).pixels(9, 40));
    let pixels = |e: &Encoded| (0..402).flat_map(|i| e.pixels(i, 40).to_vec()).collect::<Vec<_>>();
    assert_ne!(pixels(&first), pixels(&moved(2)));
}
