"""Ours and the peers on public tables: `benches/tables/run --help`.

Everything runs with its defaults. A run that was interrupted goes on where it stopped.
"""

import argparse
import datetime
import sys
import tempfile
from pathlib import Path

import peers
from ours import ROOT, Ours, build
from page import page
from records import Records
from tables import SPLITS, TABLES, Split, Table, split, tiny
from threadpoolctl import threadpool_limits

KS = ["3", "5", "all"]
METHODS = ["chosen", "whole", *peers.PEERS]
SHOWN = ["auroc", "log_loss", "r2", "mae", "train_s", "encoding_gap"]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    names = [table.name for table in TABLES]
    today = datetime.date.today().isoformat()
    flag = parser.add_argument
    flag("--tables", default=",".join(names), help="default: %(default)s")
    flag("--splits", default=SPLITS, type=int, help="the first so many of 5; default: all")
    flag("--methods", default=",".join(METHODS), help="default: %(default)s")
    flag("--judge", action="store_true", help="train judges, for the encoding gap of K = 3 and 5")
    flag("--threads", type=int, default=2, help="of ours and of each peer; default: 2")
    flag("--out", type=Path, help=f"default: experiments/runs/{today}-tables")
    flag("--ngsll", type=Path, help="a command that is built already; default: build it")
    text = "measure on a part of the training rows, to decide things without the test rows"
    flag("--development", action="store_true", help=text)
    flag("--check", action="store_true", help="made data and short training: does it run?")
    given = parser.parse_args()
    given.tables, given.methods = given.tables.split(","), given.methods.split(",")
    for chosen, known in ((given.tables, names), (given.methods, METHODS)):
        if unknown := set(chosen) - set(known):
            parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    if not 1 <= given.splits <= SPLITS:
        parser.error(f"--splits {given.splits}: from 1 to {SPLITS}")
    default = Path(tempfile.mkdtemp()) if given.check else ROOT / f"experiments/runs/{today}-tables"
    given.out = given.out or default
    return given


class Comparison:
    def __init__(self, given):
        self.given = given
        self.tables = [table for table in TABLES if table.name in given.tables]
        self.splits = given.splits
        train_flags = []
        if given.check:
            self.tables, self.splits = tiny(), min(given.splits, 2)
            train_flags = ["--set", "training.epochs=5"]
            # Its default takes half a minute for a hundred rows.
            peers.Ebm.options = {"max_rounds": 100, "interactions": 0}
        self.ours = None
        if {"chosen", "whole"} & set(given.methods):
            self.ours = Ours(given.ngsll or build(), given.threads, train_flags)
        given.out.mkdir(parents=True, exist_ok=True)
        self.records = Records(given.out / "results.jsonl")

    def works(self):
        """What is trained, and the results that each gives: one training can serve several K."""
        for method in self.given.methods:
            if method == "chosen":
                yield method, [f"chosen K={k}" for k in KS]
            elif method == "whole":
                yield from ((f"whole K={k}", [f"whole K={k}"]) for k in KS)
            else:
                yield method, [method]

    def work(self, name: str, files: Split, folder: Path):
        """Gives pairs of a result's name and the result."""
        if name == "chosen":
            return self.ours.chosen(files, folder, self.given.judge)
        if name.startswith("whole"):
            return self.ours.whole(files, folder, name.removeprefix("whole K="))
        return peers.run(name, files, self.given.threads)

    def key(self, table: Table, number: int, name: str) -> dict:
        return {
            "table": table.name,
            "split": number,
            "part": "development" if self.given.development else "test",
            "method": name,
            "version": peers.version_of(name) if name in peers.PEERS else self.ours.version,
            "threads": self.given.threads,
        }

    def is_done(self, table: Table, number: int, names: list[str]) -> bool:
        results = [self.records.get(self.key(table, number, name)) for name in names]
        if not all(results):
            return False
        return names[0] != "chosen K=3" or not self.given.judge or "encoding_gap" in results[0]

    def run(self):
        for table in self.tables:
            for number in range(self.splits):
                works = self.works()
                left = [work for work in works if not self.is_done(table, number, work[1])]
                if not left:
                    continue
                with tempfile.TemporaryDirectory() as folder:
                    files = split(table, number, Path(folder), self.given.development)
                    for work in left:
                        self.measure(*work, files, Path(folder))

    def measure(self, work: str, names: list[str], files: Split, folder: Path):
        """A method that fails is written down, and the others go on."""
        print(f"{files.table.name}, split {files.number}: {work} …", flush=True)
        try:
            results = dict(self.work(work, files, folder))
        except Exception as error:
            print(f"  failed: {error}", flush=True)
            results = dict.fromkeys(names, {"error": f"{type(error).__name__}: {error}"})
        for name, result in results.items():
            self.records.add(self.key(files.table, files.number, name), result)
            shown = [f"{key} {result[key]:.4g}" for key in SHOWN if key in result]
            print(f"  {name}: {', '.join(shown) or 'failed'}", flush=True)

    def keys(self):
        """Of all results that this run asks for."""
        for table in self.tables:
            for _, names in self.works():
                for name in names:
                    for number in range(self.splits):
                        yield self.key(table, number, name)

    def results(self) -> dict[tuple[str, str], list[dict]]:
        """(table, method) → the results of its splits"""
        found = {}
        for key in self.keys():
            record = self.records.get(key)
            found.setdefault((key["table"], key["method"]), []).extend([record] if record else [])
        return found

    def failures(self) -> list[dict]:
        return [error for key in self.keys() if (error := self.records.error(key))]


def main():
    given = arguments()
    comparison = Comparison(given)
    with threadpool_limits(given.threads):
        comparison.run()
    text = page(comparison, " ".join(["benches/tables/run", *sys.argv[1:]]))
    (given.out / "README.md").write_text(text)
    print(f"\n{text}\nwritten to {given.out / 'README.md'}")
    if comparison.failures():
        sys.exit("some methods failed")


if __name__ == "__main__":
    main()
