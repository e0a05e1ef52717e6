//! Many texts in one allocation.

/// Texts, one after the other in one string: a million short ones cost two allocations, not a million.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Texts {
    arena: String,
    /// The end of each text in `arena`; it starts where the one before ends.
    ends: Vec<usize>,
}

impl Texts {
    /// Appends a text.
    pub fn push(&mut self, text: &str) {
        self.arena.push_str(text);
        self.ends.push(self.arena.len());
    }

    /// The number of texts.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no texts.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Text `index`, counted from 0.
    ///
    /// # Panics
    /// If `index` is not below [`len`](Self::len).
    pub fn get(&self, index: usize) -> &str {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.arena[start..self.ends[index]]
    }

    /// The texts in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|index| self.get(index))
    }
}

impl<S: AsRef<str>> FromIterator<S> for Texts {
    fn from_iter<I: IntoIterator<Item = S>>(texts: I) -> Self {
        let mut all = Self::default();
        texts.into_iter().for_each(|text| all.push(text.as_ref()));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back_in_order() {
        let texts = Texts::from_iter(["één", "", "two words"]);
        assert_eq!((texts.len(), texts.is_empty()), (3, false));
        assert_eq!(texts.iter().collect::<Vec<_>>(), ["één", "", "two words"]);
        assert!(Texts::default().is_empty());
    }
}
