//! The amount of computation: everything, or a selection that takes less than half an hour on two cores.

use crate::request::Request;
use crate::{K, PaperDataset};

/// The size of every experiment.
#[derive(Debug, Clone)]
pub(crate) struct Budget {
    /// Whether this is the quick form.
    pub(crate) quick: bool,
    /// The number of seeds on MNIST; each determines a split, initial weights and noise.
    pub(crate) image_seeds: u64,
    /// The number of seeds on text.
    pub(crate) text_seeds: u64,
    /// The largest number of seeds for variants of a network.
    pub(crate) variant_seeds: u64,
    /// K of the tables on images.
    pub(crate) image_ks: Vec<K>,
    /// K of the tables and figures on text.
    pub(crate) text_ks: Vec<K>,
    /// K of the drawn weights and of the times.
    pub(crate) shown_ks: Vec<K>,
    /// Whether L and U are selected on the validation part of MNIST.
    pub(crate) select: bool,
    /// The epochs of a training on images; `None`: by data size.
    pub(crate) image_epochs: Option<usize>,
    /// The epochs of a training on text; `None`: by data size.
    pub(crate) text_epochs: Option<usize>,
    /// The largest number of epochs of AME, each of which takes minutes; the paper allows 300.
    pub(crate) ame_epochs: usize,
    /// The largest number of seeds of AME.
    pub(crate) ame_seeds: u64,
    /// The number of timed explanations.
    pub(crate) timed: usize,
    /// Methods that run only on request.
    pub(crate) left_out: &'static [&'static str],
}

fn top(ks: &[usize]) -> Vec<K> {
    ks.iter().map(|&k| K::Top(k)).collect()
}

impl Budget {
    /// Everything.
    pub(crate) fn full() -> Self {
        let mut text_ks = top(&[1, 2, 3, 5, 10]);
        text_ks.push(K::All);
        Self {
            quick: false,
            image_seeds: 3,
            text_seeds: 5,
            variant_seeds: 3,
            image_ks: top(&[1, 5, 10]),
            text_ks,
            shown_ks: top(&[1, 5, 10]),
            select: true,
            image_epochs: None,
            text_epochs: None,
            ame_epochs: 8,
            ame_seeds: 1,
            timed: 500,
            left_out: &[],
        }
    }

    /// The quick form: 16 minutes on two otherwise idle cores.
    pub(crate) fn quick() -> Self {
        Self {
            quick: true,
            image_seeds: 1,
            text_seeds: 1,
            text_ks: vec![K::Top(1), K::Top(5), K::All],
            select: false,
            image_epochs: Some(10),
            text_epochs: Some(25),
            timed: 200,
            left_out: &["ngsll-paper", "dense-sentence", "dense-paper", "ame-0", "ame-0.05"],
            ..Self::full()
        }
    }

    /// Whether the accuracy tables include a method: the requested ones or, without a request, all but
    /// those left out.
    pub(crate) fn compares(&self, request: &Request, name: &str) -> bool {
        match &request.methods {
            Some(requested) => requested.iter().any(|requested| requested == name),
            None => !self.left_out.contains(&name),
        }
    }

    /// The epochs of a training on a data set; `None`: by data size.
    pub(crate) fn epochs(&self, dataset: PaperDataset) -> Option<usize> {
        if dataset == PaperDataset::Mnist { self.image_epochs } else { self.text_epochs }
    }

    /// The number of seeds on a data set.
    pub(crate) fn seeds(&self, dataset: PaperDataset) -> u64 {
        if dataset == PaperDataset::Mnist { self.image_seeds } else { self.text_seeds }
    }

    /// Descriptions of what the quick form omits from a request.
    pub(crate) fn omissions(&self, request: &Request) -> Vec<String> {
        if !self.quick {
            return Vec::new();
        }
        let full = Self::full();
        let list = |ks: &[K]| ks.iter().map(K::to_string).collect::<Vec<_>>().join(", ");
        let epochs = |n: Option<usize>| n.map_or("by data size".into(), |n| n.to_string());
        let mut omissions = vec![
            "selection of L and U on MNIST: L = 1 and U = 128 throughout".to_string(),
            format!(
                "epochs: {} on MNIST and {} on text; the default depends on the size of the data",
                epochs(self.image_epochs),
                epochs(self.text_epochs),
            ),
            format!("{} timed explanations instead of {}", self.timed, full.timed),
        ];
        for (dataset, what) in [(PaperDataset::Mnist, "MNIST"), (PaperDataset::Trec, "text")] {
            let (own, all) = (self.seeds(dataset), full.seeds(dataset));
            if own < all {
                omissions.push(format!("{own} of {all} seeds on {what}"));
            }
        }
        if request.ks.is_none() {
            let (own, all) = (list(&self.text_ks), list(&full.text_ks));
            omissions.push(format!("K on text: {own} instead of {all}"));
        }
        if request.methods.is_none() {
            let names = self.left_out.join(", ");
            omissions.push(format!("methods, unless requested with --methods: {names}"));
        }
        omissions
    }
}
