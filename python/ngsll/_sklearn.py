"""scikit-learn's base classes, or a minimal substitute if it is not installed."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    HAS_SKLEARN = True

    class BaseEstimator:
        def get_params(self, deep: bool = True) -> dict[str, Any]: ...
        def set_params(self, **params: Any) -> Any: ...
        def __sklearn_tags__(self) -> Any: ...

    class ClassifierMixin:
        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float: ...

    class RegressorMixin:
        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float: ...

    class DataConversionWarning(UserWarning): ...

    class NotFittedError(ValueError, AttributeError): ...

else:
    try:
        from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
        from sklearn.exceptions import DataConversionWarning, NotFittedError

        HAS_SKLEARN = True
    except ImportError:
        HAS_SKLEARN = False

        class NotFittedError(ValueError, AttributeError):
            """An estimator was used before it was fitted."""

        class DataConversionWarning(UserWarning):
            """Answers came in another shape than expected."""

        class BaseEstimator:
            """The parameters of a constructor, by name."""

            def get_params(self, deep=True):
                names = list(inspect.signature(type(self).__init__).parameters)[1:]
                return {name: getattr(self, name) for name in names}

            def set_params(self, **params):
                known = self.get_params()
                for name, value in params.items():
                    if name not in known:
                        raise ValueError(f"Invalid parameter {name!r} for estimator {type(self).__name__}.")
                    setattr(self, name, value)
                return self

            def __repr__(self):
                defaults = inspect.signature(type(self).__init__).parameters
                changed = (
                    f"{name}={value!r}" for name, value in self.get_params().items() if value != defaults[name].default
                )
                return f"{type(self).__name__}({', '.join(changed)})"

        class ClassifierMixin:
            """Accuracy."""

            def score(self, X, y, sample_weight=None):
                return float(np.average(self.predict(X) == np.asarray(y), weights=sample_weight))

        class RegressorMixin:
            """R²."""

            def score(self, X, y, sample_weight=None):
                y = np.asarray(y, dtype=float)
                mean = np.average(y, weights=sample_weight)
                error = np.average((y - self.predict(X)) ** 2, weights=sample_weight)
                return float(1 - error / np.average((y - mean) ** 2, weights=sample_weight))
