//! Data from a fixed seed: nothing is downloaded.

use ngsll::Dataset;
use ngsll::dataset::{ImageSize, Images};
use ngsll::random::{Purpose, stream};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use std::f32::consts::PI;

/// Pixels of an image from side to side, as in MNIST.
const SIDE: usize = 28;

/// Pixels with ink: 19 %, as in MNIST.
const INK: usize = 150;

/// Words of a text.
pub const WORDS: usize = 20;

/// Grey 28×28 images of one winding stroke each. The label is no linear function of the ink:
/// whether left against right and top against bottom agree on which half has more of it.
pub fn images(n: usize) -> Dataset {
    let mut rng = stream(0, Purpose::Sample, 0, 0);
    let (mut pixels, mut labels) = (Vec::with_capacity(n * SIDE * SIDE), Vec::with_capacity(n));
    for _ in 0..n {
        let image = stroke(&mut rng);
        let more = |first: &dyn Fn(usize) -> bool| {
            let side = |i: usize| if first(i) { 1 } else { -1 };
            image.iter().enumerate().map(|(i, &ink)| side(i) * i32::from(ink)).sum::<i32>() > 0
        };
        let (left, top) = (more(&|i| i % SIDE < SIDE / 2), more(&|i| i / SIDE < SIDE / 2));
        labels.push(if left == top { "agree" } else { "differ" });
        pixels.extend(image);
    }
    let size = ImageSize { width: SIDE, height: SIDE, channels: 1 };
    let images = Images::new(size, pixels).expect("the images are whole");
    Dataset::images(images, labels).expect("each image has a label")
}

/// A brush of 2×2 pixels wanders within the 20×20 pixels in the middle, where MNIST's digits are.
fn stroke(rng: &mut ChaCha8Rng) -> Vec<u8> {
    let (low, high) = (4.0, (SIDE - 5) as f32);
    let mut image = vec![0; SIDE * SIDE];
    let mut inked = 0;
    let mut start = || rng.random_range(low..high);
    let (mut y, mut x) = (start(), start());
    let mut heading = rng.random_range(-PI..PI);
    while inked < INK {
        heading += rng.random_range(-0.6..0.6);
        let next = (y + heading.sin(), x + heading.cos());
        if next.0.min(next.1) < low || next.0.max(next.1) >= high {
            heading = rng.random_range(-PI..PI);
            continue;
        }
        (y, x) = next;
        for at in [0, 1, SIDE, SIDE + 1].map(|corner| y as usize * SIDE + x as usize + corner) {
            if image[at] == 0 {
                image[at] = rng.random_range(100..=255);
                inked += 1;
            }
        }
    }
    image
}

/// Texts of 20 words in which each of `vocabulary` words occurs equally often.
pub fn texts(n: usize, vocabulary: usize) -> Dataset {
    // A prime step visits every word before it comes back to the first.
    let word = |i: usize| format!("w{}", i * 7919 % vocabulary);
    let text = |i: usize| (0..WORDS).map(|t| word(i * WORDS + t)).collect::<Vec<_>>().join(" ");
    let texts: Vec<String> = (0..n).map(text).collect();
    let label = |i: usize| if i.is_multiple_of(2) { "even" } else { "odd" };
    Dataset::texts(texts, (0..n).map(label)).expect("each text has a label")
}
