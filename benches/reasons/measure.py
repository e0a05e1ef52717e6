"""Are the features that a model names the reasons for what it predicts? `benches/reasons/run --help`.

Every case is tried as a user would: `ngsll train` with its defaults, the sample changed in the file, and `ngsll
predict` asked again, which chooses anew. Everything is appended to results.jsonl in the output folder.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tables"))

import columns  # noqa: E402
import noise  # noqa: E402
import words  # noqa: E402
from ours import Ours, build  # noqa: E402

CASES = {"noise": noise.measure, "columns": columns.measure, "words": words.measure}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    flag = parser.add_argument
    flag("--cases", default=",".join(CASES), help="default: %(default)s")
    flag("--seeds", type=int, default=3, help="default: 3")
    flag("--data", type=Path, help="folder with trec, subj and mpqa, as ngsll data get makes it")
    flag("--threads", type=int, default=2, help="default: 2")
    flag("--ngsll", type=Path, help="a command that is built already; default: build it")
    flag("--out", type=Path, required=True)
    given = parser.parse_args()
    cases = given.cases.split(",")
    if unknown := set(cases) - set(CASES):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(CASES)}")
    if "words" in cases and not given.data:
        parser.error("words needs --data")
    ours = Ours(given.ngsll or build(), given.threads)
    given.out.mkdir(parents=True, exist_ok=True)
    with open(given.out / "results.jsonl", "a") as results:
        for case in cases:
            for seed in range(given.seeds):
                with tempfile.TemporaryDirectory() as folder:
                    for found in CASES[case](ours, Path(folder), seed, given.data):
                        line = {"case": case, "seed": seed, "version": ours.version} | found
                        print(json.dumps(line), flush=True)
                        results.write(json.dumps(line) + "\n")
                        results.flush()


if __name__ == "__main__":
    main()
