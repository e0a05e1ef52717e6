"""What Python adds to the library: prints the rows of a table. Run it on a machine that has nothing else to do.

The library's own time is that of the native call on samples that are ready, which does nothing but call it.
"""

from __future__ import annotations

import subprocess
import sys
import time

import numpy as np
import pandas

import ngsll
from ngsll import _inputs


def best(work, times):
    """The shortest of several times, in seconds."""
    took = []
    for _ in range(times):
        started = time.perf_counter()
        work()
        took.append(time.perf_counter() - started)
    return min(took)


def best_ready(samples, work, times):
    """The same for work on samples that were made before the clock started."""
    took = []
    for _ in range(times):
        ready = samples()
        started = time.perf_counter()
        work(ready)
        took.append(time.perf_counter() - started)
    return min(took)


def main(rows=100_000):
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame({f"n{j}": rng.normal(size=rows) for j in range(10)})
    for j in range(4):
        frame[f"c{j}"] = pandas.Categorical(rng.choice(list("abcdefgh"), rows))
    y = frame["n0"] + (frame["c0"] == "a") * frame["n1"] > 0
    model = ngsll.NgsllClassifier(k=3, epochs=2).fit(frame.head(5000), y.head(5000))
    native = model.model_._native

    python = best(lambda: model.explain(frame), 3)
    rust = best_ready(lambda: _inputs.table(frame), lambda s: native.explain(s), 3)
    print(f"explaining {rows} rows of a DataFrame    {python:.2f} s, the library {rust:.2f} s: {python / rust:.3f} ×")
    arrow = best(lambda: model.explain_arrow(frame), 3)
    print(f"the same as an Arrow table               {arrow:.2f} s, {rows / arrow:.0f} rows a second")

    one = {name: frame[name].iloc[0] for name in frame.columns}
    numbers = ngsll.NgsllClassifier(k=3, epochs=1).fit(frame.iloc[:3000, :10].to_numpy(), y.head(3000))
    row = frame.iloc[:1, :10].to_numpy()
    python = best(lambda: numbers.predict(row), 3000)
    names = numbers._names
    rust = best_ready(
        lambda: _inputs._native.Samples.from_matrix(row, names), lambda s: numbers.model_._native.predict(s), 3000
    )
    print(f"one row of an array, predict             {python * 1e6:.0f} µs, the library {rust * 1e6:.0f} µs: "
          f"{(python - rust) * 1e6:.0f} µs more")
    python = best(lambda: model.model_.predict(one), 1000)
    rust = best_ready(lambda: _inputs.table(one), lambda s: native.predict(s), 1000)
    print(f"one row of a dict of 14 columns          {python * 1e6:.0f} µs, the library {rust * 1e6:.0f} µs: "
          f"{(python - rust) * 1e6:.0f} µs more")

    imports = [
        float(subprocess.run([sys.executable, "-c", f"import time; t = time.perf_counter(); import {what}; "
                              "print(time.perf_counter() - t)"], capture_output=True, text=True, check=True).stdout)
        for what in ["ngsll", "ngsll", "ngsll", "numpy"]
    ]
    print(f"import ngsll                             {min(imports[:3]):.3f} s, of which numpy {imports[3]:.3f} s")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
