"""Estimators for tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _inputs, _native
from ._estimator import ClassifierMethods, NgsllEstimator
from ._sklearn import ClassifierMixin, RegressorMixin

if TYPE_CHECKING:
    from ._model import Model

OPTIONS = """
    Parameters
    ----------
    k : the number of terms of each score; with evidence ``chosen`` any other can be requested later.
    random_state : the seed of all random numbers: the same number gives the same model, bit for bit.
    evidence : what predictions are based on: ``chosen`` features, or the ``whole`` sample as in the paper.
    preset : the training schedule; by default it depends on the evidence.
    epochs : the number of passes over the training data; depends on its size if None.
    batch_size : samples per step; depends on the size of the data if None.
    learning_rate, weight_decay : of Adam.
    class_weight (classifiers) : the weights of the classes in the loss: ``"balanced"`` or ``{class: weight}``.
    loss, log_target (regression) : ``squared``, ``absolute``, ``huber`` or ``poisson``; whether logarithms are predicted.
    validation_fraction : the share of the samples held out for validation and early stopping.
    choice : the rule by which columns are chosen, such as ``{"rule": "halving", "side": "both"}``; by their effect if None.
    members, embedding, layers, units, dropout : the network, an ensemble of ``members`` (8) whose mean is the answer, with
        ``embedding`` (16) numbers for a value and ``units`` (128) in each layer; with evidence ``whole`` one network of 256
        units.
    bins, distinct_bins, max_levels : the encoding of columns: by ``bins`` (64) at the quantiles of a number and
        ``distinct_bins`` (128) at those of its distinct values, 32 each with evidence ``whole``, fewer for few rows.
    screening : whether columns that do not help on held-out rows are never chosen.
    slopes : the weight in the loss of scores being linear.
    linear_start : whether the network learns a correction to a linear model.
    intercept : whether each score has a constant; True except for the preset ``paper``.
    calibration (classifiers) : whether probabilities are calibrated on the validation samples.
    columns : ``{name: "numeric" | "categorical" | "date"}`` where the dtype would mislead; ``{name: {"monotone": "up"}}``, or
        ``"down"``, where the score must not fall, or rise, as the value rises. ``{"kind": …, "monotone": …}`` says both.
    drop, keep, protected : columns to leave out; to keep although they look like ids; whose use is always reported.
    missing_words : words in columns of texts that mean a missing value.
    threads : the number of threads; ``RAYON_NUM_THREADS`` or else the number of cores if None.
    verbose : whether to show a progress bar.
    options : any other option by its key in a configuration file, such as ``{"choice.rule": "halving"}``.

    Attributes
    ----------
    model_ : :class:`ngsll.Model`, the model itself.
    n_features_in_ : the number of columns.
    feature_names_in_ : their names, where they have any.
"""


class _TabularEstimator(NgsllEstimator):
    _task = "tabular"

    def _samples_to_fit(self, X: Any) -> _native.Samples:
        samples = self._checked(X)
        given = samples.names()
        self._names = given
        self.n_features_in_ = len(given)
        if _inputs.has_names(X):
            self.feature_names_in_ = np.array(given, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        return samples

    def _samples_to_check(self, X: Any) -> _native.Samples:
        return self._checked(X, self._names)

    def _samples(self, X: Any) -> _native.Samples:
        model = self._fitted()
        samples = self._checked(X, self._names)
        given = samples.names()
        if not _inputs.has_names(X):
            if len(given) != self.n_features_in_:
                raise ValueError(
                    f"X has {len(given)} features, but {type(self).__name__} is expecting "
                    f"{self.n_features_in_} features as input."
                )
            return samples
        expected = getattr(self, "feature_names_in_", None)
        # Columns that are never chosen may be missing.
        if expected is not None and not set(model._native.required).issubset(given):
            raise ValueError(_mismatch(expected, given))
        return samples

    def _checked(self, X: Any, names: list[str] | None = None) -> _native.Samples:
        """A table with rows and columns; ``names`` are those of training, which an array has in their order."""
        own = None
        if not _inputs.has_names(X):
            if not _inputs.is_pandas(X):
                X = _inputs.matrix(X)
                if X.shape[0] == 0:
                    raise ValueError(f"Found array with 0 sample(s) (shape={X.shape}) while a minimum of 1 is required.")
                if X.shape[1] == 0:
                    raise ValueError(f"Found array with 0 feature(s) (shape={X.shape}) while a minimum of 1 is required.")
            own = names if names is not None and len(names) == np.shape(X)[1] else None
        samples = _inputs.table(X, own)
        if not samples.names():
            raise ValueError("Found a table with 0 feature(s) while a minimum of 1 is required.")
        if len(samples) == 0:
            raise ValueError("Found a table with 0 sample(s) while a minimum of 1 is required.")
        return samples

    def _after_fit(self, model: Model) -> None:
        super()._after_fit(model)
        if not hasattr(self, "_names"):
            self._names = list(model.columns)
            self.n_features_in_ = len(self._names)
            self.feature_names_in_ = np.array(self._names, dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


def _mismatch(expected: Any, names: list[str]) -> str:
    """The columns that are missing or new, as scikit-learn says it."""
    unseen = [name for name in names if name not in expected]
    missing = [name for name in expected if name not in names]
    message = "The feature names should match those that were passed during fit.\n"
    if unseen:
        message += "Feature names unseen at fit time:\n" + "".join(f"- {name}\n" for name in unseen[:5])
    if missing:
        message += "Feature names seen at fit time, yet now missing:\n" + "".join(f"- {name}\n" for name in missing[:5])
    return message


class NgsllClassifier(ClassifierMethods, ClassifierMixin, _TabularEstimator):
    __doc__ = (
        """A classifier of table rows whose every score is the sum of K named columns' terms.

    Takes data frames (pandas, polars, anything with ``__arrow_c_stream__``), arrays and dicts of columns. Columns are
    matched by name, in any order; texts, categories, dates and missing values need no encoding.
    """
        + OPTIONS
        + """    classes_ : the classes, sorted.

    Examples
    --------
    >>> import numpy as np
    >>> from ngsll import NgsllClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = {"size": rng.normal(size=400), "colour": rng.choice(["red", "blue"], 400)}
    >>> y = np.where((X["size"] > 0) & (X["colour"] == "red"), "take", "leave")
    >>> model = NgsllClassifier(k=2, epochs=5).fit(X, y)
    >>> model.classes_.tolist()
    ['leave', 'take']
    >>> model.score(X, y) > 0.8
    True
    >>> sorted(term.name for term in model.explain(X)[0].terms)
    ['colour', 'size']
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
        class_weight: str | Mapping[Any, float] | None = None,
        validation_fraction: float = 0.1,
        choice: Mapping[str, str] | None = None,
        members: int | None = None,
        embedding: int | None = None,
        layers: int = 2,
        units: int | None = None,
        dropout: float = 0.1,
        bins: int | None = None,
        distinct_bins: int | None = None,
        max_levels: int = 256,
        screening: bool = True,
        slopes: float = 1.0,
        linear_start: bool = True,
        intercept: bool | None = None,
        calibration: bool = True,
        columns: Mapping[str, str | Mapping[str, str]] | None = None,
        drop: Sequence[str] | None = None,
        keep: Sequence[str] | None = None,
        protected: Sequence[str] | None = None,
        missing_words: Sequence[str] | None = None,
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
        self.members = members
        self.embedding = embedding
        self.layers = layers
        self.units = units
        self.dropout = dropout
        self.bins = bins
        self.distinct_bins = distinct_bins
        self.max_levels = max_levels
        self.screening = screening
        self.slopes = slopes
        self.linear_start = linear_start
        self.intercept = intercept
        self.calibration = calibration
        self.columns = columns
        self.drop = drop
        self.keep = keep
        self.protected = protected
        self.missing_words = missing_words
        self.threads = threads
        self.verbose = verbose
        self.options = options


class NgsllRegressor(RegressorMixin, _TabularEstimator):
    __doc__ = (
        """A regression on table rows whose every value is the sum of K named columns' terms.

    Takes what :class:`NgsllClassifier` takes. If the logarithm of a positive target is easier to predict, it is
    predicted, and terms are factors; ``log_target`` overrides that.
    """
        + OPTIONS
        + """
    Examples
    --------
    >>> import numpy as np
    >>> from ngsll import NgsllRegressor
    >>> X = np.random.default_rng(0).normal(size=(400, 3))
    >>> model = NgsllRegressor(k=2, epochs=5).fit(X, 3 * X[:, 0] - X[:, 2])
    >>> model.score(X, 3 * X[:, 0] - X[:, 2]) > 0.9
    True
    >>> [term.name for term in model.explain(X[:1])[0].terms]
    ['x0', 'x2']
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
        members: int | None = None,
        embedding: int | None = None,
        layers: int = 2,
        units: int | None = None,
        dropout: float = 0.1,
        bins: int | None = None,
        distinct_bins: int | None = None,
        max_levels: int = 256,
        screening: bool = True,
        slopes: float = 1.0,
        linear_start: bool = True,
        intercept: bool | None = None,
        columns: Mapping[str, str | Mapping[str, str]] | None = None,
        drop: Sequence[str] | None = None,
        keep: Sequence[str] | None = None,
        protected: Sequence[str] | None = None,
        missing_words: Sequence[str] | None = None,
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
        self.members = members
        self.embedding = embedding
        self.layers = layers
        self.units = units
        self.dropout = dropout
        self.bins = bins
        self.distinct_bins = distinct_bins
        self.max_levels = max_levels
        self.screening = screening
        self.slopes = slopes
        self.linear_start = linear_start
        self.intercept = intercept
        self.columns = columns
        self.drop = drop
        self.keep = keep
        self.protected = protected
        self.missing_words = missing_words
        self.threads = threads
        self.verbose = verbose
        self.options = options
