"""Conversion of arrays, data frames and lists for the native half."""

from __future__ import annotations

import numbers
import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from . import _native
from ._options import class_text

Columns = list[tuple[str, str, Any]]


def is_pandas(X: Any) -> bool:
    """Whether it is a pandas DataFrame; pandas is not imported for that."""
    return type(X).__module__.split(".")[0] == "pandas" and hasattr(X, "dtypes")


def refuse_sparse(X: Any) -> None:
    """Refuses a matrix of scipy.sparse: it does not say whether its absent entries are missing or 0."""
    if type(X).__module__.startswith("scipy.sparse"):
        raise TypeError("Sparse data was passed, but dense data is required; X.toarray() makes it dense.")


def has_names(X: Any) -> bool:
    """Whether the columns of a table have names: those of dicts, data frames and anything of Arrow's do."""
    refuse_sparse(X)
    if isinstance(X, Mapping):
        return True
    if is_pandas(X) and hasattr(X, "columns"):
        named = [isinstance(name, str) for name in X.columns]
        if any(named) and not all(named):
            kinds = sorted({type(name).__name__ for name in X.columns})
            raise TypeError(
                "Feature names are only supported if all input features have string names, "
                f"but your input has {kinds} as feature name / column name types."
            )
        return all(named)
    return hasattr(X, "__arrow_c_stream__")


def table(X: Any, names: list[str] | None = None) -> _native.Samples:
    """A table; ``names`` are those of an array's columns."""
    if is_pandas(X):
        return _native.Samples.from_columns(pandas_columns(X, names))
    if isinstance(X, Mapping):
        return _native.Samples.from_columns(mapping_columns(X))
    if hasattr(X, "__arrow_c_stream__"):
        return _native.Samples.from_arrow(X)
    array = matrix(X)
    names = names if names is not None else [f"x{j}" for j in range(array.shape[1])]
    if array.dtype == np.float64:
        return _native.Samples.from_matrix(array, names)
    columns = [(name, *values(array[:, j], name)) for j, name in enumerate(names)]
    return _native.Samples.from_columns(columns)


def matrix(X: Any) -> np.ndarray[Any, Any]:
    """A two-dimensional array: of float64 where all of it is numbers, of objects otherwise."""
    refuse_sparse(X)
    array = X if isinstance(X, np.ndarray) else np.asarray(X)
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{array}\n")
    if array.ndim != 2:
        shape = "a scalar" if array.ndim == 0 else f"a {array.ndim}D array"
        raise ValueError(
            f"Expected 2D array, got {shape} instead. Reshape your data either using "
            "array.reshape(-1, 1) if it has a single feature or array.reshape(1, -1) if it is a single sample."
        )
    if array.dtype.kind in "fiub":
        return array.astype(np.float64, copy=False)
    if array.dtype.kind in "OUS":
        try:
            return array.astype(np.float64)
        except (TypeError, ValueError):
            return array.astype(object)
    raise ValueError(f"dtype {array.dtype} cannot be read as a table; expected numbers, texts or objects")


def pandas_columns(frame: Any, names: list[str] | None) -> Columns:
    """The columns of a pandas DataFrame by their dtypes."""
    if not hasattr(frame, "columns"):
        raise ValueError(
            "Expected 2D array, got a pandas Series instead. Reshape your data: frame[[name]] is a table."
        )
    if names is None:
        names = list(frame.columns) if has_names(frame) else [f"x{j}" for j in range(frame.shape[1])]
    return [(name, *series(frame.iloc[:, j], name)) for j, name in enumerate(names)]


def series(column: Any, name: str) -> tuple[str, Any]:
    """One column of a pandas DataFrame."""
    dtype = column.dtype
    if hasattr(column, "cat"):
        levels = [class_text(level) for level in column.cat.categories]
        return "levels", (levels, np.asarray(column.cat.codes, dtype=np.int64))
    kind = getattr(dtype, "kind", "O")
    if hasattr(dtype, "tz") or kind == "M":
        return "timestamps", timestamps(column.to_numpy(dtype="datetime64[us]", na_value=np.datetime64("NaT")))
    if kind == "b":
        return booleans(column.to_numpy(dtype=object, na_value=None))
    if kind == "m":
        return "numbers", np.asarray(column.dt.total_seconds(), dtype=np.float64)
    if kind in "fiu":
        return "numbers", column.to_numpy(dtype=np.float64, na_value=np.nan)
    if kind == "c":
        raise ValueError(f"Complex data not supported: column {name!r}")
    return values(column.to_numpy(dtype=object), name)


def mapping_columns(rows: Mapping[Any, Any]) -> Columns:
    """Columns by name, each a list or, for a single row, a value."""
    columns = []
    for name, cells in rows.items():
        single = isinstance(cells, (str, bytes)) or not isinstance(cells, (Iterable, np.ndarray))
        column = np.asarray([cells] if single else cells)
        if column.dtype.kind in "fiu":
            columns.append((str(name), "numbers", column.astype(np.float64)))
        elif column.dtype.kind == "M":
            columns.append((str(name), "timestamps", timestamps(column)))
        else:
            given = [cells] if single else list(cells)
            column = np.empty(len(given), dtype=object)
            column[:] = given
            columns.append((str(name), *values(column, str(name))))
    return columns


def values(column: np.ndarray[Any, Any], name: str) -> tuple[str, Any]:
    """A column of Python objects: numbers where all are, texts otherwise."""
    if column.dtype.kind in "fiu":
        return "numbers", column.astype(np.float64)
    cells = [None if is_missing(cell) else cell for cell in column.tolist()]
    present = [cell for cell in cells if cell is not None]
    if present and all(isinstance(cell, (bool, np.bool_)) for cell in present):
        return booleans(cells)
    if all(isinstance(cell, numbers.Real) and not isinstance(cell, bool) for cell in present):
        return "numbers", np.array([np.nan if cell is None else float(cell) for cell in cells])
    if present and all(hasattr(cell, "isoformat") for cell in present):
        return "timestamps", timestamps(np.array([cell or "NaT" for cell in cells], dtype="datetime64[us]"))
    texts = []
    for row, cell in enumerate(cells):
        if cell is None or isinstance(cell, str):
            texts.append(cell)
        elif isinstance(cell, (numbers.Real, np.bool_)):
            texts.append(class_text(cell))
        else:
            raise TypeError(
                f"sample {row} column {name!r}: the argument must be a string or a number, not {type(cell).__name__!r}"
            )
    return "texts", texts


def booleans(cells: Iterable[Any]) -> tuple[str, Any]:
    """Truth values are levels, as of a Parquet file."""
    ids = [-1 if cell is None else int(bool(cell)) for cell in cells]
    return "levels", (["false", "true"], np.array(ids, dtype=np.int64))


def timestamps(dates: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Seconds since 1970; NaN where there is no date."""
    micros = dates.astype("datetime64[us]").astype(np.int64)
    return np.where(np.isnat(dates), np.nan, micros / 1e6)


def is_missing(cell: Any) -> bool:
    """None, NaN, NaT and pandas' NA."""
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(cell, (float, np.floating)) and bool(np.isnan(cell))


def texts(X: Any) -> _native.Samples:
    """Texts: a list, a Series, an array or an Arrow array of str."""
    if isinstance(X, (str, bytes)):
        raise ValueError("expected a sequence of texts, found a single one; [text] is a sequence of one")
    if isinstance(X, Mapping) or any(hasattr(X, name) for name in ("columns", "column_names", "schema")):
        raise ValueError("expected a sequence of texts, found a table; name one column, such as table['text']")
    if hasattr(X, "to_pylist"):
        return _native.Samples.from_texts(X.to_pylist())
    if isinstance(X, np.ndarray):
        if X.ndim == 2 and X.shape[1] == 1:
            X = X[:, 0]
        if X.ndim != 1:
            raise ValueError(f"expected a sequence of texts, found an array of shape {X.shape}")
    return _native.Samples.from_texts([str(x) if isinstance(x, np.str_) else x for x in X])


def word_vectors(vectors: Any) -> tuple[list[str], np.ndarray[Any, Any]] | None:
    """Words and their vectors as a matrix: of a dict, a pair, or what gensim calls KeyedVectors. None for a file, which
    is read by Rust."""
    if vectors is None or isinstance(vectors, (str, os.PathLike)):
        return None
    if isinstance(vectors, Mapping):
        words, rows = list(vectors), list(vectors.values())
    elif hasattr(vectors, "index_to_key") and hasattr(vectors, "vectors"):
        words, rows = vectors.index_to_key, vectors.vectors
    elif isinstance(vectors, (tuple, list)) and len(vectors) == 2:
        words, rows = vectors
    else:
        raise TypeError(
            "vectors: expected a file, {word: vector}, (words, matrix) or gensim's KeyedVectors, "
            f"found {type(vectors).__name__}"
        )
    words = [str(word) for word in words]
    try:
        matrix = np.ascontiguousarray(rows, dtype=np.float32)
    except (TypeError, ValueError):
        raise ValueError("vectors: expected as many numbers for each word") from None
    if matrix.ndim != 2 or len(matrix) != len(words):
        raise ValueError(f"vectors: expected a row for each of {len(words)} words, found shape {matrix.shape}")
    return words, matrix


def region_mask(regions: Any) -> np.ndarray[Any, Any] | None:
    """A mask [height, width] of regions. None for a file, which is read by Rust."""
    if regions is None or isinstance(regions, (str, os.PathLike)):
        return None
    mask = np.asarray(regions)
    if mask.ndim != 2 or mask.dtype.kind not in "iub" or (mask.size and mask.min() < 0):
        raise ValueError(
            "regions: expected a file, or an array [height, width] that has a whole number of at least 0 for each pixel, "
            f"found an array of {mask.dtype} of shape {mask.shape}"
        )
    return np.ascontiguousarray(mask, dtype=np.uint32)


def images(X: Any) -> _native.Samples:
    """Images [n, height, width] or [n, height, width, channels]: bytes, or fractions from 0 to 1."""
    array = np.asarray(X)
    if array.dtype == object:
        raise ValueError("expected images of one size, [n, height, width] or [n, height, width, channels]")
    if array.ndim == 3:
        array = array[..., np.newaxis]
    if array.ndim != 4:
        raise ValueError(
            "expected images [n, height, width] or [n, height, width, channels], "
            f"found an array of shape {np.asarray(X).shape}"
        )
    if array.dtype == np.uint8:
        return _native.Samples.from_images(np.ascontiguousarray(array))
    if array.dtype.kind == "b":
        return _native.Samples.from_images(array.astype(np.uint8) * np.uint8(255))
    if array.dtype.kind not in "fiu":
        raise ValueError(f"expected images of numbers, found dtype {array.dtype}")
    lowest, highest = (array.min(), array.max()) if array.size else (0, 0)
    if not np.isfinite([lowest, highest]).all() or lowest < 0:
        raise ValueError(f"expected brightness from 0 to 255 (or fractions from 0 to 1), found {lowest} to {highest}")
    fractions = array.dtype.kind == "f" and highest <= 1
    if highest > 255:
        raise ValueError(f"expected brightness from 0 to 255 (or fractions from 0 to 1), found {highest}")
    scaled = array * 255.0 if fractions else array
    return _native.Samples.from_images(np.rint(scaled).astype(np.uint8))
