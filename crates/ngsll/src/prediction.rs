//! Predictions: a class with its probabilities, or a number.

use serde::{Deserialize, Serialize, Serializer};
use std::sync::Arc;

/// A model's prediction for a sample.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Prediction {
    /// A class.
    Class(ClassPrediction),
    /// A number, in the target's own units.
    Value(f64),
}

impl Prediction {
    /// The predicted class; `None` for a number.
    pub fn class(&self) -> Option<&ClassPrediction> {
        match self {
            Self::Class(class) => Some(class),
            Self::Value(_) => None,
        }
    }

    /// The predicted number; `None` for a class.
    pub fn value(&self) -> Option<f64> {
        match self {
            Self::Class(_) => None,
            Self::Value(value) => Some(*value),
        }
    }
}

/// A class and the probability of every class. Names are shared by all predictions of a model.
///
/// ```
/// use ngsll::ClassPrediction;
/// let names = ["praise".to_string(), "blame".to_string()];
/// let prediction = ClassPrediction::new(1, vec![0.25, 0.75], names.into());
/// assert_eq!((prediction.label(), prediction.index()), ("blame", 1));
/// assert_eq!(prediction.iter().next(), Some(("praise", 0.25)));
/// ```
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "PredictionJson")]
pub struct ClassPrediction {
    index: usize,
    probabilities: Vec<f64>,
    names: Arc<[String]>,
    threshold: Option<f64>,
}

impl ClassPrediction {
    /// The class `index` of `names`, each of which has a probability.
    ///
    /// # Panics
    /// If there are not as many names as probabilities, or no class `index`.
    pub fn new(index: usize, probabilities: Vec<f64>, names: Arc<[String]>) -> Self {
        assert!(index < names.len() && probabilities.len() == names.len());
        Self { index, probabilities, names, threshold: None }
    }

    /// Sets the probability above which the second of two classes is predicted.
    pub fn with_threshold(self, threshold: Option<f64>) -> Self {
        Self { threshold, ..self }
    }

    /// The probability above which the second of two classes is predicted, if it was set: the
    /// predicted class is then not necessarily the more probable one.
    pub fn threshold(&self) -> Option<f64> {
        self.threshold
    }

    /// The predicted class's number in the model's order.
    pub fn index(&self) -> usize {
        self.index
    }

    /// The predicted class's name.
    pub fn label(&self) -> &str {
        &self.names[self.index]
    }

    /// The predicted class's probability, 0 to 1.
    pub fn probability(&self) -> f64 {
        self.probabilities[self.index]
    }

    /// The probability of every class, in the model's order.
    pub fn probabilities(&self) -> &[f64] {
        &self.probabilities
    }

    /// The negative natural logarithm of a class's probability: the loss if that class is true.
    pub fn log_loss(&self, class: usize) -> f64 {
        -self.probabilities[class].max(f64::MIN_POSITIVE).ln()
    }

    /// Name and probability of every class, in the model's order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, f64)> {
        self.names.iter().map(String::as_str).zip(self.probabilities.iter().copied())
    }
}

/// The JSON form: the label, name and probability of every class, and the threshold if one was set.
#[derive(Deserialize)]
struct PredictionJson {
    label: String,
    probabilities: Vec<StoredProbability>,
    #[serde(default)]
    threshold: Option<f64>,
}

#[derive(Deserialize)]
struct StoredProbability {
    class: String,
    probability: f64,
}

#[derive(Serialize)]
struct Written<'a> {
    label: &'a str,
    probabilities: Vec<WrittenProbability<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    threshold: Option<f64>,
}

#[derive(Serialize)]
struct WrittenProbability<'a> {
    class: &'a str,
    probability: f64,
}

impl Serialize for ClassPrediction {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let probability = |(class, probability)| WrittenProbability { class, probability };
        let probabilities = self.iter().map(probability).collect();
        let (label, threshold) = (self.label(), self.threshold);
        Written { label, probabilities, threshold }.serialize(serializer)
    }
}

impl TryFrom<PredictionJson> for ClassPrediction {
    type Error = String;

    fn try_from(stored: PredictionJson) -> Result<Self, String> {
        let index = stored.probabilities.iter().position(|p| p.class == stored.label);
        let Some(index) = index else {
            return Err(format!("no probability belongs to the label {:?}", stored.label));
        };
        let probabilities = stored.probabilities.iter().map(|p| p.probability).collect();
        let names = stored.probabilities.into_iter().map(|p| p.class).collect();
        Ok(Self { index, probabilities, names, threshold: stored.threshold })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_names_the_classes() {
        let names = ["a".to_string(), "b".to_string()];
        let class = Prediction::Class(ClassPrediction::new(1, vec![0.25, 0.75], names.into()));
        let json = r#"{"class":{"label":"b","probabilities":[{"class":"a","probability":0.25},{"class":"b","probability":0.75}]}}"#;
        assert_eq!(serde_json::to_string(&class).unwrap(), json);
        assert_eq!(serde_json::from_str::<Prediction>(json).unwrap(), class);
        let class = class.class().unwrap().clone().with_threshold(Some(0.2));
        let json = json.replace("]}}", "],\"threshold\":0.2}}");
        assert_eq!(serde_json::to_string(&Prediction::Class(class.clone())).unwrap(), json);
        assert_eq!(serde_json::from_str::<Prediction>(&json).unwrap(), Prediction::Class(class));
        let value = Prediction::Value(1.5);
        assert_eq!(serde_json::to_string(&value).unwrap(), r#"{"value":1.5}"#);
    }

    #[test]
    fn a_label_without_a_probability_is_refused() {
        for probabilities in ["", r#"{"class":"a","probability":1.0}"#] {
            let json = format!(r#"{{"label":"b","probabilities":[{probabilities}]}}"#);
            let error = serde_json::from_str::<ClassPrediction>(&json).unwrap_err();
            assert_eq!(error.to_string(), r#"no probability belongs to the label "b""#);
        }
    }
}
