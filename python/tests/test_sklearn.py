"""scikit-learn's manners."""

from __future__ import annotations

import numpy as np
import pytest

import ngsll

sklearn = pytest.importorskip("sklearn")
from sklearn.base import clone  # noqa: E402
from sklearn.calibration import CalibratedClassifierCV  # noqa: E402
from sklearn.compose import make_column_transformer  # noqa: E402
from sklearn.model_selection import GridSearchCV, cross_val_score  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import OneHotEncoder, StandardScaler  # noqa: E402
from sklearn.utils.estimator_checks import estimator_checks_generator  # noqa: E402

# Checks that cannot hold, each with its reason.
EXPECTED = {
    # A share of the samples decides when to stop, drawn at random: doubling a sample is not the same draw as
    # giving it the weight 2. (Samples of weight 0 are left out.)
    "check_sample_weight_equivalence_on_dense_data": "validation samples are drawn at random",
}

SMALL = {"epochs": 1, "members": 2, "layers": 1, "units": 8, "embedding": 2, "bins": 4, "distinct_bins": 4, "threads": 1}


def checks():
    for estimator in (ngsll.NgsllClassifier(**SMALL), ngsll.NgsllRegressor(**SMALL)):
        for checked, check in estimator_checks_generator(estimator):
            yield pytest.param(checked, check, id=f"{type(estimator).__name__}-{check.func.__name__}")


@pytest.mark.parametrize(("estimator", "check"), checks())
def test_check_estimator(estimator, check):
    reason = EXPECTED.get(check.func.__name__)
    if reason:
        pytest.xfail(reason)
    check(estimator)


def test_parameters_are_cloned_and_shown():
    model = ngsll.NgsllClassifier(k=2, epochs=1)
    assert clone(model).get_params() == model.get_params()
    assert repr(model) == "NgsllClassifier(epochs=1, k=2)"
    assert "NgsllClassifier" in model._repr_html_()


def test_pipelines_searches_and_calibration(frame):
    X, y, _ = frame
    small = ngsll.NgsllClassifier(**SMALL)
    steps = make_column_transformer(
        (StandardScaler(), ["age", "noise"]), (OneHotEncoder(sparse_output=False), ["job"])
    ).set_output(transform="pandas")
    pipeline = make_pipeline(steps, small).fit(X, y)
    assert pipeline.score(X, y) > 0.7
    assert "standardscaler__age" in pipeline[-1].model_.columns
    search = GridSearchCV(small, {"k": [1, 2]}, cv=2, n_jobs=2).fit(X, y)
    assert search.best_params_["k"] in (1, 2)
    assert len(cross_val_score(small, X, y, cv=2)) == 2
    calibrated = CalibratedClassifierCV(small, cv=2).fit(X, y)
    assert calibrated.predict_proba(X.head()).shape == (5, 2)


def test_joblib_keeps_every_bit(classifier, frame, tmp_path):
    joblib = pytest.importorskip("joblib")
    X, _, _ = frame
    joblib.dump(classifier, tmp_path / "model.joblib")
    loaded = joblib.load(tmp_path / "model.joblib")
    assert (loaded.predict_proba(X) == classifier.predict_proba(X)).all()
    assert loaded.explain(X.head(3)).to_dict() == classifier.explain(X.head(3)).to_dict()


def test_an_estimator_that_is_not_fitted_says_so():
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError, match="is not fitted yet"):
        ngsll.NgsllRegressor().predict(np.zeros((1, 2)))
    with pytest.raises(NotFittedError):
        ngsll.NgsllTextClassifier().explain(["a"])
