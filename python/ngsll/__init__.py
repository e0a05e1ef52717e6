"""NGSLL: predictions that are the sum of K named terms.

=========================  =====================================================
samples                    estimators
=========================  =====================================================
tables                     :class:`NgsllClassifier`, :class:`NgsllRegressor`
texts                      :class:`NgsllTextClassifier`, :class:`NgsllTextRegressor`
images                     :class:`NgsllImageClassifier`
=========================  =====================================================

:func:`load` reads a model folder, written by Python, Rust or the command. :class:`Model` predicts and
explains without scikit-learn, for programs that serve.

>>> import numpy as np, ngsll
>>> rng = np.random.default_rng(0)
>>> X = rng.normal(size=(400, 3))
>>> model = ngsll.NgsllClassifier(k=2, epochs=3).fit(X, X[:, 0] > 0)
>>> explanation = model.explain(X[:1])[0]
>>> explanation.terms[0].name
'x0'
>>> total = explanation.intercept + sum(term.contribution for term in explanation.terms)
>>> bool(np.isclose(total, explanation.score))
True
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ._native import VERSION as __version__
from ._warnings import NgsllWarning

if TYPE_CHECKING:
    from ._explanation import Explanation, Explanations, Term
    from ._image import NgsllImageClassifier
    from ._model import Model, load
    from ._report import Report
    from ._tabular import NgsllClassifier, NgsllRegressor
    from ._text import NgsllTextClassifier, NgsllTextRegressor

__all__ = [
    "Explanation",
    "Explanations",
    "Model",
    "NgsllClassifier",
    "NgsllImageClassifier",
    "NgsllRegressor",
    "NgsllTextClassifier",
    "NgsllTextRegressor",
    "NgsllWarning",
    "Report",
    "Term",
    "__version__",
    "load",
]

# Imported on first use: the estimators import scikit-learn if it is installed.
_HOMES = {
    "Explanation": "_explanation",
    "Explanations": "_explanation",
    "Term": "_explanation",
    "Model": "_model",
    "load": "_model",
    "Report": "_report",
    "NgsllClassifier": "_tabular",
    "NgsllRegressor": "_tabular",
    "NgsllTextClassifier": "_text",
    "NgsllTextRegressor": "_text",
    "NgsllImageClassifier": "_image",
}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
