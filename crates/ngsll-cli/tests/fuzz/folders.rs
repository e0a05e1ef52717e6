//! Model folders whose manifest fits: what a stranger could send.

use crate::campaign::campaign;
use crate::models;
use crate::mutate::{self, Random};
use ngsll::{Model, ModelFolder, Result, Samples};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

pub fn sha256(bytes: &[u8]) -> String {
    format!("{:x}", Sha256::digest(bytes))
}

/// Whether a model may use all features: then nothing is chosen by gradients, which takes most of the time.
#[derive(Clone, Copy, PartialEq)]
enum Features {
    Chosen,
    All,
}

/// Reads a folder and asks its model everything: what it answers are numbers.
fn ask(path: &Path, samples: &Samples, features: Features) -> Result<()> {
    let folder = ModelFolder::open(path)?;
    let model = folder.model()?;
    let k = (features == Features::All).then(|| model.largest_k());
    for explanation in model.explain_with(samples, k)? {
        let prediction = &explanation.prediction;
        if let Some(class) = prediction.class() {
            let of_all = class.probabilities().iter();
            assert!(of_all.clone().all(|p| (0.0..=1.0).contains(p)), "{prediction:?}");
        }
        assert!(prediction.value().is_none_or(f64::is_finite), "{prediction:?}");
        for output in &explanation.outputs {
            let terms = output.terms.iter().map(|term| term.contribution);
            let numbers = terms.chain([output.score, output.intercept]);
            assert!(numbers.clone().all(f64::is_finite), "{output:?}");
        }
    }
    model.card("A model");
    model.schema();
    Ok(())
}

/// A folder's files by their names.
pub type Content = Vec<(String, Vec<u8>)>;

pub fn content(folder: &Path) -> Content {
    let file = |path: PathBuf| {
        (path.file_name().unwrap().to_str().unwrap().to_string(), fs::read(path).unwrap())
    };
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| file(entry.unwrap().path())).collect()
}

/// A good folder, and the manifest's entry of each of its files.
struct Good {
    files: Content,
    manifest: BTreeMap<String, Value>,
    samples: Samples,
}

impl Good {
    fn of(model: &Model, samples: Samples, folder: &Path) -> Self {
        model.save(folder).unwrap();
        ask(folder, &samples, Features::Chosen).unwrap();
        let mut files = content(folder);
        files.retain(|(name, _)| name != "manifest.json");
        let manifest = files.iter().map(|(name, bytes)| (name.clone(), entry(bytes))).collect();
        Self { files, manifest, samples }
    }

    /// A copy that is changed and mended again and again: writing all files takes longer than reading them.
    fn copy(&self, folder: PathBuf) -> PathBuf {
        fs::create_dir_all(&folder).unwrap();
        self.files.iter().for_each(|(name, bytes)| fs::write(folder.join(name), bytes).unwrap());
        folder
    }

    /// Asks the copy with one file changed, and a manifest that fits: refused, or a model that answers.
    fn ask_changed(
        &self,
        copy: &Path,
        (name, bytes): (&str, &[u8]),
        features: Features,
    ) -> Result<()> {
        let mut manifest = self.manifest.clone();
        manifest.insert(name.to_string(), entry(bytes));
        fs::write(copy.join(name), bytes).unwrap();
        let manifest = serde_json::to_string_pretty(&manifest).unwrap() + "\n";
        fs::write(copy.join("manifest.json"), manifest).unwrap();
        let asked = ask(copy, &self.samples, features);
        match self.files.iter().find(|(own, _)| own == name) {
            Some((_, bytes)) => fs::write(copy.join(name), bytes).unwrap(),
            None => fs::remove_file(copy.join(name)).unwrap(),
        }
        asked
    }

    /// The folder with other values at these places of `config.json`.
    fn with(&self, copy: &Path, values: &[(&str, Value)]) -> Result<()> {
        let (_, bytes) = self.files.iter().find(|(name, _)| name == "config.json").unwrap();
        let mut content: Value = serde_json::from_slice(bytes).unwrap();
        for (pointer, value) in values {
            *content.pointer_mut(pointer).unwrap() = value.clone();
        }
        self.ask_once(copy, "config.json", &serde_json::to_vec(&content).unwrap())
    }

    fn ask_once(&self, copy: &Path, name: &str, bytes: &[u8]) -> Result<()> {
        self.ask_changed(copy, (name, bytes), Features::Chosen)
    }
}

fn entry(bytes: &[u8]) -> Value {
    json!({"bytes": bytes.len(), "sha256": sha256(bytes)})
}

#[test]
fn model_folders() {
    let folder = tempfile::tempdir().unwrap();
    let good: Vec<Good> = models::trained()
        .into_iter()
        .chain([models::prices()])
        .map(|(name, model, samples)| {
            Good::of(&model, samples.select(&[0]), &folder.path().join(name))
        })
        .collect();
    past_failures(&good, folder.path());
    campaign("model folders", || {
        let (folder, good) = (tempfile::tempdir().unwrap(), &good);
        let copies: Vec<(&Good, PathBuf)> = good
            .iter()
            .enumerate()
            .map(|(i, good)| (good, good.copy(folder.path().join(i.to_string()))))
            .collect();
        move |random: &mut Random<'_>| {
            // The folder lives as long as the copies are used.
            let _ = &folder;
            let (good, copy) = random.choose(&copies);
            let (name, bytes) = random.choose(&good.files);
            let bytes = changed(random, bytes);
            let model = copy.file_name().unwrap().to_string_lossy();
            random.reads(&format!("model-{model}.{name}"), &bytes);
            let features = if random.below(8) == 0 { Features::Chosen } else { Features::All };
            let _ = good.ask_changed(copy, (name, &bytes), features);
        }
    });
}

/// A file with a few changes, of its values or of its bytes.
fn changed(random: &mut Random<'_>, bytes: &[u8]) -> Vec<u8> {
    match serde_json::from_slice::<Value>(bytes) {
        Ok(mut content) if random.below(4) > 0 => {
            (0..=random.below(2)).for_each(|_| mutate::value(random, &mut content));
            serde_json::to_vec(&content).unwrap()
        }
        _ => {
            let good = [bytes.to_vec()];
            let mut bytes = bytes.to_vec();
            mutate::bytes(random, &mut bytes, &good);
            bytes
        }
    }
}

/// Changes that were found by attacks, each of which ended the program or gave something else than a number.
fn past_failures(good: &[Good], folder: &Path) {
    let [texts, _, images, prices] = good else { panic!("four models") };
    let copies: Vec<PathBuf> = good
        .iter()
        .enumerate()
        .map(|(i, good)| good.copy(folder.join(format!("once-{i}"))))
        .collect();
    // A file that no model has.
    assert!(texts.ask_once(&copies[0], "x0.safetensors", b"").is_err());
    // A configuration of nested lists, which any JSON would be kept as.
    let (_, config) = texts.files.iter().find(|(name, _)| name == "config.json").unwrap();
    let nested = format!(
        "{{\"more\": [{}0],{}",
        "[[]],".repeat(100_000),
        &String::from_utf8_lossy(config)[1..]
    );
    assert!(texts.ask_once(&copies[0], "config.json", nested.as_bytes()).is_ok());
    // Filters that no sample could pass.
    let filters = [("/config/generator/filters", json!(65_536))];
    assert!(texts.with(&copies[0], &filters).is_err());
    // A pixel's scale that divides by nothing, or by nearly nothing.
    let (_, grid) = images.files.iter().find(|(name, _)| name == "grid.json").unwrap();
    for deviation in [0.0, 1e-40, 1e-38] {
        let mut grid: Value = serde_json::from_slice(grid).unwrap();
        *grid.pointer_mut("/pixels/deviation").unwrap() = json!([deviation]);
        let grid = serde_json::to_vec(&grid).unwrap();
        let asked = images.ask_once(&copies[2], "grid.json", &grid);
        assert!(asked.is_err() || deviation > 0.0);
    }
    // Logarithms of numbers that there are none of.
    let scale = |correction: f64| json!({"kind": "log", "correction": correction});
    let objective = |correction: f64| {
        let scale = scale(correction);
        json!({"kind": "regression", "target": "y", "mean": 5, "deviation": 1, "scale": scale})
    };
    for correction in [1000.0, 740.0] {
        assert!(prices.with(&copies[3], &[("/objective", objective(correction))]).is_err());
    }
}
