"""Explanations: predictions as sums of named terms."""

from __future__ import annotations

import json
import shutil
import sys
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, overload

import numpy as np

from . import _native
from ._answers import Labels

# Cards that a notebook shows of many explanations.
SHOWN = 10


@dataclass(frozen=True)
class Term:
    """One named feature's share in a score: ``contribution = level + weight * value``."""

    feature: int
    name: str
    value: float
    observed: str | None
    weight: float
    level: float
    contribution: float


@dataclass(frozen=True)
class Score:
    """One score as a sum: ``score = intercept + Σ contribution``."""

    name: str
    score: float
    intercept: float
    terms: list[Term]


class _Shown:
    """Common methods of one explanation and several."""

    _native: _native.Explanations
    _labels: Labels
    _k: int

    def _repr_html_(self) -> str:
        shown = self._native
        more = ""
        if len(shown) > SHOWN:
            shown = shown.select(list(range(SHOWN)))
            more = f"<p>The first {SHOWN} of {len(self._native)} explanations.</p>"
        return shown.cards(uuid.uuid4().hex[:12], self._k) + more

    def to_html(self, path: str | Path | None = None, title: str = "Explanations") -> str | None:
        """A page of cards that needs no other file: written to ``path``, or returned."""
        page = self._native.page(title, self._k)
        if path is None:
            return page
        Path(path).write_text(page, encoding="utf-8")
        return None

    def to_arrow(self) -> Any:
        """Predictions, probabilities and terms as a :class:`pyarrow.Table`, a row for each sample."""
        import pyarrow

        return pyarrow.table(self._native.arrow())

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._native.arrow().__arrow_c_stream__(requested_schema)

    def _text(self, place: int) -> str:
        width = shutil.get_terminal_size((100, 24)).columns
        colour = sys.stdout.isatty()
        return self._native.terminal(place, colour, width)


class Explanation(_Shown):
    """The explanation of one sample; in a notebook a card, in a terminal some lines.

    Attributes
    ----------
    prediction : the predicted class or value.
    probability : the predicted class's probability; None in regression.
    scores : every score as a sum, of one class each where there are more than two.
    """

    def __init__(self, native: _native.Explanations, labels: Labels, k: int, outputs: list[int]) -> None:
        self._native, self._labels, self._k, self._outputs = native, labels, k, outputs

    @property
    def row(self) -> int:
        """The sample's number."""
        return int(self._native.rows[0])

    @property
    def prediction(self) -> Any:
        """The predicted class or value."""
        return self._labels.values(self._native.predictions)[0].item()

    @property
    def probability(self) -> float | None:
        """The predicted class's probability; None in regression."""
        probabilities = self._native.probabilities
        if probabilities.shape[1] == 0:
            return None
        return float(probabilities[0, int(self._native.predictions[0])])

    @property
    def probabilities(self) -> dict[Any, float]:
        """The probability of every class; empty in regression."""
        in_order = self._labels.in_order(self._native.probabilities)[0]
        return dict(zip(self._labels.classes.tolist(), in_order.tolist(), strict=True))

    @property
    def scores(self) -> list[Score]:
        """Every score as a sum."""
        outputs = self.to_dict()["outputs"]
        return [_score(output) for output in outputs]

    def _predicted(self) -> Score:
        return _score(json.loads(self._native.json(0))["outputs"][int(self._native.predicted[0])])

    @property
    def score(self) -> float:
        """The score that the prediction is read from; with two classes, that of the second."""
        return self._predicted().score

    @property
    def intercept(self) -> float:
        """The intercept of that score, which is added to its terms."""
        return self._predicted().intercept

    @property
    def terms(self) -> list[Term]:
        """The terms of that score, largest first."""
        return self._predicted().terms

    def to_dict(self) -> dict[str, Any]:
        """The explanation as ``ngsll explain --format json`` writes it, number for number."""
        found: dict[str, Any] = json.loads(self._native.json(0))
        found["outputs"] = [found["outputs"][output] for output in self._outputs]
        return found

    def to_pandas(self) -> Any:
        """A :class:`pandas.DataFrame` with a row for each term."""
        return Explanations(self._native, self._labels, self._k, self._outputs).to_pandas()

    def plot(self, ax: Any = None) -> Any:
        """Bars of the contributions, by matplotlib; returns the axes."""
        from ._plots import bars

        return bars(self, ax)

    def to_shap(self, output: Any = None) -> Any:
        """A :class:`shap.Explanation` of this sample, for ``shap.plots.waterfall``, ``force``, ``text`` or ``image``."""
        return Explanations(self._native, self._labels, self._k, self._outputs).to_shap(output)[0]

    def __repr__(self) -> str:
        return self._text(0)


class Explanations(_Shown):
    """Explanations of several samples: a sequence that knows data frames, Arrow, SHAP and InterpretML.

    >>> import numpy as np, ngsll
    >>> X = np.random.default_rng(0).normal(size=(300, 3))
    >>> model = ngsll.NgsllRegressor(k=2, epochs=2).fit(X, 2 * X[:, 0] - X[:, 1])
    >>> explanations = model.explain(X[:5])
    >>> len(explanations), len(explanations[0].terms), len(explanations[1:3])
    (5, 2, 2)
    >>> dense, base = explanations.contributions()
    >>> bool(np.allclose(dense.sum(axis=1) + base, model.predict(X[:5])))
    True
    """

    def __init__(
        self, native: _native.Explanations, labels: Labels, k: int, outputs: list[int] | None = None
    ) -> None:
        self._native, self._labels, self._k = native, labels, k
        self._outputs = outputs if outputs is not None else list(range(len(native.outputs)))

    def of_classes(self, classes: Any) -> Explanations:
        """The explanations with the scores of some classes only, if each class has one."""
        if classes is None:
            return self
        listed = classes if isinstance(classes, (list, tuple, set, np.ndarray)) else [classes]
        numbers = [self._labels.number(label) for label in listed]
        if len(self._native.outputs) == 1:
            # One score for both classes.
            return self
        return Explanations(self._native, self._labels, self._k, numbers)

    def __len__(self) -> int:
        return len(self._native)

    @overload
    def __getitem__(self, place: int) -> Explanation: ...
    @overload
    def __getitem__(self, place: Any) -> Explanations: ...
    def __getitem__(self, place: Any) -> Explanation | Explanations:
        if isinstance(place, (int, np.integer)):
            at = int(place) + (len(self) if place < 0 else 0)
            if not 0 <= at < len(self):
                raise IndexError(f"explanation {place} of {len(self)}")
            return Explanation(self._native.select([at]), self._labels, self._k, self._outputs)
        places = np.arange(len(self))[place]
        return Explanations(self._native.select(places.tolist()), self._labels, self._k, self._outputs)

    def __iter__(self) -> Iterator[Explanation]:
        return (self[place] for place in range(len(self)))

    @property
    def predictions(self) -> np.ndarray[Any, Any]:
        """The predicted class or value of every sample."""
        return self._labels.values(self._native.predictions)

    @property
    def feature_names(self) -> list[str]:
        """The names of the features that the explanations name, by their numbers."""
        terms = self._native.terms()
        names = dict(zip(terms["feature"].tolist(), terms["name"], strict=True))
        return [names[feature] for feature in sorted(names)]

    def output_of(self, output: Any = None) -> int | None:
        """The number of the score of a class; None is each sample's own, the predicted one's."""
        if len(self._native.outputs) == 1:
            return 0
        return None if output is None else self._labels.number(output)

    def contributions(self, output: Any = None) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """The contributions of all named features, [n, features], 0 where a feature is not among the K, and the
        intercepts, [n]. ``output`` names a class; without it each sample's predicted one counts."""
        dense, _, base = self._dense(output)
        return dense, base

    def _dense(self, output: Any) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        terms = self._native.terms()
        asked = self.output_of(output)
        own = self._native.predicted if asked is None else np.full(len(self), asked)
        features, column = np.unique(terms["feature"], return_inverse=True)
        wanted = terms["output"] == own[terms["place"]]
        place = (terms["place"][wanted], column.reshape(-1)[wanted])
        dense = np.zeros((len(self), len(features)))
        dense[place] = terms["contribution"][wanted]
        named = np.zeros((len(self), len(features)))
        named[place] = terms["value"][wanted]
        return dense, named, self._native.intercepts[np.arange(len(self)), own]

    def to_dict(self) -> list[dict[str, Any]]:
        """Every explanation as ``ngsll explain --format json`` writes it, number for number."""
        return [explanation.to_dict() for explanation in self]

    def to_pandas(self) -> Any:
        """A :class:`pandas.DataFrame` with a row for each term: row, prediction, output, feature, value, observed,
        weight, level, contribution."""
        import pandas

        terms = self._native.terms()
        keep = np.isin(terms["output"], self._outputs)
        names = np.array(self._native.outputs, dtype=object)
        columns = {
            "row": self._native.rows[terms["place"]],
            "prediction": self.predictions[terms["place"]],
            "output": names[terms["output"]],
            "feature": np.array(terms["name"], dtype=object),
            "value": terms["value"],
            "observed": np.array(terms["observed"], dtype=object),
            "weight": terms["weight"],
            "level": terms["level"],
            "contribution": terms["contribution"],
        }
        return pandas.DataFrame({name: column[keep] for name, column in columns.items()})

    def to_shap(self, output: Any = None) -> Any:
        """A :class:`shap.Explanation`, for ``shap.plots``: ``beeswarm``, ``bar``, ``waterfall``, ``force``, ``text``
        and ``image``. The contributions are not Shapley values: features that are not named have 0.

        ``output`` names the class whose score it is about; without it, each sample's predicted one.
        """
        from ._shap import to_shap

        return to_shap(self, output)

    def to_interpret(self, name: str = "NGSLL") -> Any:
        """Local explanations for InterpretML: ``interpret.show(explanations.to_interpret())``."""
        from ._interpret import to_interpret

        return to_interpret(self, name)

    def plot(self, output: Any = None, ax: Any = None) -> Any:
        """The mean size of each feature's contributions, by matplotlib; returns the axes."""
        from ._plots import mean_bars

        return mean_bars(self, output, ax)

    def __repr__(self) -> str:
        shown = [self._text(place) for place in range(min(len(self), 3))]
        more = [f"… and {len(self) - 3} more"] if len(self) > 3 else []
        return "\n".join(shown + more)


def _score(output: dict[str, Any]) -> Score:
    terms = [
        Term(
            feature=term["feature"],
            name=term["name"],
            value=term["value"],
            observed=term.get("observed"),
            weight=term["weight"],
            level=term.get("level", 0.0),
            contribution=term["contribution"],
        )
        for term in output["terms"]
    ]
    return Score(output["name"], output["score"], output["intercept"], terms)
