"""Throughput of ngsll.ray at 1 and 2 workers: Parquet in, Parquet out. Prints rows a second and a worker's memory.

    python ray_workers.py [ROWS]
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet
import ray

import ngsll
import ngsll.ray


def main(rows=1_000_000, files=20):
    folder = Path(tempfile.mkdtemp(prefix="ngsll-ray-"))
    rng = np.random.default_rng(0)

    def table(n, first=0):
        columns = {f"n{j}": rng.normal(size=n) for j in range(10)}
        return pyarrow.table({"id": np.arange(first, first + n), **columns})

    train = table(4000)
    y = np.asarray(train["n0"]) + np.asarray(train["n1"]) * np.asarray(train["n2"]) > 0
    ngsll.NgsllClassifier(k=3, epochs=1).fit(train.drop_columns(["id"]), y).save(folder / "model")
    each = rows // files
    (folder / "in").mkdir()
    for number in range(files):
        pyarrow.parquet.write_table(table(each, number * each), folder / "in" / f"{number:03}.parquet")
    ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False)
    speeds = []
    for workers in (1, 2):
        out = folder / f"out-{workers}"
        started = time.perf_counter()
        found = ngsll.ray.explain(
            ray.data.read_parquet(str(folder / "in")), str(folder / "model"), k=3, num_workers=workers
        )
        found.write_parquet(str(out))
        seconds = time.perf_counter() - started
        ids = pyarrow.parquet.read_table(out, columns=["id"])["id"].to_numpy()
        assert (np.sort(ids) == np.arange(each * files)).all(), "rows are lost or doubled"
        speeds.append(len(ids) / seconds)
        print(f"{workers} workers: {len(ids)} rows in {seconds:.1f} s, {speeds[-1]:.0f} rows a second")
    print(f"2 workers against 1: {speeds[1] / speeds[0]:.2f} ×")
    ray.shutdown()
    shutil.rmtree(folder)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
