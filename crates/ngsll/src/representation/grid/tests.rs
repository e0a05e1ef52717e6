use super::*;
use crate::random::{Purpose, stream};
use crate::representation::Representation;
use crate::test_support::Small;
use std::collections::HashSet;

#[test]
fn cells_hold_their_mean_ink_even_when_the_size_does_not_divide() {
    let grid = Grid {
        channels: 1,
        height: 3,
        width: 3,
        rows: 2,
        columns: 2,
        regions: None,
        superpixels: false,
        pixels: None,
    };
    let z = grid.ink(&[51, 0, 0, 0, 255, 255, 0, 255, 255], None);
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
    assert_eq!(grid.ink(images.get(0), None).values, [1.6 / 3.0, 0.0]);
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
        (
            r#"{"channels":1,"height":300,"width":300,"rows":300,"columns":300,"superpixels":true}"#,
            "at most 65536",
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
    let grid = Grid {
        channels,
        height,
        width,
        rows: 2,
        columns: 2,
        regions: None,
        superpixels: false,
        pixels: None,
    };
    let pixels: Vec<u8> = (0..3 * grid.size().bytes() as u8).collect();
    let images = Encoded { len: 3, x: EncodedX::Images { pixels, regions: None } };
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

/// Colour images of 16×12 pixels: left and right of column `edge`, and a black corner.
fn two_halves(edges: &[usize]) -> Images {
    let size = ImageSize { width: 16, height: 12, channels: 3 };
    let pixel = |x: usize, y: usize, edge: usize| match (x < edge, y < 4 && x >= 12) {
        (_, true) => [0; 3],
        (true, _) => [200, 40, 0],
        _ => [0, 60, 240],
    };
    let image = |&edge: &usize| {
        (0..12 * 16).flat_map(move |at| pixel(at % 16, at / 16, edge)).collect::<Vec<u8>>()
    };
    Images::new(size, edges.iter().flat_map(image).collect()).unwrap()
}

#[test]
fn each_image_has_regions_of_its_own() {
    let images = two_halves(&[6, 9]);
    let config =
        GridConfig { cells: [3, 4], regions: Some("slic".into()), ..GridConfig::default() };
    let grid = Grid::fit(&config, &images).unwrap();
    assert!(grid.superpixels() && grid.regions().is_none());
    assert_eq!((grid.features(), grid.name(6)), (12, "region around row 2, column 3".to_string()));
    assert_eq!(grid.describe(), "images of 16×12 pixels, each in up to 12 regions of its own");
    let encoded = grid.encode(&images.clone().into()).unwrap().unwrap();
    let [first, second] = [0, 1].map(|row| encoded.regions(row, 192).unwrap().to_vec());
    assert_ne!(first, second);
    for (row, regions) in [&first, &second].into_iter().enumerate() {
        let cells = grid.cells_of(images.get(row));
        assert!(cells.iter().zip(regions).all(|(cell, region)| *cell == usize::from(*region)));
        let z = grid.z(&encoded, row);
        assert_eq!(z.indices, (0..12).collect::<Vec<u32>>());
        for (j, value) in z.values.into_iter().enumerate() {
            // Every region is of one colour, so its mean is that of any of its pixels; black has no ink.
            let own = regions.iter().position(|region| usize::from(*region) == j);
            let ink = |at: usize| {
                let pixel = &images.get(row)[3 * at..3 * at + 3];
                pixel.iter().map(|&p| f32::from(p)).sum::<f32>() / 765.0
            };
            assert!((value - own.map_or(0.0, ink)).abs() < 1e-6, "{value} of region {j}");
        }
        assert_eq!(grid.z(&encoded, row).values[3], 0.0);
    }
    // A region is removed as a whole, and the others stay as they are.
    let removed = grid.changed(&encoded, 1, Change::Remove { feature: 4 }).unwrap();
    assert_eq!(removed.regions(0, 192), Some(&second[..]));
    for (at, pixel) in removed.pixels(0, 576).chunks(3).enumerate() {
        let own = &images.get(1)[3 * at..3 * at + 3];
        assert_eq!(pixel, if second[at] == 4 { &[0; 3] } else { own });
    }
    // One sample by itself, and put together again.
    let parts = (0..2).map(|row| encoded.sample(row));
    let joined = Encoded::concat(parts);
    assert_eq!(joined.regions(1, 192), Some(&second[..]));
    // A person sees them with their names.
    let view = grid.view(&images.clone().into(), 1).unwrap();
    let SampleView::Image { regions: Some(regions), own_regions: true, .. } = view else {
        panic!("an image with regions")
    };
    assert!(regions.owners().iter().zip(&second).all(|(own, region)| *own == u32::from(*region)));
    assert_eq!(regions.name(6), grid.name(6));
    let json = serde_json::to_string(&grid).unwrap();
    assert_eq!(serde_json::from_str::<Grid>(&json).unwrap(), grid);
}

#[test]
fn options_that_do_not_go_with_regions_of_its_own_are_refused() {
    let slic = GridConfig { regions: Some("slic".into()), ..GridConfig::default() };
    let named = GridConfig { region_names: vec!["sky".into()], ..slic.clone() };
    let expected = "representation.region_names = sky: only the regions of a mask have names";
    assert!(named.check().unwrap_err().to_string().starts_with(expected));
    let many = GridConfig { cells: [300, 300], ..slic.clone() };
    let expected = "representation.cells = [300, 300]: expected at most 65536 regions";
    assert_eq!(many.check().unwrap_err().to_string(), expected);
    let large = GridConfig { cells: [13, 4], ..slic.clone() };
    let found = Grid::fit(&large, &two_halves(&[5])).unwrap_err().to_string();
    assert!(found.contains("expected rows from 1 to 12 and columns from 1 to 16"), "{found}");
    // What was read of another mask before has no meaning then.
    let mask = Regions::new((2, 1), &[0, 1], &[]).unwrap();
    let grid = Grid::fit(&GridConfig { region_map: Some(mask), ..slic.clone() }, &two_halves(&[5]));
    assert_eq!(grid.unwrap().features(), 49);
    assert_eq!(format!("{slic:?}").matches("\"slic\"").count(), 1);
}

#[test]
fn regions_move_with_their_image() {
    let (channels, height, width) = (1, 5, 4);
    let (rows, columns, regions, pixels) = (2, 2, None, None);
    let grid = Grid { channels, height, width, rows, columns, regions, superpixels: true, pixels };
    let regions = Some((0..20).map(|at| at / 5).collect());
    let images = Encoded { len: 1, x: EncodedX::Images { pixels: (0..20).collect(), regions } };
    let moved = grid.moved(&images, &[0; 50], 2, &mut stream(1, Purpose::Shift, 0, 0));
    for row in 0..50 {
        let pixels = moved.pixels(row, 20).iter().map(|&pixel| u16::from(pixel) / 5);
        assert_eq!(pixels.collect::<Vec<_>>(), moved.regions(row, 20).unwrap());
    }
    assert_ne!(moved.pixels(0, 20), moved.pixels(1, 20));
}

/// Other pixels and other outlines where nothing is kept change no score: of an image with regions of its own, the
/// network sees the kept ones and nothing else.
#[test]
fn what_is_outside_the_kept_regions_cannot_speak() {
    for outputs in [1, 3] {
        let small = Small::regions(outputs);
        let Representation::Grid(grid) = &small.representation else { panic!("they are images") };
        let encoded = grid.encode(&small.samples).unwrap().unwrap();
        let rows: Vec<usize> = (0..encoded.len()).collect();
        let (bytes, features) = (grid.size().bytes(), grid.features());
        for seed in 0..8 {
            let mut rng = stream(seed, Purpose::Sample, 0, 0);
            let mut draw = || (0..features).filter(|_| rng.random_range(0..5) < 2).collect();
            let mut kept: Vec<Vec<usize>> = rows.iter().map(|_| draw()).collect();
            kept.iter_mut().for_each(|kept| kept.truncate(features - 1));
            let (mut pixels, mut regions) = (Vec::new(), Vec::new());
            for (&row, kept) in rows.iter().zip(&kept) {
                let free: Vec<usize> = (0..features).filter(|j| !kept.contains(j)).collect();
                let own = encoded.pixels(row, bytes).iter();
                for (&pixel, &region) in own.zip(encoded.regions(row, bytes).unwrap()) {
                    let stays = kept.contains(&usize::from(region));
                    pixels.push(if stays { pixel } else { rng.random() });
                    let any = free[rng.random_range(0..free.len())] as u16;
                    regions.push(if stays { region } else { any });
                }
            }
            let regions = Some(regions);
            let other = Encoded { len: encoded.len(), x: EncodedX::Images { pixels, regions } };
            let scores = |encoded: &Encoded, kept: &[Vec<usize>]| {
                let batch = small.representation.batch(encoded, &rows, &small.device);
                small.scores(&batch, &batch.marks(kept.iter().map(|kept| &kept[..])))
            };
            let own = scores(&encoded, &kept);
            assert_eq!(own, scores(&other, &kept));
            // What is kept does have an influence.
            assert_ne!(own, scores(&encoded, &vec![Vec::new(); kept.len()]));
            // The marks of a region are those of its pixels, whatever else is in the batch.
            let alone = small.representation.batch(&encoded, &rows[2..3], &small.device);
            let alone = small.scores(&alone, &alone.marks(kept[2..3].iter().map(|k| &k[..])));
            assert_eq!(alone, own[2 * outputs..3 * outputs]);
        }
    }
}
