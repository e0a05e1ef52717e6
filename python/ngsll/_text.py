"""Estimators for texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from . import _inputs, _native
from ._estimator import ClassifierMethods, NgsllEstimator
from ._sklearn import ClassifierMixin, RegressorMixin

OPTIONS = """
    Parameters
    ----------
    k : the number of terms of each score; with evidence ``chosen`` any other can be requested later.
    random_state : the seed of all random numbers: the same number gives the same model, bit for bit.
    evidence : what predictions are based on: ``chosen`` words, or the ``whole`` text as in the paper.
    preset : the training schedule; by default it depends on the evidence.
    epochs : the number of passes over the training data; depends on its size if None.
    batch_size : samples per step; depends on the size of the data if None.
    learning_rate, weight_decay : of Adam.
    class_weight (classifiers) : the weights of the classes in the loss: ``"balanced"`` or ``{class: weight}``.
    loss, log_target (regression) : ``squared``, ``absolute``, ``huber`` or ``poisson``; whether logarithms are predicted.
    validation_fraction : the share of the samples held out for validation and early stopping.
    choice : the rule by which words are chosen, such as ``{"rule": "two_pass", "side": "both"}``; by search if None.
    embedding, widths, filters, units, dropout, members : the network: ``embedding`` (256, or the width of ``vectors``)
        numbers for a word, convolutions over ``widths`` (1, 3 and 5) words, ``dropout`` (0.4, with evidence ``whole`` 0.6),
        ``members`` (1) whose mean is the answer.
    vectors : pretrained word vectors: a file (GloVe, word2vec, fastText's .vec), ``{word: vector}``, ``(words, matrix)`` or
        gensim's ``KeyedVectors``. The model keeps what it needs of them.
    vectors_fixed : whether they stay fixed; words that no training text has are then understood by their vectors.
    tokenizer, lowercase, min_count, stop_words, punctuation, max_tokens : the way a text is cut into words, and which of them are
        features; without ``punctuation`` full stops and the like are none.
    unit, phrase : what is a feature: ``word``, ``phrase`` (of so many words) or ``sentence``.
    intercept : whether each score has a constant; True except for the preset ``paper``.
    calibration (classifiers) : whether probabilities are calibrated on the validation samples.
    threads : the number of threads; ``RAYON_NUM_THREADS`` or else the number of cores if None.
    verbose : whether to show a progress bar.
    options : any other option by its key in a configuration file, such as ``{"generator.kind": "sentence_cnn"}``.

    Attributes
    ----------
    model_ : :class:`ngsll.Model`, the model itself.
"""


class _TextEstimator(NgsllEstimator):
    _task = "text"

    def _samples_to_fit(self, X: Any) -> _native.Samples:
        return _inputs.texts(X)

    def _samples(self, X: Any) -> _native.Samples:
        self._fitted()
        return _inputs.texts(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        return tags


class NgsllTextClassifier(ClassifierMethods, ClassifierMixin, _TextEstimator):
    __doc__ = (
        """A classifier of texts whose every score is the sum of K named words' terms.

    Takes a sequence of str: a list, a column of a data frame, an array.
    """
        + OPTIONS
        + """    classes_ : the classes, sorted.

    Examples
    --------
    >>> from ngsll import NgsllTextClassifier
    >>> texts = ["good not bad", "bad not good"] * 100
    >>> model = NgsllTextClassifier(k=1, epochs=10).fit(texts, ["praise", "blame"] * 100)
    >>> model.predict(texts[:2]).tolist()
    ['praise', 'blame']
    >>> len(model.explain(texts[:1])[0].terms)
    1
    """
    )
    _classifies = True

    def __init__(
        self,
        k: int = 5,
        *,
        random_state: Any = 0,
        evidence: str | None = None,
        preset: str | None = None,
        epochs: int | None = None,
        batch_size: int | None = None,
        learning_rate: float = 0.001,
        weight_decay: float = 0.0,
        class_weight: Any = None,
        validation_fraction: float = 0.1,
        choice: Mapping[str, str] | None = None,
        embedding: int | None = None,
        widths: Sequence[int] | None = None,
        filters: int = 100,
        units: int = 128,
        dropout: float | None = None,
        members: int | None = None,
        vectors: Any = None,
        vectors_fixed: bool = False,
        tokenizer: str = "words",
        lowercase: bool = True,
        min_count: int = 2,
        stop_words: Sequence[str] | None = None,
        punctuation: bool = True,
        max_tokens: int = 512,
        unit: str = "word",
        phrase: int = 3,
        intercept: bool | None = None,
        calibration: bool = True,
        threads: int | None = None,
        verbose: bool = False,
        options: dict[str, Any] | None = None,
    ) -> None:
        self.k = k
        self.random_state = random_state
        self.evidence = evidence
        self.preset = preset
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.class_weight = class_weight
        self.validation_fraction = validation_fraction
        self.choice = choice
        self.embedding = embedding
        self.widths = widths
        self.filters = filters
        self.units = units
        self.dropout = dropout
        self.members = members
        self.vectors = vectors
        self.vectors_fixed = vectors_fixed
        self.tokenizer = tokenizer
        self.lowercase = lowercase
        self.min_count = min_count
        self.stop_words = stop_words
        self.punctuation = punctuation
        self.max_tokens = max_tokens
        self.unit = unit
        self.phrase = phrase
        self.intercept = intercept
        self.calibration = calibration
        self.threads = threads
        self.verbose = verbose
        self.options = options


class NgsllTextRegressor(RegressorMixin, _TextEstimator):
    __doc__ = (
        """A regression on texts whose every value is the sum of K named words' terms."""
        + "\n"
        + OPTIONS
        + """
    Examples
    --------
    >>> from ngsll import NgsllTextRegressor
    >>> model = NgsllTextRegressor(k=1, epochs=10).fit(["a fine film", "a dull film"] * 100, [1.0, -1.0] * 100)
    >>> bool(model.predict(["fine"])[0] > model.predict(["dull"])[0])
    True
    """
    )
    _classifies = False

    def __init__(
        self,
        k: int = 5,
        *,
        random_state: Any = 0,
        evidence: str | None = None,
        preset: str | None = None,
        epochs: int | None = None,
        batch_size: int | None = None,
        learning_rate: float = 0.001,
        weight_decay: float = 0.0,
        loss: str = "squared",
        log_target: bool | None = None,
        validation_fraction: float = 0.1,
        choice: Mapping[str, str] | None = None,
        embedding: int | None = None,
        widths: Sequence[int] | None = None,
        filters: int = 100,
        units: int = 128,
        dropout: float | None = None,
        members: int | None = None,
        vectors: Any = None,
        vectors_fixed: bool = False,
        tokenizer: str = "words",
        lowercase: bool = True,
        min_count: int = 2,
        stop_words: Sequence[str] | None = None,
        punctuation: bool = True,
        max_tokens: int = 512,
        unit: str = "word",
        phrase: int = 3,
        intercept: bool | None = None,
        threads: int | None = None,
        verbose: bool = False,
        options: dict[str, Any] | None = None,
    ) -> None:
        self.k = k
        self.random_state = random_state
        self.evidence = evidence
        self.preset = preset
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.loss = loss
        self.log_target = log_target
        self.validation_fraction = validation_fraction
        self.choice = choice
        self.embedding = embedding
        self.widths = widths
        self.filters = filters
        self.units = units
        self.dropout = dropout
        self.members = members
        self.vectors = vectors
        self.vectors_fixed = vectors_fixed
        self.tokenizer = tokenizer
        self.lowercase = lowercase
        self.min_count = min_count
        self.stop_words = stop_words
        self.punctuation = punctuation
        self.max_tokens = max_tokens
        self.unit = unit
        self.phrase = phrase
        self.intercept = intercept
        self.threads = threads
        self.verbose = verbose
        self.options = options
