"""ngsll.ray on a cluster of this machine's processes: Parquet files in, Parquet files out.

    python ray_workers.py [ROWS] [FOLDER]

Prints the rows a second of one process without Ray, of 1 and of 2 workers, the memory of the workers as they went on,
and the bytes of a row; kills a worker in the middle of another run; and compares the rows of all four bit by bit.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet as parquet
import ray

import ngsll
import ngsll.ray

FILE = 250_000
BATCH = 8192


def rows_of(number, rows):
    """Rows `number * FILE` onwards: an id, ten numbers."""
    rng = np.random.default_rng(number)
    ids = np.arange(number * FILE, number * FILE + rows)
    return pyarrow.table({"id": ids, **{f"n{j}": rng.normal(size=rows) for j in range(10)}})


def digest(table):
    """The sum of a number for each row, which says what is in the row and not where it stands."""
    def mixed(values, factor):
        bits = np.ascontiguousarray(values).view(np.uint64) * np.uint64(factor)
        return (bits ^ (bits >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)

    table = table.combine_chunks()
    terms = table["terms"].combine_chunks()
    sums = mixed(table["id"].to_numpy(), 0x9E3779B97F4A7C15) + mixed(table["score"].to_numpy(), 0xD6E8FEB86659FD93)
    flat = terms.flatten()
    features, contributions = (flat.field(name).to_numpy(zero_copy_only=False) for name in ("feature", "contribution"))
    owners = np.repeat(np.arange(len(table)), terms.value_lengths().to_numpy())
    ids = table["id"].to_numpy()[owners]
    each = mixed(contributions.astype(np.float64), 0xA0761D6478BD642F) ^ mixed(features.astype(np.int64) + 1, 0xE7037ED1A0B428DB)
    each = (each ^ mixed(ids, 0x8EBC6AF09C88C6E3)) * np.uint64(0x94D049BB133111EB)
    return len(table), int(sums.sum(dtype=np.uint64)), int(each.sum(dtype=np.uint64))


def digest_of(folder):
    """Rows, and what is in them, of the files in a folder."""
    parts = [digest(parquet.read_table(file)) for file in sorted(folder.glob("*.parquet"))]
    return tuple(sum(part) % 2**64 for part in zip(*parts))


class Watch(threading.Thread):
    """Looks at the memory of the actors once a second, and kills one when it is told to."""

    def __init__(self):
        super().__init__(daemon=True)
        self.seen, self.killed, self.kill, self.over = {}, None, False, threading.Event()

    def run(self):
        started = time.perf_counter()
        while not self.over.wait(1.0):
            for pid in filter(str.isdigit, os.listdir("/proc")):
                try:
                    name = Path(f"/proc/{pid}/cmdline").read_bytes()
                    resident = int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
                    shared = int(Path(f"/proc/{pid}/statm").read_text().split()[2]) * os.sysconf("SC_PAGE_SIZE")
                except (OSError, IndexError):
                    continue
                if b"MapWorker" in name:
                    # Batches come through memory that all processes share.
                    self.seen.setdefault(int(pid), []).append((resident - shared) >> 20)
            if self.kill and self.killed is None and self.seen and time.perf_counter() - started > self.kill:
                self.killed = max(self.seen)
                os.kill(self.killed, signal.SIGKILL)


def through_ray(folder, name, workers, kill_after=None):
    """Seconds, and the memory of each worker in MiB: after a quarter of the time, and the most after that."""
    watch = Watch()
    watch.kill = kill_after
    watch.start()
    started = time.perf_counter()
    found = ngsll.ray.explain(
        ray.data.read_parquet(str(folder / "in")), str(folder / "model"), k=3, num_workers=workers, batch_size=BATCH
    )
    found.write_parquet(str(folder / name))
    seconds = time.perf_counter() - started
    watch.over.set()
    watch.join()
    if kill_after is not None and watch.killed is None:
        raise SystemExit("nobody was killed: the run was over too soon; take more rows")
    memory = [(m[len(m) // 4], max(m[len(m) // 4:])) for m in watch.seen.values() if len(m) > 3]
    return seconds, memory


def main(rows=1_000_000, folder=None):
    made = Path(folder or tempfile.mkdtemp(prefix="ngsll-ray-"))
    (made / "in").mkdir(parents=True)
    train = rows_of(10**6, 4000)
    y = train["n0"].to_numpy() + train["n1"].to_numpy() * train["n2"].to_numpy() > 0
    ngsll.NgsllClassifier(k=3, epochs=1).fit(train.drop_columns(["id"]), y).save(made / "model")
    for number, first in enumerate(range(0, rows, FILE)):
        parquet.write_table(rows_of(number, min(FILE, rows - first)), made / "in" / f"{number:04}.parquet")

    model = ngsll.Model.load(made / "model")
    (made / "alone").mkdir()
    started = time.perf_counter()
    for file in sorted((made / "in").glob("*.parquet")):
        table = parquet.read_table(file)
        parts = [table.slice(at, BATCH) for at in range(0, len(table), BATCH)]
        found = [pyarrow.table(model.explain_arrow(part, 3, threads=1)).append_column("id", part["id"]) for part in parts]
        parquet.write_table(pyarrow.concat_tables(found), made / "alone" / file.name)
    seconds = time.perf_counter() - started
    print(f"one process, one thread: {rows} rows in {seconds:.1f} s, {rows / seconds:.0f} a second", flush=True)
    expected = digest_of(made / "alone")

    ray.init(num_cpus=3, include_dashboard=False, log_to_driver=False)
    took = []
    for workers in (1, 2):
        seconds, memory = through_ray(made, f"out-{workers}", workers)
        took.append(seconds)
        same = digest_of(made / f"out-{workers}") == expected
        print(f"{workers} workers: {rows} rows in {seconds:.1f} s, {rows / seconds:.0f} a second; MiB of each worker, after "
              f"a quarter and the most after that: {memory}; rows equal bit for bit: {same}", flush=True)
    print(f"2 workers against 1: {took[0] / took[1]:.2f} ×", flush=True)
    seconds, _ = through_ray(made, "out-killed", 2, kill_after=took[1] / 2)
    same = digest_of(made / "out-killed") == expected
    print(f"a worker killed in the middle: {seconds:.1f} s; rows equal bit for bit: {same}", flush=True)
    ray.shutdown()
    for name in ("in", "out-2"):
        size = sum(file.stat().st_size for file in (made / name).glob("*.parquet"))
        print(f"{name}: {size / rows:.0f} bytes a row", flush=True)
    if folder is None:
        shutil.rmtree(made)


if __name__ == "__main__":
    main(*([int(sys.argv[1])] if sys.argv[1:] else []), *sys.argv[2:])
