//! Helpers of the unit tests of several modules.

use crate::dataset::{Column, ImageSize, Images, Samples, Table, Texts};
use crate::evidence::{Evidence, subsets};
use crate::gate::GateScope;
use crate::generator::layers::Init;
use crate::generator::{
    BuiltIn, CellContextConfig, Dropout, GeneratorConfig, ImageCnnConfig, SentenceCnnConfig,
    TabularMlpConfig, TokenContextConfig,
};
use crate::network::{Forward, Gating, Intercept, Network};
use crate::random::{Purpose, stream};
use crate::representation::{
    Batch, ColumnsConfig, GridConfig, RegionSource, Representation, RepresentationConfig,
    WordsConfig,
};
use burn::module::Module;
use burn::tensor::Device;
use rand::RngExt;
use std::fmt::Debug;

/// Checks that the result of `work` has the same bits on one thread as on three.
pub(crate) fn assert_same_on_any_threads<T: PartialEq + Debug + Send>(work: impl Fn() -> T + Sync) {
    let [one, three] = [1, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(&work)
    });
    assert_eq!(one, three);
}

/// Samples of each kind, a representation where features are chosen, and a small network with random weights
/// that are not trained.
pub(crate) struct Small {
    pub samples: Samples,
    pub representation: Representation,
    pub network: Network<BuiltIn>,
    pub device: Device,
}

impl Small {
    pub fn new(samples: Samples, generator: &GeneratorConfig, outputs: usize) -> Self {
        let config: RepresentationConfig = match &samples {
            Samples::Images(_) => GridConfig { cells: [3, 3], ..GridConfig::default() }.into(),
            Samples::Texts(_) => WordsConfig { min_count: 1, ..WordsConfig::default() }.into(),
            Samples::Table(_) => ColumnsConfig { bins: 4, ..ColumnsConfig::default() }.into(),
        };
        Self::with(&config, samples, generator, outputs)
    }

    /// The same with options for the representation.
    pub fn with(
        config: &RepresentationConfig,
        samples: Samples,
        generator: &GeneratorConfig,
        outputs: usize,
    ) -> Self {
        let rows: Vec<usize> = (0..samples.len()).collect();
        let representation = config.fit(&samples, &rows, Evidence::Chosen).unwrap();
        let device = Device::default().autodiff();
        let mut rng = stream(7, Purpose::Initialize, 0, 0);
        let mut init = Init::new(&mut rng, &device);
        let dims = representation.dims(outputs, Evidence::Chosen);
        let generator = generator.build(dims, &mut init).unwrap();
        let intercept = Intercept::Fixed((0..outputs).map(|c| 0.1 * c as f32 - 0.2).collect());
        let network = Network::new(generator, outputs, GateScope::Shared, intercept, &device);
        Self { samples, representation, network: network.no_grad(), device }
    }

    /// All samples in one batch.
    pub fn batch(&self) -> Batch {
        let encoded = self.representation.encode(&self.samples).unwrap();
        let rows: Vec<usize> = (0..encoded.len()).collect();
        self.representation.batch(&encoded, &rows, &self.device)
    }

    /// A forward pass in which the network sees the marked features: [batch, features]
    pub fn forward(&self, batch: &Batch, marks: &[f32]) -> Forward {
        let kept = subsets::tensor(marks.to_vec(), batch.features(), &self.device);
        self.network.forward(batch, Gating::Evidence { kept }, &mut Dropout::off()).unwrap()
    }

    /// The scores of that pass: [batch, outputs]
    pub fn scores(&self, batch: &Batch, marks: &[f32]) -> Vec<f64> {
        self.forward(batch, marks).scores.into_data().iter::<f64>().collect()
    }

    /// Numbers with gaps, a column of levels with gaps.
    pub fn table(outputs: usize) -> Self {
        let mut rng = stream(1, Purpose::Sample, 0, 0);
        let mut numbers = || -> Vec<f64> { (0..24).map(|_| rng.random_range(-2.0..2.0)).collect() };
        let (mut a, b, d) = (numbers(), numbers(), numbers());
        (0..24).step_by(5).for_each(|i| a[i] = f64::NAN);
        let level = |i: usize| (!i.is_multiple_of(7)).then(|| ["red", "green", "blue"][i * i % 3]);
        let columns = [
            Column::numeric("a", a).unwrap(),
            Column::numeric("b", b).unwrap(),
            Column::categorical("c", (0..24).map(level)),
            Column::numeric("d", d).unwrap(),
        ];
        let config = TabularMlpConfig { units: 8, dropout: 0.0, ..TabularMlpConfig::default() };
        let generator = GeneratorConfig::TabularMlp(config);
        Self::new(Table::new(columns).unwrap().into(), &generator, outputs)
    }

    /// Texts in which words repeat and some are unknown.
    pub fn texts(outputs: usize, generator: &GeneratorConfig) -> Self {
        let mut rng = stream(2, Purpose::Sample, 0, 0);
        let mut text = |_| -> String {
            let word = |_| format!("w{}", rng.random_range(0..12));
            (0..7).map(word).collect::<Vec<_>>().join(" ")
        };
        let mut texts: Vec<String> = (0..10).map(&mut text).collect();
        let known = Self::new(Texts::from_iter(&texts).into(), generator, outputs);
        texts.iter_mut().skip(1).step_by(2).for_each(|text| *text += " unknown w1");
        Self { samples: Texts::from_iter(&texts).into(), ..known }
    }

    /// Images of an odd size with some blank cells, read by the paper's network.
    pub fn images(outputs: usize) -> Self {
        let config = ImageCnnConfig { channels: vec![4, 6], layers: 1, units: 8, dropout: 0.0 };
        Self::images_for(&GeneratorConfig::ImageCnn(config), outputs)
    }

    /// The same, read by the network of a weight per cell.
    pub fn cells(outputs: usize) -> Self {
        let mut config = CellContextConfig::default();
        (config.channels, config.units, config.cell_units) = (vec![4, 6], 8, 8);
        Self::images_for(&GeneratorConfig::CellContext(config), outputs)
    }

    /// The same, each cut into regions of its own.
    pub fn regions(outputs: usize) -> Self {
        let mut config = CellContextConfig::default();
        (config.channels, config.units, config.cell_units) = (vec![4, 6], 8, 8);
        let grid = GridConfig {
            cells: [3, 3],
            regions: Some(RegionSource::Slic),
            ..GridConfig::default()
        };
        let samples = Self::cells(outputs).samples;
        Self::with(&grid.into(), samples, &GeneratorConfig::CellContext(config), outputs)
    }

    fn images_for(generator: &GeneratorConfig, outputs: usize) -> Self {
        let mut rng = stream(3, Purpose::Sample, 0, 0);
        let size = ImageSize { width: 8, height: 7, channels: 1 };
        let pixel = |i: usize| if i % 8 < 2 && i / 8 % 7 < 2 { 0 } else { rng.random() };
        let pixels = (0..6 * size.bytes()).map(pixel).collect();
        Self::new(Images::new(size, pixels).unwrap().into(), generator, outputs)
    }

    /// Every kind and text network, for one score and for three.
    pub fn all() -> Vec<Self> {
        let (token, sentence) = text_networks();
        [1, 3]
            .into_iter()
            .flat_map(|outputs| {
                [
                    Self::table(outputs),
                    Self::texts(outputs, &token),
                    Self::texts(outputs, &sentence),
                    Self::images(outputs),
                    Self::cells(outputs),
                ]
            })
            .collect()
    }
}

/// The default text network and the paper's, small.
pub(crate) fn text_networks() -> (GeneratorConfig, GeneratorConfig) {
    let token = TokenContextConfig {
        embedding: 6,
        widths: vec![1, 3],
        filters: 5,
        units: 8,
        dropout: 0.0,
        members: 1,
        ..TokenContextConfig::default()
    };
    let sentence = SentenceCnnConfig::from(&token);
    (GeneratorConfig::TokenContext(token), GeneratorConfig::SentenceCnn(sentence))
}
