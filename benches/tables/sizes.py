"""How long `ngsll train` takes for tables of several sizes, with its defaults on made data.

    python3 benches/tables/sizes.py NGSLL [CASE ...] [--threads 2]

A line for each case: seconds, the most memory, AUROC on 5,000 more rows, and the seconds that are aimed at. Needs
Python alone.
"""

import argparse
import json
import os
import random
import subprocess
import tempfile
import time
from pathlib import Path

# rows, numbers, levels, seconds aimed at on two cores
CASES = {
    "30000x14": (30_000, 8, 6, 60),
    "600x1000": (600, 1_000, 0, 30),
    "50000x14-10000-levels": (50_000, 13, 1, None),
    "1000000x30": (1_000_000, 20, 10, None),
}
TEST_ROWS = 5_000


def write(path: Path, rows: int, numbers: int, levels: int, seed: int):
    """Classes that depend on a product, a wave, three lines and two levels, with noise."""
    rng = random.Random(seed)
    names = [f"n{i}" for i in range(numbers)] + [f"c{i}" for i in range(levels)]
    many = 10_000 if levels == 1 else None
    with path.open("w") as file:
        file.write(",".join([*names, "y"]) + "\n")
        for _ in range(rows):
            x = [rng.gauss(0, 1) for _ in range(numbers)]
            c = [rng.randrange(many or 3 + 2 * i) for i in range(levels)]
            score = x[0] * x[1] + x[2] * 0.5 + sum(x[3:6]) / 2 + (sum(c[:1]) % 3 == 1)
            label = "yes" if score + rng.gauss(0, 1) > 0 else "no"
            cells = [f"{value:.3f}" for value in x] + [f"l{value}" for value in c]
            file.write(",".join([*cells, label]) + "\n")


def measure(program: str, name: str, threads: int) -> dict:
    rows, numbers, levels, aim = CASES[name]
    with tempfile.TemporaryDirectory() as folder:
        train, test, model = (Path(folder) / each for each in ("train.csv", "test.csv", "model"))
        write(train, rows, numbers, levels, seed=0)
        write(test, TEST_ROWS, numbers, levels, seed=1)
        flags = ["--task", "tabular", "--target", "y", "--quiet", "--threads", str(threads)]
        command = [program, "train", "--data", str(train), *flags, "--out", str(model)]
        start = time.perf_counter()
        process = subprocess.Popen(command)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        if status:
            raise SystemExit(f"{' '.join(command)} failed")
        evaluate = [program, "evaluate", str(model), "--data", str(test), "--json"]
        metrics = json.loads(subprocess.run(evaluate, check=True, capture_output=True).stdout)
    return {
        "case": name,
        "threads": threads,
        "seconds": round(seconds, 1),
        "aim": aim,
        "cpu_seconds": round(usage.ru_utime + usage.ru_stime, 1),
        "memory_mib": usage.ru_maxrss // 1024,
        "auroc": metrics["auroc"],
        "load": round(os.getloadavg()[0], 2),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("cases", nargs="*", default=list(CASES), metavar="CASE")
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    for case in given.cases:
        print(json.dumps(measure(given.program, case, given.threads)), flush=True)
