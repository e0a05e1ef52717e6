"""The Python code of the documents runs as it stands."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]


def blocks(page):
    return [part.split("```", 1)[0] for part in (ROOT / page).read_text(encoding="utf-8").split("```python\n")[1:]]


@pytest.mark.parametrize("page", ["docs/python.md", "python/README.md"])
def test_the_code_of_a_page_runs(page, frame, classifier, tmp_path, monkeypatch):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    X, y, _ = frame
    monkeypatch.chdir(tmp_path)
    Path("claims").mkdir()
    parquet.write_table(pyarrow.table(X.assign(id=np.arange(len(X)))), "claims/part.parquet")
    classifier.save("claims-model")
    found = blocks(page)
    assert found
    names = {"X_train": X.head(300), "y_train": y.head(300), "X_test": X.tail(100)}
    for code in found:
        uses_ray = "import ray" in code
        if uses_ray:
            ray = pytest.importorskip("ray")
            # The page has a cluster. Reading and writing need CPUs that no worker holds.
            code = code.replace("num_workers=8", "num_workers=1")
            ray.init(num_cpus=3, include_dashboard=False, log_to_driver=False, ignore_reinit_error=True)
        try:
            exec(compile(code, page, "exec"), names)
        finally:
            if uses_ray:
                ray.shutdown()
    if page == "docs/python.md":
        explained = parquet.read_table("explained").sort_by("id")
        assert explained["id"].to_pylist() == list(range(len(X))) and "terms" in explained.column_names
