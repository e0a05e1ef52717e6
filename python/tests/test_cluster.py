"""Engines of many machines, on one: slow to start, so a few rows and one test each."""

from __future__ import annotations

import numpy as np
import pytest

pyarrow = pytest.importorskip("pyarrow")


@pytest.fixture(scope="module")
def ray():
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, ignore_reinit_error=True)
    yield ray
    ray.shutdown()


def test_ray_gives_the_results_of_one_process(ray, classifier, frame):
    import ngsll.ray

    X, _, _ = frame
    # Of several blocks, so that there is an order to keep; computed before the actors take the CPUs.
    rows = ray.data.from_arrow(pyarrow.table(X.assign(id=np.arange(len(X))))).repartition(6).materialize()
    rows.context.execution_options.preserve_order = True
    expected = pyarrow.table(classifier.explain_arrow(X, k=2)).to_pylist()
    found = ngsll.ray.explain(rows, classifier, k=2, num_workers=2, batch_size=100).take_all()
    assert [row["id"] for row in found] == list(range(len(X)))
    for row, other in zip(found, expected, strict=True):
        assert row["prediction"] == other["prediction"] and row["score"] == other["score"]
        assert [dict(term) for term in row["terms"]] == other["terms"]
    found = ngsll.ray.predict(rows, classifier, k=2, num_workers=2).take_all()
    assert "terms" not in found[0] and "score" not in found[0]
    for row, other in zip(found, expected, strict=True):
        assert row["prediction"] == other["prediction"] and row["probability_yes"] == other["probability_yes"]


def test_ray_trains_side_by_side(ray, frame):
    import joblib
    import ngsll.ray
    from ray.util.joblib import register_ray

    model_selection = pytest.importorskip("sklearn.model_selection")
    X, y, _ = frame
    model = ngsll.NgsllClassifier(k=2, epochs=1, members=2, threads=1)
    fitted = ngsll.ray.fit_seeds(model, X, y, [0, 1])
    for seed, one in enumerate(fitted):
        alone = ngsll.NgsllClassifier(k=2, epochs=1, members=2, random_state=seed).fit(X, y)
        assert (one.predict_proba(X) == alone.predict_proba(X)).all()
    assert (fitted[0].predict_proba(X) != fitted[1].predict_proba(X)).any()
    # Folds and searches are scikit-learn's, which joblib takes to the cluster.
    register_ray()
    with joblib.parallel_backend("ray", n_jobs=2):
        found = model_selection.cross_val_score(model, X, y, cv=2)
    assert found.tolist() == model_selection.cross_val_score(model, X, y, cv=2).tolist()


def test_spark_gives_the_results_of_one_process(classifier, frame, monkeypatch):
    import shutil
    import sys

    sql = pytest.importorskip("pyspark.sql")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    import ngsll.spark

    # Workers are of this environment.
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    X, _, _ = frame
    spark = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    try:
        given = spark.createDataFrame(X.assign(id=np.arange(len(X)), job=X["job"].astype(str)))
        rows = ngsll.spark.explain(given, classifier, k=2).orderBy("id").collect()
        expected = pyarrow.table(classifier.explain_arrow(X, k=2)).to_pylist()
        assert [row["prediction"] for row in rows] == [other["prediction"] for other in expected]
        assert [len(row["terms"]) for row in rows] == [len(other["terms"]) for other in expected]
    finally:
        spark.stop()
