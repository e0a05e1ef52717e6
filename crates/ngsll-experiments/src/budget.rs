//! How much is computed: all of it, or what fits into less than half an hour on two cores.

use crate::request::Request;
use crate::{Dataset, K};

/// The size of every experiment.
#[derive(Debug, Clone)]
pub struct Budget {
    /// Whether this is the short form.
    pub quick: bool,
    /// Splits, initial weights and noise on MNIST: each method is run once for each.
    pub image_seeds: u64,
    /// The same on text.
    pub text_seeds: u64,
    /// At most so many of them for networks that are variants of one in the table.
    pub variant_seeds: u64,
    /// K of the tables and figures about images.
    pub image_ks: Vec<K>,
    /// K of the tables and figures about text.
    pub text_ks: Vec<K>,
    /// K of the drawn weights and of the times, where none is asked for.
    pub shown_ks: Vec<K>,
    /// Whether L and U are selected on the validation part of MNIST.
    pub select: bool,
    /// Epochs of a training on images; by data size if absent.
    pub image_epochs: Option<usize>,
    /// Epochs of a training on text; by data size if absent.
    pub text_epochs: Option<usize>,
    /// Epochs of AME at most, of which each takes minutes; the paper allows 300.
    pub ame_epochs: usize,
    /// Seeds of AME at most.
    pub ame_seeds: u64,
    /// Explanations that are timed.
    pub timed: usize,
    /// Methods that are not run unless they are asked for.
    pub left_out: &'static [&'static str],
}

fn top(ks: &[usize]) -> Vec<K> {
    ks.iter().map(|&k| K::Top(k)).collect()
}

impl Budget {
    /// Everything.
    pub fn full() -> Self {
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

    /// 16 minutes on two cores when they have nothing else to do.
    pub fn quick() -> Self {
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

    /// Whether the accuracy tables have this method: those asked for or, where none is, all but those left out.
    pub fn compares(&self, request: &Request, name: &str) -> bool {
        match &request.methods {
            Some(asked) => asked.iter().any(|asked| asked == name),
            None => !self.left_out.contains(&name),
        }
    }

    /// Epochs of a training on a data set; by data size if `None`.
    pub fn epochs(&self, dataset: Dataset) -> Option<usize> {
        if dataset == Dataset::Mnist { self.image_epochs } else { self.text_epochs }
    }

    /// The number of seeds on a data set.
    pub fn seeds(&self, dataset: Dataset) -> u64 {
        if dataset == Dataset::Mnist { self.image_seeds } else { self.text_seeds }
    }

    /// What the short form leaves out of this request, in words.
    pub fn says_left_out(&self, request: &Request) -> Vec<String> {
        if !self.quick {
            return Vec::new();
        }
        let full = Self::full();
        let list = |ks: &[K]| ks.iter().map(K::to_string).collect::<Vec<_>>().join(", ");
        let epochs = |n: Option<usize>| n.map_or("by data size".into(), |n| n.to_string());
        let mut said = vec![
            "the selection of L and U on MNIST: L = 1 and U = 128 throughout".to_string(),
            format!(
                "epochs: {} on MNIST and {} on text, where the default goes by data size",
                epochs(self.image_epochs),
                epochs(self.text_epochs),
            ),
            format!("{} timed explanations instead of {}", self.timed, full.timed),
        ];
        for (dataset, what) in [(Dataset::Mnist, "MNIST"), (Dataset::Trec, "text")] {
            let (own, all) = (self.seeds(dataset), full.seeds(dataset));
            if own < all {
                said.push(format!("{own} of {all} seeds on {what}"));
            }
        }
        if request.ks.is_none() {
            let (own, all) = (list(&self.text_ks), list(&full.text_ks));
            said.push(format!("K on text: {own} instead of {all}"));
        }
        if request.methods.is_none() {
            let names = self.left_out.join(", ");
            said.push(format!("methods, unless --methods asks for them: {names}"));
        }
        said
    }
}
