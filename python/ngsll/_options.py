"""Options by their Python names, and as the library's TOML keys."""

from __future__ import annotations

import inspect
import json
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

# The Python name of an option and its key in a configuration file.
KEYS = {
    "k": "k",
    "choice": "choice",
    "evidence": "training.evidence",
    "preset": "training.preset",
    "epochs": "training.epochs",
    "batch_size": "training.batch_size",
    "learning_rate": "training.learning_rate",
    "weight_decay": "training.weight_decay",
    "intercept": "training.intercept",
    "calibration": "training.calibration",
    "screening": "training.screening",
    "slopes": "training.slopes",
    "linear_start": "training.linear_start",
    "loss": "training.loss",
    "log_target": "training.log_target",
    "class_weight": "training.class_weights",
    "shift": "training.shift",
    "validation_fraction": "data.valid_fraction",
    "columns": "data.columns",
    "drop": "data.drop",
    "keep": "data.keep",
    "protected": "data.protected",
    "missing_words": "data.missing_words",
    "members": "generator.members",
    "embedding": "generator.embedding",
    "layers": "generator.layers",
    "units": "generator.units",
    "dropout": "generator.dropout",
    "widths": "generator.widths",
    "filters": "generator.filters",
    "vectors": "generator.vectors",
    "vectors_fixed": "generator.vectors_fixed",
    "channels": "generator.channels",
    "cell_units": "generator.cell_units",
    "bins": "representation.bins",
    "distinct_bins": "representation.distinct_bins",
    "max_levels": "representation.max_levels",
    "tokenizer": "representation.tokenizer",
    "lowercase": "representation.lowercase",
    "min_count": "representation.min_count",
    "stop_words": "representation.stop_words",
    "punctuation": "representation.punctuation",
    "max_tokens": "representation.max_tokens",
    "unit": "representation.unit",
    "phrase": "representation.phrase",
    "cells": "representation.cells",
    "regions": "representation.regions",
    "region_names": "representation.region_names",
}

# Options that are lists of names, of which one may stand alone.
NAMES = ("drop", "keep", "protected", "missing_words", "stop_words", "region_names")
# Options that are files, or else handed over as they are.
FILES = ("vectors", "regions")


def toml(value: Any) -> str:
    """A value as TOML writes it."""
    if isinstance(value, Mapping):
        pairs = (f"{json.dumps(str(key))} = {toml(item)}" for key, item in value.items())
        return "{ " + ", ".join(pairs) + " }"
    if isinstance(value, (list, tuple, set, frozenset, np.ndarray)):
        return "[" + ", ".join(toml(item) for item in value) + "]"
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return repr(float(value))
    return json.dumps(str(value), ensure_ascii=False)


def changed(estimator: Any) -> list[tuple[str, str]]:
    """The options that are not at their defaults. ``None`` is the library's default, which depends on the evidence,
    the network or the size of the data; every other default of a signature is the library's regardless of them."""
    signature = inspect.signature(type(estimator).__init__).parameters
    found = []
    for name, key in KEYS.items():
        if name not in signature:
            continue
        value = getattr(estimator, name)
        if value is None or same(value, signature[name].default):
            continue
        if name in FILES and not isinstance(value, (str, os.PathLike)):
            continue
        if name == "columns":
            found += columns(value)
        elif name == "class_weight" and isinstance(value, Mapping):
            found.append((key, toml({class_text(label): weight for label, weight in value.items()})))
        elif name in NAMES and isinstance(value, str):
            found.append((key, toml([value])))
        else:
            found.append((key, toml(value)))
    for key, value in (estimator.options or {}).items():
        found.append((key, toml(value)))
    return found


def columns(described: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Options of single columns: their kinds, or ``{"kind": …, "monotone": …}``."""
    found = []
    for name, given in described.items():
        # A name stands between the quotes as it is, whatever it holds.
        key = f'data.columns."{name}"'
        for option, value in (given if isinstance(given, Mapping) else {"kind": given}).items():
            if option not in ("kind", "monotone"):
                raise ValueError(f"columns: {name!r} has {option!r}, expected 'kind' or 'monotone'")
            if value is not None:
                found.append((key if option == "kind" else f"{key}.monotone", toml(value)))
    return found


def same(a: Any, b: Any) -> bool:
    """Whether two options are equal; a list is its tuple."""
    if isinstance(a, (list, np.ndarray)):
        a = tuple(a)
    return type(a) is not np.ndarray and bool(a == b)


def in_python(message: str) -> str:
    """An error about an option, with its Python name."""
    if message.startswith("data.columns."):
        return message.removeprefix("data.")
    for name, key in KEYS.items():
        if message.startswith(f"{key} = "):
            return name + message[len(key) :]
    return message


def way_out(option: str, value: str | None, effect: str) -> str | None:
    """The remedy of a finding as a keyword argument, and its effect."""
    if option == "folds":
        return f"scikit-learn's cross_val_score {effect}"
    if option == "data.group":
        return f"changing the labels in y {effect}"
    if value is None:
        return None
    try:
        given = json.loads(value)
    except ValueError:
        given = value  # TOML may leave the quotes of a word away.
    column = option.removeprefix("data.columns.")
    if column != option:
        name = json.loads(column) if column.startswith('"') else column
        return f"columns={ {name: given}!r} {effect}"
    for name, key in KEYS.items():
        if key == option:
            return f"{name}={given!r} {effect}"
    return f"options={ {option: given}!r} {effect}"


def class_text(label: Any) -> str:
    """A label as the library's own files write it: ``true``, ``3``, ``2.5``, ``praise``."""
    if isinstance(label, (bool, np.bool_)):
        return "true" if label else "false"
    if isinstance(label, (int, np.integer)):
        return str(int(label))
    if isinstance(label, (float, np.floating)):
        number = float(label)
        return str(int(number)) if number.is_integer() else repr(number)
    return str(label)
