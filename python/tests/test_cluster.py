"""Engines of many machines, on one: slow to start, so a few rows and one test each."""

from __future__ import annotations

import numpy as np
import pytest

pyarrow = pytest.importorskip("pyarrow")


def test_ray_gives_what_one_process_gives(classifier, frame):
    ray = pytest.importorskip("ray")
    import ngsll.ray

    X, _, _ = frame
    table = pyarrow.table(X.assign(id=np.arange(len(X))))
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, ignore_reinit_error=True)
    try:
        found = ngsll.ray.explain(ray.data.from_arrow(table), classifier, k=2, num_workers=2, batch_size=100)
        rows = sorted(found.take_all(), key=lambda row: row["id"])
        expected = pyarrow.table(classifier.explain_arrow(X, k=2)).to_pylist()
        assert [row["id"] for row in rows] == list(range(len(X)))
        for row, other in zip(rows, expected, strict=True):
            assert row["prediction"] == other["prediction"] and row["score"] == other["score"]
            assert [dict(term) for term in row["terms"]] == other["terms"]
    finally:
        ray.shutdown()


def test_spark_gives_what_one_process_gives(classifier, frame):
    import shutil

    sql = pytest.importorskip("pyspark.sql")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    import ngsll.spark

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
