//! Data sets of a few samples, laid out as the real ones.

use std::fs;
use std::path::Path;

/// Writes all four.
pub fn make_data(folder: &Path) {
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    };
    for (part, n) in [("train", 48), ("t10k", 20)] {
        let labels: Vec<u8> = (0..n).map(|i| (i % 10) as u8).collect();
        let pixels: Vec<u8> = (0..n).flat_map(digit).collect();
        let (n, side) = (n as u32, 28);
        write(&format!("mnist/{part}-images-idx3-ubyte.gz"), &idx(&[n, side, side], &pixels));
        write(&format!("mnist/{part}-labels-idx1-ubyte.gz"), &idx(&[n], &labels));
    }
    let opinion = |i: usize| ["a bad poor film <b>", "a good fine film & more"][i % 2];
    let lines: String = (0..40).map(|i| format!("{}\t{} {}\n", i % 2, opinion(i), i % 3)).collect();
    for name in ["mpqa", "subj"] {
        write(&format!("{name}/{name}.tsv"), lines.as_bytes());
        write(&format!("{name}/labels.txt"), b"no\nyes\n");
    }
    let asked = |i: usize| ["how far is it ?", "who was that man ?", "where is the city ?"][i % 3];
    let question = |i: usize| format!("{}\t{}\n", i % 3, asked(i));
    write("trec/train.tsv", (0..45).map(question).collect::<String>().as_bytes());
    write("trec/test.tsv", (0..15).map(question).collect::<String>().as_bytes());
    write("trec/labels.txt", b"NUM\nHUM\nLOC\n");
}

/// An image with a bar whose height tells the digit.
fn digit(i: usize) -> Vec<u8> {
    let top = 2 * (i % 10) + 2;
    let ink = |at: usize| (top..top + 6).contains(&(at / 28)) && (6..22).contains(&(at % 28));
    (0..28 * 28).map(|at| if ink(at) { 200 + (i % 50) as u8 } else { 0 }).collect()
}

/// An IDX file of bytes.
pub fn idx(sides: &[u32], bytes: &[u8]) -> Vec<u8> {
    let mut file = vec![0, 0, 8, sides.len() as u8];
    sides.iter().for_each(|side| file.extend(side.to_be_bytes()));
    file.extend(bytes);
    file
}
