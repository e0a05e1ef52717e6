"""Explaining on Spark: ``pip install ngsll[spark]``.

>>> import ngsll.spark                                                        # doctest: +SKIP
>>> explained = ngsll.spark.explain(frame, "claims-model", k=3)               # doctest: +SKIP
>>> explained.select("id", "prediction", "terms").write.parquet("explained")  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ._batches import Worker, as_model
from ._model import Model


def explain(frame: Any, model: Any, k: int | None = None, *, threads: int = 1, text: str | None = None) -> Any:
    """Every row with ``prediction``, ``probability_CLASS``, ``score``, ``intercept`` and ``terms`` beside its own
    columns, by ``mapInArrow``.

    Parameters
    ----------
    frame : a ``pyspark.sql.DataFrame``.
    model : a model folder that every executor can read, an :class:`ngsll.Model` or a fitted estimator, which is sent.
    k : the most terms of each score.
    threads : of each task; as many as ``spark.task.cpus``.
    text : the column that holds the texts, for a model of texts.
    """
    return _map(frame, model, k, threads, text, terms=True)


def predict(frame: Any, model: Any, k: int | None = None, *, threads: int = 1, text: str | None = None) -> Any:
    """Like :func:`explain`, without score and terms."""
    return _map(frame, model, k, threads, text, terms=False)


def _map(frame: Any, model: Any, k: int | None, threads: int, text: str | None, terms: bool) -> Any:
    sent = as_model(model)
    classes = (Model.load(sent) if isinstance(sent, str) else sent)._native.classes
    from pyspark.sql.types import DoubleType, StringType, StructField, StructType

    answer = StringType() if classes else DoubleType()
    added = [StructField("prediction", answer)]
    added += [StructField(f"probability_{name}", DoubleType()) for name in classes]
    if terms:
        added += [StructField("score", DoubleType()), StructField("intercept", DoubleType()), _terms()]

    def explained(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        worker = Worker(sent, k, threads, terms, text)
        for batch in batches:
            yield from worker(pyarrow.Table.from_batches([batch])).to_batches()

    return frame.mapInArrow(explained, StructType([*frame.schema.fields, *added]))


def _terms() -> Any:
    from pyspark.sql.types import ArrayType, DoubleType, LongType, StringType, StructField, StructType

    term = StructType(
        [
            StructField("feature", LongType()),
            StructField("name", StringType()),
            StructField("value", StringType()),
            StructField("contribution", DoubleType()),
        ]
    )
    return StructField("terms", ArrayType(term))
