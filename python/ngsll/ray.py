"""Explaining on a Ray cluster: ``pip install ngsll[ray]``.

>>> import ngsll.ray                                                    # doctest: +SKIP
>>> rows = ray.data.read_parquet("claims/")                             # doctest: +SKIP
>>> ngsll.ray.explain(rows, "claims-model", k=3, num_workers=8).write_parquet("explained/")   # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ._batches import Worker, as_model


def explain(
    dataset: Any,
    model: Any,
    k: int | None = None,
    *,
    num_workers: int = 1,
    num_cpus: int = 1,
    batch_size: int = 8192,
    text: str | None = None,
) -> Any:
    """Every row with ``prediction``, ``probability_CLASS``, ``score``, ``intercept`` and ``terms`` beside its own
    columns, so that ids stay with their rows. Rows keep their order after
    ``dataset.context.execution_options.preserve_order = True``; otherwise batches come as they are ready.

    Parameters
    ----------
    dataset : a ``ray.data.Dataset``; nothing is computed until it is written or read.
    model : a model folder that every worker can read, an :class:`ngsll.Model` or a fitted estimator, which is sent.
    k : the most terms of each score.
    num_workers : actors, each of which loads the model once.
    num_cpus : threads of each actor.
    batch_size : rows of a call, which bounds an actor's memory.
    text : the column that holds the texts, for a model of texts.
    """
    return _map(dataset, model, k, num_workers, num_cpus, batch_size, text, terms=True)


def predict(
    dataset: Any,
    model: Any,
    k: int | None = None,
    *,
    num_workers: int = 1,
    num_cpus: int = 1,
    batch_size: int = 8192,
    text: str | None = None,
) -> Any:
    """Like :func:`explain`, without score and terms."""
    return _map(dataset, model, k, num_workers, num_cpus, batch_size, text, terms=False)


def _map(
    dataset: Any,
    model: Any,
    k: int | None,
    num_workers: int,
    num_cpus: int,
    batch_size: int,
    text: str | None,
    terms: bool,
) -> Any:
    # Ray calls its own pool of actors a class with the constructor's arguments.
    return dataset.map_batches(
        Worker,
        fn_constructor_args=(as_model(model), k, num_cpus, terms, text),
        batch_format="pyarrow",
        batch_size=batch_size,
        concurrency=num_workers,
        num_cpus=num_cpus,
        zero_copy_batch=True,
    )


def fit_seeds(estimator: Any, X: Any, y: Any, seeds: Iterable[int], *, num_cpus: int = 1) -> list[Any]:
    """The estimator fitted with each seed, as parallel Ray tasks: how far do figures depend on chance?"""
    import ray

    @ray.remote(num_cpus=num_cpus)  # type: ignore[untyped-decorator]
    def one(seed: int, X: Any, y: Any) -> Any:
        copy = type(estimator)(**estimator.get_params())
        return copy.set_params(random_state=seed, threads=num_cpus).fit(X, y)

    held = (ray.put(X), ray.put(y))
    fitted: list[Any] = ray.get([one.remote(seed, *held) for seed in seeds])
    return fitted
