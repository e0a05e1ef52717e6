//! Random changes, of bytes and of JSON values.

use serde_json::{Value, json};

/// Keeps bytes under a name.
pub type Keep<'a> = &'a dyn Fn(&str, &[u8]);

/// An execution: random numbers from a seed (SplitMix64), and where its input is kept, if it is.
pub struct Random<'a> {
    state: u64,
    keep: Option<Keep<'a>>,
}

impl<'a> Random<'a> {
    pub fn new(seed: u64, keep: Option<Keep<'a>>) -> Self {
        Self { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15), keep }
    }

    /// Says what is about to be read.
    pub fn reads(&self, name: &str, bytes: &[u8]) {
        if let Some(keep) = self.keep {
            keep(name, bytes);
        }
    }

    pub fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = self.state;
        let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `end`, which is at least 1.
    pub fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    pub fn choose<'b, T>(&mut self, from: &'b [T]) -> &'b T {
        &from[self.below(from.len())]
    }
}

/// Texts that parsers stumble over.
const TOKENS: [&[u8]; 16] = [
    b"\"",
    b"\n",
    b"\r\n",
    b"\0",
    b",",
    b"\t",
    b";",
    b"{",
    b"[",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"1e999",
    b"-9223372036854775808",
    b"18446744073709551616",
    b"NaN",
    b"\xc3",
];

/// A few changes of some bytes; `others` are good files to take pieces from.
pub fn bytes(random: &mut Random<'_>, bytes: &mut Vec<u8>, others: &[Vec<u8>]) {
    for _ in 0..=random.below(6) {
        let at = random.below(bytes.len() + 1);
        let end = (at + 1 + random.below(16)).min(bytes.len());
        match random.below(10) {
            0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            1 if at < bytes.len() => bytes[at] = *random.choose(&[0, 1, 0x7f, 0x80, 0xff]),
            2 if at < bytes.len() => bytes[at] = random.next() as u8,
            3 => drop(bytes.drain(at.min(end)..end)),
            4 => {
                let piece = bytes[at.min(end)..end].to_vec();
                let piece = piece.repeat(1 + random.below(64));
                bytes.splice(at..at, piece);
            }
            5 => bytes.truncate(at),
            6 => {
                let token = *random.choose(&TOKENS);
                bytes.splice(at..at, token.iter().copied());
            }
            7 => {
                let other = random.choose(others);
                let from = random.below(other.len() + 1);
                let until = (from + random.below(256)).min(other.len());
                bytes.splice(at..at, other[from..until].iter().copied());
            }
            8 if end - at.min(end) >= 4 => {
                // A length or a count, in either order of bytes.
                let number = *random.choose(&[0_u32, 1, 0xffff, 0x7fff_ffff, u32::MAX, 1 << 20]);
                let number =
                    if random.below(2) == 0 { number.to_be_bytes() } else { number.to_le_bytes() };
                bytes[at..at + 4].copy_from_slice(&number);
            }
            _ if at < bytes.len() => bytes[at] = bytes[at].wrapping_add(1),
            _ => {}
        }
    }
}

/// Values that are not meant.
fn odd(random: &mut Random<'_>) -> Value {
    let numbers = [0_i64, -1, 1, 2, 3, 7, 100, 65_536, 1 << 20, 1 << 40, i64::MAX];
    match random.below(8) {
        0 => Value::Null,
        1 => json!(""),
        2 => json!([]),
        3 => json!({}),
        4 => json!(*random.choose(&[1e-300, 1e30, 1e300, -0.5, 0.5, 1e38])),
        5 => json!(true),
        _ => json!(*random.choose(&numbers)),
    }
}

/// One value of a document, anywhere in it, becomes another, goes, or comes twice.
pub fn value(random: &mut Random<'_>, root: &mut Value) {
    let mut places = Vec::new();
    pointers(root, &mut String::new(), &mut places);
    let pointer = random.choose(&places).clone();
    let (parent, name) = pointer.rsplit_once('/').unwrap_or(("", ""));
    let what = random.below(6);
    match (root.pointer_mut(parent), what) {
        (Some(Value::Array(items)), 0) if !items.is_empty() => {
            let at = random.below(items.len());
            items.remove(at);
        }
        (Some(Value::Array(items)), 1) if !items.is_empty() => {
            let item = random.choose(items).clone();
            items.push(item);
        }
        (Some(Value::Object(items)), 0) => drop(items.remove(name)),
        _ => {
            let place = root.pointer_mut(&pointer).expect("it was found");
            let number = place.as_f64();
            *place = match (number, random.below(4)) {
                (Some(number), 0) => json!(number + 1.0),
                (Some(number), 1) => json!(-number),
                (Some(number), 2) if number >= 0.0 => json!((number as u64).saturating_mul(2)),
                _ => odd(random),
            };
        }
    }
}

fn pointers(value: &Value, at: &mut String, found: &mut Vec<String>) {
    found.push(at.clone());
    let length = at.len();
    let mut inner = |name: &str, value: &Value| {
        at.push('/');
        at.push_str(&name.replace('~', "~0").replace('/', "~1"));
        pointers(value, at, found);
        at.truncate(length);
    };
    match value {
        Value::Object(items) => items.iter().for_each(|(name, value)| inner(name, value)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(i, value)| inner(&i.to_string(), value));
        }
        _ => {}
    }
}
