"""Arrow in, Arrow out: the interface for distributed engines."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ._model import Model


def as_model(model: Any) -> Model | str:
    """A model to be sent to workers: the model of an estimator, or the folder that they read themselves."""
    if isinstance(model, (str, Path)):
        return os.fspath(model)
    fitted = model if isinstance(model, Model) else getattr(model, "model_", None)
    if not isinstance(fitted, Model):
        raise TypeError(f"expected a model folder, an ngsll.Model or a fitted estimator, found {type(model).__name__}")
    return fitted


class Worker:
    """Predicts or explains tables; loads its model once."""

    def __init__(self, model: Model | str, k: int | None, threads: int | None, terms: bool, text: str | None) -> None:
        self.model = Model.load(model) if isinstance(model, str) else model
        self.k, self.threads, self.terms, self.text = k, threads, terms, text

    def __call__(self, table: Any) -> Any:
        """The table with what is predicted beside its own columns."""
        import pyarrow

        samples = table
        if self.model.task == "text":
            if self.text is None:
                raise ValueError("text: name the column that holds the texts")
            samples = table.column(self.text)
        found = pyarrow.table(self.model.explain_arrow(samples, self.k, threads=self.threads))
        if not self.terms:
            found = found.drop_columns(["score", "intercept", "terms"])
        for name in found.column_names:
            if name in table.column_names:
                raise ValueError(f"the data already have a column {name!r}; rename it, as the result has one, too")
            table = table.append_column(found.schema.field(name), found.column(name))
        return table
