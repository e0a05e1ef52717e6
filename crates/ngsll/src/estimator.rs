//! The front door: options, then `fit`.

use crate::config::{ColumnConfig, Config, Task};
use crate::dataset::Dataset;
use crate::drift::DataSummary;
use crate::error::Result;
use crate::evidence::{Choice, Evidence};
use crate::findings::Finding;
use crate::gate::GateScope;
use crate::generator::GeneratorConfig;
use crate::model::Model;
use crate::model_folder::{DataDigest, Notes, TestRows};
use crate::objective::ObjectiveChoice;
use crate::representation::{RepresentationConfig, WordVectors};
use crate::setup::{Fitted, TrainingSetup};
use crate::train::{Checkpoints, ClassWeights, Event, Preset};
use burn::tensor::Device;
use std::fmt;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// A model to be trained: choose options, then [`fit`](Self::fit).
///
/// | setter | default | purpose |
/// |---|---|---|
/// | [`terms`](Self::terms) | 5 | K, the number of terms of each score |
/// | [`seed`](Self::seed) | 0 | where all randomness comes from |
/// | [`epochs`](Self::epochs) | by data size | how often training sees the data |
/// | [`batch_size`](Self::batch_size) | by data size | samples per step |
/// | [`evidence`](Self::evidence) | `Chosen` | what predictions are made from |
/// | [`preset`](Self::preset) | by evidence | the training schedule |
/// | [`objective`](Self::objective) | by the labels | classes or a number |
/// | [`representation`](Self::representation) | by the kind of sample | words, cells or columns |
/// | [`generator`](Self::generator) | by the kind of sample | the network |
/// | [`units`](Self::units) | by the network | the size of its layers |
/// | [`column`](Self::column) | by content | what a column of a table is, and whether it is monotone |
/// | [`choice`](Self::choice) | by the kind of sample | how features are chosen |
/// | [`learning_rate`](Self::learning_rate) | 0.001 | the step size at the start |
/// | [`vectors`](Self::vectors) | none | pretrained vectors of words |
/// | [`gate`](Self::gate) | `PerClass` | whether several classes share their features |
/// | [`class_weights`](Self::class_weights) | none | how classes count in the loss |
/// | [`target`](Self::target) | `label` | the name of what is predicted |
/// | [`valid_fraction`](Self::valid_fraction) | 0.1 | share of the samples that decides when to stop |
/// | [`validation`](Self::validation) | | samples that decide when to stop |
/// | [`checkpoints`](Self::checkpoints) | none | a folder to go on from after an interruption |
/// | [`progress`](Self::progress) | | hears about every step and epoch |
/// | [`keep_when_stopped`](Self::keep_when_stopped) | no | what is learned when `progress` breaks off |
/// | [`device`](Self::device) | the CPU | where to train and predict |
///
/// Every other option is a field of [`Config`]: see [`from_config`](Self::from_config).
///
/// ```
/// use ngsll::{Dataset, Ngsll};
/// let texts = (0..200).map(|i| ["good not bad", "bad not good"][i % 2]);
/// let labels = (0..200).map(|i| ["praise", "blame"][i % 2]);
/// let data = Dataset::texts(texts, labels)?;
/// let model = Ngsll::text().terms(1).epochs(10).fit(&data)?;
/// assert_eq!(model.predict(&data)?[0].class().map(|class| class.label()), Some("praise"));
/// assert_eq!(model.explain(&data)?[0].outputs[0].terms.len(), 1);
/// # Ok::<(), ngsll::Error>(())
/// ```
pub struct Ngsll<'a> {
    config: Config,
    validation: Option<&'a Dataset>,
    checkpoints: Option<PathBuf>,
    progress: Box<dyn FnMut(Event<'_>) -> ControlFlow<()> + 'a>,
    keep_when_stopped: bool,
    vectors: Option<WordVectors>,
    device: Device,
}

impl fmt::Debug for Ngsll<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ngsll").field("config", &self.config).finish_non_exhaustive()
    }
}

impl<'a> Ngsll<'a> {
    /// For texts: terms are words.
    pub fn text() -> Self {
        Self::from_config(Config::new(Task::Text))
    }

    /// For images: terms are cells of a grid.
    pub fn images() -> Self {
        Self::from_config(Config::new(Task::Image))
    }

    /// For tables: terms are columns.
    pub fn table() -> Self {
        Self::from_config(Config::new(Task::Tabular))
    }

    /// With options from elsewhere, such as a file, or with some that have no setter here.
    ///
    /// ```
    /// use ngsll::config::{Config, Task};
    /// let mut config = Config::new(Task::Tabular);
    /// config.training.weight_decay = Some(0.01);
    /// let ngsll = ngsll::Ngsll::from_config(config).terms(3);
    /// # drop(ngsll);
    /// ```
    pub fn from_config(config: Config) -> Self {
        let progress = Box::new(|_: Event<'_>| ControlFlow::Continue(()));
        let device = Device::default();
        let (validation, checkpoints, keep_when_stopped, vectors) = (None, None, false, None);
        Self { config, validation, checkpoints, progress, keep_when_stopped, vectors, device }
    }

    /// K, the number of terms of each score.
    pub fn terms(mut self, k: usize) -> Self {
        self.config.k = k;
        self
    }

    /// Where all randomness comes from: the same seed gives the same model.
    pub fn seed(mut self, seed: u64) -> Self {
        self.config.seed = seed;
        self
    }

    /// How often training sees the data; by its size otherwise.
    pub fn epochs(mut self, epochs: usize) -> Self {
        self.config.training.epochs = Some(epochs);
        self
    }

    /// Samples per step; by the size of the data otherwise.
    pub fn batch_size(mut self, samples: usize) -> Self {
        self.config.training.batch_size = Some(samples);
        self
    }

    /// What predictions are made from: the chosen features alone, or the whole sample as in the paper.
    /// The defaults of the preset and the network go with it.
    pub fn evidence(mut self, evidence: Evidence) -> Self {
        let before = Config::with_evidence(self.config.task, self.config.training.evidence());
        let after = Config::with_evidence(self.config.task, evidence);
        if self.config.generator == before.generator {
            self.config.generator = after.generator;
        }
        (self.config.training.evidence, self.config.training.preset) =
            (None, after.training.preset);
        self
    }

    /// The training schedule; the presets of the paper's method see whole samples.
    pub fn preset(self, preset: Preset) -> Self {
        let evidence = match preset {
            Preset::Subsets => Evidence::Chosen,
            Preset::Annealed | Preset::Paper => Evidence::Whole,
        };
        let mut own = self.evidence(evidence);
        own.config.training.preset = preset;
        own
    }

    /// Classes or a number.
    pub fn objective(mut self, objective: ObjectiveChoice) -> Self {
        self.config.objective = objective;
        self
    }

    /// How features are made; must go with the kind of sample.
    pub fn representation(mut self, representation: impl Into<RepresentationConfig>) -> Self {
        self.config.representation = representation.into();
        self
    }

    /// The network; must go with the kind of sample.
    pub fn generator(mut self, generator: impl Into<GeneratorConfig>) -> Self {
        self.config.generator = generator.into();
        self
    }

    /// U, the units of each fully connected layer of the network that is chosen by now.
    pub fn units(mut self, units: usize) -> Self {
        self.config.generator.set_units(units);
        self
    }

    /// What is known about a column of a table: what its cells are, which way the score may go as its value rises,
    /// or both. It replaces what was said of the column before.
    ///
    /// ```
    /// use ngsll::Ngsll;
    /// use ngsll::dataset::{Column, ColumnKind, Dataset, Table};
    /// use ngsll::representation::Monotone;
    /// let size = Column::numeric("size", (0..200).map(f64::from))?;
    /// let zip = Column::categorical("zip", (0..200).map(|i| Some(["1010", "1020"][i % 2])));
    /// let price = (0..200).map(|i| i * i);
    /// let data = Dataset::table(Table::new([size, zip])?, price)?;
    /// let houses = Ngsll::table()
    ///     .column("size", (ColumnKind::Numeric, Monotone::Up))
    ///     .column("zip", ColumnKind::Categorical);
    /// let model = houses.terms(1).epochs(1).units(16).fit(&data)?;
    /// assert_eq!(model.config().data.columns["size"].monotone, Some(Monotone::Up));
    /// # Ok::<(), ngsll::Error>(())
    /// ```
    pub fn column(mut self, name: impl Into<String>, known: impl Into<ColumnConfig>) -> Self {
        self.config.data.columns.insert(name.into(), known.into());
        self
    }

    /// How features are chosen, with evidence `Chosen`.
    pub fn choice(mut self, choice: Choice) -> Self {
        self.config.choice = Some(choice);
        self
    }

    /// The step size at the start of the preset `Subsets`.
    pub fn learning_rate(mut self, step_size: f64) -> Self {
        self.config.training.learning_rate = Some(step_size);
        self
    }

    /// Pretrained vectors for the words of texts; `generator.vectors_fixed` says whether they stay as they are.
    ///
    /// ```
    /// use ngsll::generator::TokenContextConfig;
    /// use ngsll::representation::WordVectors;
    /// use ngsll::{Dataset, Ngsll};
    /// let words = ["fine", "dull", "great", "boring"].map(String::from).to_vec();
    /// let vectors = WordVectors::new(words, vec![1.0, 0.1, -1.0, 0.1, 0.9, 0.1, -0.9, 0.2])?;
    /// let texts = (0..200).map(|i| ["a fine film", "a dull film"][i % 2]);
    /// let data = Dataset::texts(texts, (0..200).map(|i| ["praise", "blame"][i % 2]))?;
    /// let mut network = TokenContextConfig::default();
    /// network.vectors_fixed = true;
    /// let ngsll = Ngsll::text().generator(network);
    /// let model = ngsll.terms(1).epochs(10).vectors(vectors).fit(&data)?;
    /// // A word that no training text has.
    /// let new = Dataset::texts(["a great film"], ["praise"])?;
    /// assert_eq!(model.predict(&new)?[0].class().map(|class| class.label()), Some("praise"));
    /// # Ok::<(), ngsll::Error>(())
    /// ```
    pub fn vectors(mut self, vectors: WordVectors) -> Self {
        self.vectors = Some(vectors);
        self
    }

    /// Whether several classes share their features.
    pub fn gate(mut self, scope: GateScope) -> Self {
        self.config.training.gate = scope;
        self
    }

    /// How classes count in the loss.
    pub fn class_weights(mut self, weights: ClassWeights) -> Self {
        self.config.training.class_weights = weights;
        self
    }

    /// The name of what is predicted, in messages and explanations.
    pub fn target(mut self, name: impl Into<String>) -> Self {
        self.config.data.target = Some(name.into());
        self
    }

    /// The share of the samples that decides when to stop, where there are none for it.
    pub fn valid_fraction(mut self, share: f64) -> Self {
        self.config.data.valid_fraction = share;
        self
    }

    /// Samples that decide when to stop.
    pub fn validation(mut self, data: &'a Dataset) -> Self {
        self.validation = Some(data);
        self
    }

    /// Keeps checkpoints in `folder` and goes on from one that is there. The folder stays when training
    /// is done: remove it when the model is saved.
    pub fn checkpoints(mut self, folder: impl Into<PathBuf>) -> Self {
        self.checkpoints = Some(folder.into());
        self
    }

    /// Called on every step and epoch; `Break` stops with [`Error::Interrupted`](crate::Error::Interrupted).
    pub fn progress(mut self, hear: impl FnMut(Event<'_>) -> ControlFlow<()> + 'a) -> Self {
        self.progress = Box::new(hear);
        self
    }

    /// A training that `progress` breaks off gives the model of its best epoch so far, instead of
    /// [`Error::Interrupted`](crate::Error::Interrupted).
    ///
    /// ```
    /// use ngsll::{Dataset, Ngsll};
    /// use std::ops::ControlFlow;
    /// let texts = (0..40).map(|i| ["a good film", "a bad film"][i % 2]);
    /// let data = Dataset::texts(texts, (0..40).map(|i| ["praise", "blame"][i % 2]))?;
    /// let stopped = || Ngsll::text().progress(|_| ControlFlow::Break(()));
    /// assert!(matches!(stopped().fit(&data), Err(ngsll::Error::Interrupted)));
    /// assert_eq!(stopped().keep_when_stopped().fit(&data)?.predict(&data)?.len(), 40);
    /// # Ok::<(), ngsll::Error>(())
    /// ```
    pub fn keep_when_stopped(mut self) -> Self {
        self.keep_when_stopped = true;
        self
    }

    /// Where to train and predict.
    pub fn device(mut self, device: Device) -> Self {
        self.device = device;
        self
    }

    /// Checks the options and prepares the data, for callers who want more than a model. Checkpoints and
    /// progress are then given to [`TrainingSetup::fit`].
    pub fn setup(mut self, data: &Dataset) -> Result<TrainingSetup> {
        if let Some(vectors) = self.vectors {
            self.config.generator.set_vectors(vectors.into())?;
        }
        let setup = TrainingSetup::new(self.config.check()?, data, self.validation, &self.device)?;
        Ok(if self.keep_when_stopped { setup.keeping_when_stopped() } else { setup })
    }

    /// Trains on labelled samples.
    pub fn fit(mut self, data: &Dataset) -> Result<Model> {
        let silent = Box::new(|_: Event<'_>| ControlFlow::Continue(()));
        let (validation, checkpoints) = (self.validation, self.checkpoints.take());
        let mut progress = std::mem::replace(&mut self.progress, silent);
        let setup = self.setup(data)?;
        let checkpoints = checkpoints.map(|folder| Checkpoints::new(folder, setup.fingerprint()));
        let Fitted { model, history } = setup.fit(checkpoints.as_ref(), &mut progress)?;
        let facts = vec![
            ("training samples".to_string(), setup.rows().train.len().to_string()),
            ("features".to_string(), setup.representation().features().to_string()),
            ("epochs".to_string(), history.len().to_string()),
        ];
        let (command, mut findings) = (setup.resolved_toml()?, setup.findings(data, validation));
        let rows = setup.rows();
        let held_out = validation.unwrap_or(data).select(&rows.valid);
        let metrics = model.evaluate(&held_out)?;
        findings.extend(Finding::no_better_than_a_guess(&metrics, Some("validation")));
        let test_rows = TestRows::new(&rows.test, data, &model.schema());
        let digest = Some(DataDigest::new(data, &model.schema()));
        let notes = Notes {
            facts,
            history,
            command,
            findings,
            test_rows,
            data: digest,
            ..Notes::default()
        };
        let summary = DataSummary::of(
            &model,
            (data, &rows.train),
            (validation.unwrap_or(data), &rows.valid),
        )?;
        Ok(model.with_notes(notes).with_summary(summary))
    }
}
