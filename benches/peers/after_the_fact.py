"""LIME, KernelSHAP and TreeSHAP from their own packages, on a random forest over the same cells.

The forest (scikit-learn's defaults, 100 trees) learns our program's made images by their 49 cells.
"""

import copy
import logging
import time

import numpy as np
import shap
from lime.lime_tabular import LimeTabularExplainer
from sklearn.ensemble import RandomForestClassifier

BACKGROUND = 10  # rows that KernelSHAP averages over
# So many of the made images give trees of 3,600 leaves, the size that a forest on the cells of all
# 60,000 of MNIST has (digits 0–4 against 5–9): the time of TreeSHAP depends on it.
SAMPLES = 28_000


def explainers(cells: np.ndarray, labels: np.ndarray, threads: int):
    """name → function that explains one sample, with the packages' defaults; where it asks the
    forest about many rows, on one thread or on all, whichever is faster."""
    logging.getLogger("shap").setLevel(logging.WARNING)
    cells, labels = cells[:SAMPLES], labels[:SAMPLES]
    forest = RandomForestClassifier(100, random_state=0, n_jobs=threads).fit(cells, labels)
    alone = copy.copy(forest)
    alone.n_jobs = 1
    lime = LimeTabularExplainer(cells, random_state=0)
    background = shap.sample(cells, BACKGROUND, 0)

    def by_lime(forest):
        return lambda x: lime.explain_instance(x, forest.predict_proba, num_features=10)

    def by_kernel(forest):
        explainer = shap.KernelExplainer(lambda rows: forest.predict_proba(rows)[:, 1], background)
        return lambda x: explainer.shap_values(x, silent=True)

    tree = shap.TreeExplainer(alone)
    faster = {
        name: min((make(forest), make(alone)), key=lambda explain: seconds(explain, cells[0]))
        for name, make in [("LIME", by_lime), ("KernelSHAP", by_kernel)]
    }
    return faster | {"TreeSHAP": lambda x: tree.shap_values(x[None])}


def seconds(explain, x) -> float:
    """The best of three, after one to warm up."""
    explain(x)
    times = []
    for _ in range(3):
        start = time.perf_counter()
        explain(x)
        times.append(time.perf_counter() - start)
    return min(times)
