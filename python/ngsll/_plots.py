"""Charts by matplotlib, in the colours of the cards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ._explanation import Explanation, Explanations

# For the class, or more; against it, or less.
POSITIVE, NEGATIVE = "#b2182b", "#2166ac"
# Features of a chart; more are not readable.
MOST = 20


def _axes(ax: Any, bars: int) -> Any:
    if ax is not None:
        return ax
    from matplotlib import pyplot

    return pyplot.subplots(figsize=(6.5, 1.1 + 0.34 * bars), layout="constrained")[1]


def _barh(ax: Any, names: list[str], sizes: Any, label: str) -> Any:
    ax = _axes(ax, len(names))
    ax.barh(range(len(names)), sizes, color=[POSITIVE if size >= 0 else NEGATIVE for size in sizes])
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.axvline(0, color="0.5", linewidth=0.8)
    ax.set_xlabel(label)
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def bars(explanation: Explanation, ax: Any = None) -> Any:
    """The terms of the score that one prediction is read from."""
    terms = explanation.terms[:MOST]
    names = [term.name if term.observed is None else f"{term.name} = {term.observed}" for term in terms]
    ax = _barh(ax, names, [term.contribution for term in terms], "contribution")
    prediction = explanation.prediction
    shown = f"{prediction:.4g}" if isinstance(prediction, float) else str(prediction)
    ax.set_title(f"{shown}: {explanation.intercept:+.2f} and these terms make {explanation.score:+.2f}", fontsize=10)
    return ax


def mean_bars(explanations: Explanations, output: Any = None, ax: Any = None) -> Any:
    """The mean size of each feature's contributions over several samples."""
    dense, _ = explanations.contributions(output)
    mean = np.abs(dense).mean(axis=0)
    order = np.argsort(-mean, kind="stable")[:MOST]
    names = explanations.feature_names
    return _barh(ax, [names[j] for j in order], mean[order], "mean size of the contribution")
