"""Explanations for the plots of the package shap."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ._explanation import Explanations


def to_shap(explanations: Explanations, output: Any = None) -> Any:
    """Tables and texts as ``[n, features]``, or for one text its tokens; images as ``[n, height, width, channels]``."""
    kind, _ = explanations._native.view(0) if len(explanations) else ("row", None)
    if kind == "image":
        return _images(explanations, output)
    if kind == "text":
        return _texts(explanations, output)
    return _rows(explanations, output)


def _explanation(**parts: Any) -> Any:
    import shap

    return shap.Explanation(**parts)


def _rows(explanations: Explanations, output: Any) -> Any:
    dense, _, base = explanations._dense(output)
    names = explanations.feature_names
    cells: list[dict[str, str]] = [dict(explanations._native.view(place)[1]) for place in range(len(explanations))]
    data = np.array([[_cell(row.get(name, "")) for name in names] for row in cells], dtype=object)
    try:
        data = data.astype(np.float64)
    except ValueError:
        pass  # levels are shown as they are
    return _explanation(values=dense, base_values=base, data=data, feature_names=names)


def _cell(text: str) -> Any:
    if text == "":
        return np.nan
    try:
        return float(text)
    except ValueError:
        return text


def _texts(explanations: Explanations, output: Any) -> Any:
    """A value for each token: a word's contribution is shared by its tokens."""
    terms = explanations._native.terms()
    asked = explanations.output_of(output)
    own = explanations._native.predicted if asked is None else np.full(len(explanations), asked)
    values, data = [], []
    for place in range(len(explanations)):
        here = (terms["place"] == place) & (terms["output"] == own[place])
        share = dict(zip(terms["feature"][here].tolist(), terms["contribution"][here].tolist(), strict=True))
        tokens = explanations._native.view(place)[1]
        times: dict[int, int] = {}
        for _, _, feature in tokens:
            if feature is not None:
                times[feature] = times.get(feature, 0) + 1
        values.append(np.array([share.get(f, 0.0) / times.get(f, 1) for _, _, f in tokens]))
        data.append(np.array([(" " if space else "") + text for text, space, _ in tokens], dtype=object))
    base = explanations._native.intercepts[np.arange(len(explanations)), own]
    ragged_values, ragged_data = np.empty(len(values), dtype=object), np.empty(len(data), dtype=object)
    for place, (value, tokens) in enumerate(zip(values, data, strict=True)):
        ragged_values[place], ragged_data[place] = value, tokens
    return _explanation(values=ragged_values, base_values=base, data=ragged_data, feature_names=list(data))


def _images(explanations: Explanations, output: Any) -> Any:
    """A value for each pixel: a cell's contribution is shared by its pixels."""
    terms = explanations._native.terms()
    asked = explanations.output_of(output)
    own = explanations._native.predicted if asked is None else np.full(len(explanations), asked)
    values, data = [], []
    for place in range(len(explanations)):
        (height, width, channels), pixels, owners = explanations._native.view(place)[1]
        owner = np.array(owners).reshape(height, width)
        here = (terms["place"] == place) & (terms["output"] == own[place])
        image = np.zeros((height, width, channels))
        for feature, contribution in zip(terms["feature"][here], terms["contribution"][here], strict=True):
            cell = owner == feature
            image[cell] = contribution / max(int(cell.sum()) * channels, 1)
        values.append(image)
        data.append(np.frombuffer(pixels, dtype=np.uint8).reshape(height, width, channels))
    base = explanations._native.intercepts[np.arange(len(explanations)), own]
    return _explanation(values=np.array(values), base_values=base, data=np.array(data))
