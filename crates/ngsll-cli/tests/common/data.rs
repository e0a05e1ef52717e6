//! Small data with something to learn in it.

use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;

/// `label<TAB>text`, 60 lines.
pub fn reviews() -> String {
    let line = |i: usize| match i % 2 {
        0 => format!("neg\ta bad and poor film number {}\n", i % 7),
        _ => format!("pos\ta good and fine film number {}\n", i % 7),
    };
    (0..60).map(line).collect()
}

/// 80 rows with a numeric column (some missing), a categorical one (some missing), a number `price`
/// and a class `kind`.
pub fn houses() -> String {
    let row = |i: usize| {
        let size = if i.is_multiple_of(9) { String::new() } else { format!("{}.5", i % 11) };
        let colour = ["red", "blue", "green", "NA"][i % 4];
        let price = 100.0 + 3.25 * (i % 11) as f64 + 0.1 * i as f64;
        format!("{size},{colour},{price},{}\n", if i % 11 > 5 { "big" } else { "small" })
    };
    "size,colour,price,kind\n".to_string() + &(0..80).map(row).collect::<String>()
}

/// An 8×8 image of class 0 (ink on the left) or 1 (ink on the right).
pub fn digit(i: usize) -> Vec<u8> {
    let left = i.is_multiple_of(2);
    let ink = |at: usize| (at % 8 < 4) == left;
    (0..64).map(|at| if ink(at) { 120 + ((at * 7 + i * 13) % 120) as u8 } else { 0 }).collect()
}

/// IDX images of 8×8 pixels and their labels, 0 and 1 in turn.
pub fn digits(n: usize) -> (Vec<u8>, Vec<u8>) {
    let labels: Vec<u8> = (0..n).map(|i| (i % 2) as u8).collect();
    let pixels: Vec<u8> = (0..n).flat_map(digit).collect();
    (idx(&[n as u32, 8, 8], &pixels), idx(&[n as u32], &labels))
}

/// An IDX file of bytes.
pub fn idx(sides: &[u32], bytes: &[u8]) -> Vec<u8> {
    let mut file = vec![0, 0, 8, sides.len() as u8];
    sides.iter().for_each(|side| file.extend(side.to_be_bytes()));
    file.extend(bytes);
    file
}

/// A grey PNG image.
pub fn png(width: u32, height: u32, pixels: &[u8]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.write_header().unwrap().write_image_data(pixels).unwrap();
    file
}

/// Gzip-compressed bytes.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A number that two of ten columns make; the others do not help.
pub fn noisy_rows(n: usize) -> String {
    let mut state = 1_u64;
    let mut draw = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as f64 / f64::from(1 << 30) - 1.0
    };
    let mut row = |_| {
        let values = [(); 10].map(|()| draw());
        let y = 2.0 * values[8] + values[9] + 0.1 * draw();
        values.map(|value| format!("{value:.3},")).concat() + &format!("{y:.3}\n")
    };
    "a,b,c,d,e,f,g,h,x,w,y\n".to_string() + &(0..n).map(&mut row).collect::<String>()
}
