"""LIME, KernelSHAP and TreeSHAP from their own packages, on a random forest over the same cells.

The forest (scikit-learn's defaults, 100 trees) learns our program's made images by their 49 cells.
"""

import logging

import numpy as np
import shap
from lime.lime_tabular import LimeTabularExplainer
from sklearn.ensemble import RandomForestClassifier

BACKGROUND = 10  # rows that KernelSHAP averages over
# So many of the made images give trees of 3,600 leaves, the size that a forest on the cells of all
# 60,000 of MNIST has (digits 0–4 against 5–9): the time of TreeSHAP depends on it.
SAMPLES = 28_000


def explainers(cells: np.ndarray, labels: np.ndarray, threads: int):
    """name → function that explains one sample, with the packages' defaults."""
    logging.getLogger("shap").setLevel(logging.WARNING)
    cells, labels = cells[:SAMPLES], labels[:SAMPLES]
    forest = RandomForestClassifier(100, random_state=0, n_jobs=threads).fit(cells, labels)
    # One sample at a time: handing trees to threads costs more than it brings.
    forest.n_jobs = 1
    lime = LimeTabularExplainer(cells, random_state=0)
    kernel = shap.KernelExplainer(
        lambda rows: forest.predict_proba(rows)[:, 1], shap.sample(cells, BACKGROUND, 0)
    )
    tree = shap.TreeExplainer(forest)
    return {
        "LIME": lambda x: lime.explain_instance(x, forest.predict_proba, num_features=10),
        "KernelSHAP": lambda x: kernel.shap_values(x, silent=True),
        "TreeSHAP": lambda x: tree.shap_values(x[None]),
    }
