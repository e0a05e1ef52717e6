"""A trained model, without scikit-learn: for programs that serve, and inside every estimator."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _inputs, _native
from ._answers import Labels
from ._explanation import Explanations
from ._options import way_out
from ._report import Report
from ._warnings import warn

if TYPE_CHECKING:
    from ._estimator import NgsllEstimator

# The version of pickled models; raised when it changes.
PICKLE_FORMAT = 1


class Model:
    """A model folder in memory: it predicts and explains, without scikit-learn.

    Parameters
    ----------
    native : the model of the native half; :meth:`load` makes it from a folder.
    labels : the classes as the user's own values; by default made from their names.
    names : the names of an array's columns, for samples that come without.

    Examples
    --------
    >>> import numpy as np, ngsll, tempfile, os
    >>> X = np.random.default_rng(0).normal(size=(300, 2))
    >>> folder = os.path.join(tempfile.mkdtemp(), "model")
    >>> ngsll.NgsllClassifier(k=1, epochs=2).fit(X, X[:, 1] > 0).save(folder)
    >>> model = ngsll.Model.load(folder)
    >>> model.task, model.k, model.classes.tolist()
    ('tabular', 1, [False, True])
    >>> model.predict(X[:3]).shape
    (3,)
    """

    def __init__(
        self, native: _native.Model, labels: Labels | None = None, names: list[str] | None = None
    ) -> None:
        self._native = native
        self._labels = labels if labels is not None else Labels.from_names(native.classes)
        self._names = names if names is not None else [name for name, _ in native.columns]

    @classmethod
    def load(cls, folder: str | os.PathLike[str]) -> Model:
        """Reads a model folder, written by Python, Rust or the command, and checks sizes and checksums."""
        return cls(_native.Model.load(Path(folder)))

    def save(self, folder: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Writes a model folder, which the command, Rust and Python read.

        A folder that is there is an error, unless it is a model folder and ``overwrite`` says so.
        """
        self._native.save(Path(folder), overwrite)

    @property
    def task(self) -> str:
        """``tabular``, ``text`` or ``image``."""
        return self._native.task

    @property
    def k(self) -> int:
        """The default K, the number of terms of each score."""
        return self._native.k

    @property
    def largest_k(self) -> int:
        """The largest valid K."""
        return self._native.largest_k

    @property
    def evidence(self) -> str:
        """What predictions are based on: the ``chosen`` features, or the ``whole`` sample."""
        return self._native.evidence

    @property
    def classes(self) -> np.ndarray[Any, Any]:
        """The classes, sorted; empty in regression."""
        return self._labels.classes

    @property
    def features(self) -> list[str]:
        """The names of the features: columns, words or cells."""
        return self._native.features

    @property
    def columns(self) -> dict[str, str]:
        """The columns of a table that the model reads, with their kinds."""
        return dict(self._native.columns)

    @property
    def findings(self) -> list[str]:
        """Findings about the training data and about what was learned from them, a sentence each."""
        return self._native.findings(way_out)

    @property
    def history(self) -> list[dict[str, float]]:
        """Every epoch of the training."""
        keys = ("stage", "epoch", "train_loss", "valid_loss", "valid_metric")
        return [dict(zip(keys, record, strict=True)) for record in self._native.history]

    @property
    def options(self) -> str:
        """The options of the training, as the configuration file of the command."""
        return self._native.options

    @property
    def trust(self) -> list[dict[str, Any]]:
        """The trust figures of the terms, by ascending K; empty if none were measured."""
        measured: list[dict[str, Any]] = json.loads(self._native.trust)
        return measured

    def samples(self, X: Any) -> _native.Samples:
        """The samples as the native half reads them."""
        if self.task == "text":
            return _inputs.texts(X)
        if self.task == "image":
            return _inputs.images(X)
        if _inputs.has_names(X):
            return _inputs.table(X)
        names = self._names
        if not _inputs.is_pandas(X):
            X = _inputs.matrix(X)
        if X.shape[1] != len(names):
            raise ValueError(f"X has {X.shape[1]} features, but this model is expecting {len(names)} features as input")
        return _inputs.table(X, names)

    def predict(self, X: Any, k: int | None = None, *, threads: int | None = None) -> np.ndarray[Any, Any]:
        """The predicted class or value of every sample."""
        _, answers, _ = self.scored(X, k, threads)
        return self._labels.values(answers)

    def predict_proba(self, X: Any, k: int | None = None, *, threads: int | None = None) -> np.ndarray[Any, Any]:
        """The probability of every class, in the order of :attr:`classes`: [n, classes]."""
        _, _, probabilities = self.scored(X, k, threads)
        return self._labels.in_order(probabilities)

    def scored(
        self, X: Any, k: int | None, threads: int | None, stacklevel: int = 4
    ) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """Scores [n, outputs], class numbers or values [n], probabilities [n, classes], in the model's own order."""
        scores, answers, probabilities, notes = self._native.predict(self.samples(X), k, threads)
        warn(notes, stacklevel)
        return scores, answers, probabilities

    def explain(
        self,
        X: Any,
        k: int | None = None,
        classes: Any = None,
        *,
        y: Any = None,
        threads: int | None = None,
    ) -> Explanations:
        """Predicts and explains every sample with at most ``k`` terms for each score.

        ``classes`` names the classes whose scores are wanted, where there are more than two; ``y``, the true
        answers, is shown beside the predictions.
        """
        labels = None if y is None else self._labels.encode(y)
        native, notes = self._native.explain(self.samples(X), k, threads, labels)
        warn(notes)
        return Explanations(native, self._labels, self._native.check_k(k)).of_classes(classes)

    def explain_arrow(self, X: Any, k: int | None = None, *, threads: int | None = None) -> _native.ArrowStream:
        """Predictions, probabilities and terms of every sample as one Arrow table.

        What comes back has ``__arrow_c_stream__``: ``pyarrow.table(…)``, ``polars.DataFrame(…)`` and DuckDB read it
        without a copy. Its columns are ``prediction``, ``probability_CLASS``, ``score``, ``intercept`` and ``terms``,
        a list of ``{feature, name, value, contribution}``.
        """
        stream, notes = self._native.explain_arrow(self.samples(X), k, threads)
        warn(notes)
        return stream

    def report(
        self, X: Any, y: Any, k: int | None = None, *, threads: int | None = None, name: str = "the model",
        data: str = "the data",
    ) -> Report:
        """Evaluates predictions of labelled samples, like ``ngsll evaluate``.

        With a judge (``fit_judge``), the figures of trust are measured, too, and kept in the model.
        """
        return self._report(self.samples(X), y, k, threads, name, data)

    def _report(
        self, samples: _native.Samples, y: Any, k: int | None, threads: int | None, name: str, data: str
    ) -> Report:
        labels = self._labels.encode(y)
        figures, page, model, notes = self._native.evaluate(samples, labels, k, threads, name, data)
        self._native = model
        warn(notes, 4)
        return Report(json.loads(figures), page)

    def __getstate__(self) -> dict[str, Any]:
        folder = tempfile.mkdtemp(prefix="ngsll-")
        try:
            path = Path(folder, "model")
            self.save(path)
            files = {file.name: file.read_bytes() for file in sorted(path.iterdir())}
        finally:
            shutil.rmtree(folder)
        return {"format": PICKLE_FORMAT, "files": files, "labels": self._labels, "names": self._names}

    def __setstate__(self, state: dict[str, Any]) -> None:
        if state.get("format") != PICKLE_FORMAT:
            raise ValueError(f"a pickled model of format {state.get('format')}, expected {PICKLE_FORMAT}")
        folder = tempfile.mkdtemp(prefix="ngsll-")
        try:
            path = Path(folder, "model")
            path.mkdir()
            for name, content in state["files"].items():
                Path(path, Path(name).name).write_bytes(content)
            self.__init__(_native.Model.load(path), state["labels"], state["names"])  # type: ignore[misc]
        finally:
            shutil.rmtree(folder)

    def __repr__(self) -> str:
        predicts = f"{len(self.classes)} classes" if len(self.classes) else "a number"
        return f"<ngsll.Model: {self.task}, {len(self.features)} features, {predicts}, K = {self.k}>"


def load(folder: str | os.PathLike[str]) -> NgsllEstimator:
    """Reads a model folder, written by Python, Rust or the command, as the estimator for its kind of samples and answers."""
    from ._image import NgsllImageClassifier
    from ._tabular import NgsllClassifier, NgsllRegressor
    from ._text import NgsllTextClassifier, NgsllTextRegressor

    model = Model.load(folder)
    kinds: dict[tuple[str, bool], type[NgsllEstimator]] = {
        ("tabular", True): NgsllClassifier,
        ("tabular", False): NgsllRegressor,
        ("text", True): NgsllTextClassifier,
        ("text", False): NgsllTextRegressor,
        ("image", True): NgsllImageClassifier,
    }
    kind = kinds.get((model.task, len(model.classes) > 0))
    if kind is None:
        raise ValueError(f"{os.fspath(folder)}: a model of images that predicts a number; ngsll.Model.load reads it")
    return kind._of_model(model)
