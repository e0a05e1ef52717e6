"""What is measured of every method: how good its predictions are, and how long things take."""

import resource
import time
from contextlib import contextmanager

import numpy as np
import pandas as pd
from sklearn.metrics import log_loss, mean_absolute_error, r2_score, roc_auc_score

METRIC = {"classes": "auroc", "number": "r2"}
EXPLAINED = 1000  # rows of one call that explains many


def scores(split, prediction: np.ndarray) -> dict[str, float]:
    """prediction: [rows, classes] in the order of `split.classes`, or [rows]"""
    y = split.y_test
    if split.table.kind == "number":
        return {"r2": r2_score(y, prediction), "mae": mean_absolute_error(y, prediction)}
    binary = len(split.classes) == 2
    # Single precision, or rounding, may miss 1 by a little.
    probabilities = prediction / prediction.sum(axis=1, keepdims=True)
    shown = probabilities[:, 1] if binary else probabilities
    return {
        "auroc": roc_auc_score(y, shown, multi_class="ovr", average="macro", labels=split.classes),
        "log_loss": log_loss(y, probabilities, labels=split.classes),
    }


@contextmanager
def stopwatch(into: dict, name: str):
    """Seconds on the clock, and of processors: ours and those of programs that have ended."""
    start, spent = time.perf_counter(), processor_seconds()
    yield
    into[f"{name}_s"] = time.perf_counter() - start
    into[f"{name}_cpu_s"] = processor_seconds() - spent


def processor_seconds() -> float:
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def best_of(work, repeats: int = 3) -> float:
    """The shortest of some times, in seconds: the others met somebody else's work."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def many_rows(frame: pd.DataFrame, rows: int = EXPLAINED) -> pd.DataFrame:
    """So many rows of a table, again from its start where it has fewer."""
    return frame.iloc[np.arange(rows) % len(frame)].reset_index(drop=True)
