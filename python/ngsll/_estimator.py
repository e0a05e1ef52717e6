"""The base of all estimators: fitting, predicting, explaining, saving."""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _inputs, _native
from ._answers import Labels, to_learn
from ._options import changed, in_python, toml
from ._progress import Bar
from ._sklearn import BaseEstimator, DataConversionWarning, NotFittedError
from ._warnings import warn

if TYPE_CHECKING:
    from typing import Self

    from ._explanation import Explanations
    from ._model import Model
    from ._report import Report

Array = np.ndarray[Any, Any]


class NgsllEstimator(BaseEstimator):
    """The base of all estimators; use one of its subclasses."""

    _task: str
    _classifies: bool

    # Set by the constructors of the subclasses.
    k: int
    random_state: Any
    threads: int | None
    verbose: bool
    options: dict[str, Any] | None

    def fit(self, X: Any, y: Any, sample_weight: Any = None, eval_set: Any = None) -> Self:
        """Trains on samples and their answers.

        Parameters
        ----------
        X : the samples.
        y : a class or a number for each.
        sample_weight : the weight of each sample; equal by default.
        eval_set : ``(X, y)`` for validation and early stopping; by default a share of the samples, ``validation_fraction``.

        Returns
        -------
        The estimator. Ctrl-C stops at a step and raises ``KeyboardInterrupt``, and the estimator keeps what was
        learned until then.
        """
        samples = self._samples_to_fit(X)
        y_name = getattr(y, "name", None)
        answers = self._check_answers(y, len(samples))
        labels: Array | None = None
        if self._classifies:
            labels, learned = to_learn(answers)
            if len(labels) < 2:
                raise ValueError(
                    f"{type(self).__name__} needs samples of at least two classes, and y has one class: "
                    f"{labels.tolist()[0]!r}"
                )
        else:
            learned = answers.astype(np.float64)
        weights = self._check_weights(sample_weight, len(samples))
        if labels is not None and weights is not None:
            counted = np.unique(answers[weights != 0])
            if len(counted) < len(labels):
                without = next(label for label in labels.tolist() if label not in counted.tolist())
                raise ValueError(f"class {without!r} has no sample of a weight above 0, so it cannot be learned")
        options = changed(self)
        options.append(("objective", toml("classes" if self._classifies else "regression")))
        options.append(("seed", str(self._seed())))
        options.append(("data.target", toml(str(y_name) if isinstance(y_name, str) and y_name else "target")))
        valid = None if eval_set is None else self._check_eval_set(eval_set, labels)
        vectors = _inputs.word_vectors(getattr(self, "vectors", None))
        regions = _inputs.region_mask(getattr(self, "regions", None))
        bar = Bar(bool(self.verbose))
        try:
            native, stopped = _native.fit(
                self._task, options, samples, learned, weights, valid, bar, self.threads, vectors, regions
            )
        except ValueError as error:
            raise ValueError(in_python(str(error))) from None
        finally:
            bar.close()
        self._keep(native, labels)
        warn(self.model_.findings)
        if stopped:
            raise KeyboardInterrupt("training was stopped; the estimator keeps what was learned until then")
        return self

    def fit_judge(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Trains a judge, on the samples that the estimator learned from: :meth:`report` then measures how far the
        terms can be trusted, and :meth:`save` keeps both.

        Word vectors that came from no file are needed again: they must be the estimator's ``vectors``, to which
        ``set_params`` brings them after :meth:`load`.
        """
        model = self._fitted()
        samples = self._samples(X)
        labels = model._labels.encode(y)
        weights = self._check_weights(sample_weight, len(samples))
        vectors = _inputs.word_vectors(getattr(self, "vectors", None))
        bar = Bar(bool(self.verbose))
        try:
            native = _native.fit_judge(model._native, samples, labels, weights, bar, self.threads, vectors)
        except ValueError as error:
            raise ValueError(in_python(str(error))) from None
        finally:
            bar.close()
        self._keep(native, model.classes if self._classifies else None)
        return self

    def predict(self, X: Any, k: int | None = None) -> Array:
        """The predicted class or value of every sample, from at most ``k`` terms for each score."""
        _, answers, _ = self._scored(X, k)
        return self._fitted()._labels.values(answers)

    def explain(self, X: Any, k: int | None = None, classes: Any = None, *, y: Any = None) -> Explanations:
        """Predicts and explains every sample.

        Parameters
        ----------
        X : the samples.
        k : the most terms of each score; the estimator's K by default. With evidence ``chosen`` any K is possible.
        classes : the classes whose scores to return, if there are more than two.
        y : the true answers, shown beside the predictions.

        Returns
        -------
        :class:`ngsll.Explanations`, a sequence that a notebook shows as cards.
        """
        model = self._fitted()
        from ._explanation import Explanations

        labels = None if y is None else model._labels.encode(y)
        native, notes = model._native.explain(self._samples(X), k, self.threads, labels)
        warn(notes)
        return Explanations(native, model._labels, model._native.check_k(k)).of_classes(classes)

    def explain_arrow(self, X: Any, k: int | None = None) -> _native.ArrowStream:
        """Predictions and terms of every sample as one Arrow table; see :meth:`ngsll.Model.explain_arrow`."""
        stream, notes = self._fitted()._native.explain_arrow(self._samples(X), k, self.threads)
        warn(notes)
        return stream

    def report(self, X: Any, y: Any, k: int | None = None) -> Report:
        """Evaluates predictions of labelled samples: metrics, and a page that a notebook shows.

        After :meth:`fit_judge` it also measures how far the terms can be trusted, which :meth:`save` keeps.
        """
        model, samples = self._fitted(), self._samples(X)
        return model._report(samples, y, k, self.threads, type(self).__name__, "the data")

    def save(self, folder: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Writes a model folder, which the command, Rust and Python read."""
        self._fitted().save(folder, overwrite=overwrite)

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Self:
        """Reads a model folder, written by Python, Rust or the command."""
        from ._model import Model, load

        loaded = load(folder)
        if not isinstance(loaded, cls):
            model = Model.load(folder)
            raise ValueError(f"{os.fspath(folder)}: {model!r}; expected a model for {cls.__name__}")
        return loaded

    @classmethod
    def _of_model(cls, model: Model) -> Self:
        estimator = cls()
        estimator.k = model.k
        estimator.model_ = model
        estimator._after_fit(model)
        return estimator

    def _keep(self, native: _native.Model, labels: Array | None) -> None:
        from ._model import Model

        own = None if labels is None else Labels(labels, native.classes)
        self.model_ = Model(native, own, getattr(self, "_names", None))
        self._after_fit(self.model_)

    def _after_fit(self, model: Model) -> None:
        """Sets what scikit-learn expects of a fitted estimator."""
        if self._classifies:
            self.classes_ = model.classes

    def _fitted(self) -> Model:
        model: Model | None = getattr(self, "model_", None)
        if model is None:
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. "
                "Call 'fit' with appropriate arguments before using this estimator."
            )
        return model

    def _scored(self, X: Any, k: int | None) -> tuple[Array, Array, Array]:
        model = self._fitted()
        scores, answers, probabilities, notes = model._native.predict(self._samples(X), k, self.threads)
        warn(notes, 4)
        return scores, answers, probabilities

    def _samples_to_fit(self, X: Any) -> _native.Samples:
        """The samples to learn from."""
        raise NotImplementedError

    def _samples(self, X: Any) -> _native.Samples:
        """Samples for the fitted model."""
        raise NotImplementedError

    def _seed(self) -> int:
        if self.random_state is None:
            return int(np.random.default_rng().integers(2**31))
        if isinstance(self.random_state, (int, np.integer)):
            return int(self.random_state)
        return int(self.random_state.randint(2**31 - 1))

    def _check_answers(self, y: Any, samples: int) -> Array:
        """Answers, one for each sample."""
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y is None."
            )
        answers = np.asarray(y)
        if answers.ndim == 2 and answers.shape[1] == 1:
            warnings.warn(
                "A column-vector y was passed when a 1d array was expected. "
                "Please change the shape of y to (n_samples, ), for example using ravel().",
                DataConversionWarning,
                stacklevel=4,
            )
            answers = answers[:, 0]
        if answers.ndim != 1:
            raise ValueError(f"y should be a 1d array, got an array of shape {answers.shape} instead.")
        if len(answers) != samples:
            raise ValueError(f"Found input variables with inconsistent numbers of samples: [{samples}, {len(answers)}]")
        if answers.dtype.kind == "c":
            raise ValueError("Complex data not supported: y holds complex numbers")
        if answers.dtype == object:
            missing = [row for row, value in enumerate(answers.tolist()) if _inputs.is_missing(value)]
            if missing:
                raise ValueError(f"Input y contains NaN: sample {missing[0]} has no answer")
            if all(isinstance(value, str) for value in answers.tolist()):
                answers = answers.astype(str)
        if answers.dtype.kind == "f" and not np.isfinite(answers).all():
            row = int(np.flatnonzero(~np.isfinite(answers))[0])
            raise ValueError(f"Input y contains NaN or infinity: sample {row} is {answers[row]}")
        if self._classifies and answers.dtype.kind == "f" and (answers != np.floor(answers)).any():
            raise ValueError(
                "Unknown label type: continuous. Maybe you are trying to fit a classifier, which expects discrete "
                "classes on a regression target with continuous values."
            )
        if not self._classifies:
            try:
                answers = answers.astype(np.float64)
            except (TypeError, ValueError):
                raise ValueError(f"y holds {answers.dtype}, and a regression learns numbers") from None
        return answers

    def _check_weights(self, sample_weight: Any, samples: int) -> Array | None:
        if sample_weight is None:
            return None
        weights = np.asarray(sample_weight, dtype=np.float64)
        if weights.ndim == 0:
            weights = np.full(samples, float(weights))
        if weights.ndim != 1:
            raise ValueError(f"Sample weights must be 1D array or scalar, got {weights.ndim}D array.")
        if len(weights) != samples:
            raise ValueError(f"sample_weight.shape == {weights.shape}, expected ({samples},)!")
        if len(weights) and not weights.any():
            raise ValueError("Sample weights must contain at least one non-zero number.")
        return np.ascontiguousarray(weights)

    def _check_eval_set(self, eval_set: Any, labels: Array | None) -> tuple[_native.Samples, Any]:
        """The validation samples: ``(X, y)``, or as in LightGBM ``[(X, y)]``."""
        if isinstance(eval_set, list) and len(eval_set) == 1:
            eval_set = eval_set[0]
        if not isinstance(eval_set, tuple) or len(eval_set) != 2:
            raise ValueError("eval_set: expected (X, y), validation samples and their answers")
        X, y = eval_set
        samples = self._samples_to_check(X)
        answers = self._check_answers(y, len(samples))
        if labels is None:
            return samples, answers
        return samples, Labels(labels, to_learn(labels)[1][0]).encode(answers)

    def _samples_to_check(self, X: Any) -> _native.Samples:
        """Samples beside those that are learned from."""
        return self._samples_to_fit(X)


class ClassifierMethods:
    """Additional methods of classifiers."""

    def predict_proba(self: Any, X: Any, k: int | None = None) -> Array:
        """The probability of every class, in the order of ``classes_``: [n, classes]."""
        _, _, probabilities = self._scored(X, k)
        in_order: Array = self._fitted()._labels.in_order(probabilities)
        return in_order

    def predict_log_proba(self: Any, X: Any, k: int | None = None) -> Array:
        """The natural logarithms of the probabilities."""
        log: Array = np.log(np.maximum(self.predict_proba(X, k), np.finfo(np.float64).tiny))
        return log

    def decision_function(self: Any, X: Any, k: int | None = None) -> Array:
        """Scores: with two classes that of the second, [n]; else one for each class, [n, classes]."""
        scores, _, _ = self._scored(X, k)
        labels = self._fitted()._labels
        if scores.shape[1] > 1:
            in_order: Array = labels.in_order(scores)
            return in_order
        signed: Array = scores[:, 0] if labels.is_ordered else -scores[:, 0]
        return signed
