"""Our side: the command `ngsll`, with its defaults."""

import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from measure import EXPLAINED, best_of, many_rows, scores, stopwatch
from tables import Split

ROOT = Path(__file__).resolve().parents[2]
BUILD = ["cargo", "build", "--release", "-p", "ngsll-cli", "--message-format=json"]


def build() -> Path:
    """Builds the command and gives its path."""
    result = subprocess.run(BUILD, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    for line in result.stdout.splitlines():
        message = json.loads(line)
        if message.get("executable") and message["target"]["name"] == "ngsll":
            return Path(message["executable"])
    raise RuntimeError("cargo did not say where the command is")


class Ours:
    def __init__(self, program: Path, threads: int, train_flags=()):
        self.threads, self.train_flags = threads, train_flags
        # A copy, so that a build in the middle of a long run does not mix two programs.
        self.folder = tempfile.TemporaryDirectory()
        self.program = Path(shutil.copy(program, self.folder.name))
        self.version = f"ngsll {hashlib.sha256(self.program.read_bytes()).hexdigest()[:12]}"

    def ask(self, *arguments, threads: int | None = None) -> str:
        environment = os.environ | {"RAYON_NUM_THREADS": str(threads or self.threads)}
        command = [str(argument) for argument in (self.program, *arguments)]
        result = subprocess.run(command, env=environment, capture_output=True, text=True)
        if result.returncode:
            shown = " ".join(["ngsll", *command[1:]])
            raise RuntimeError(f"{shown}: {result.stderr.strip()[-1000:]}")
        return result.stdout

    def train(self, split: Split, model: Path, *flags) -> dict:
        data = ["--task", "tabular", "--data", split.train_csv, "--target", split.table.target]
        times = {}
        with stopwatch(times, "train"):
            self.ask("train", "--quiet", *data, *flags, *self.train_flags, "--out", model)
        return times

    def predict(self, split: Split, model: Path, k: int) -> np.ndarray:
        answer = self.ask("predict", model, "--data", split.test_csv, "--k", k, "--format", "json")
        predictions = [row["prediction"] for row in json.loads(answer)]
        if split.table.kind == "number":
            return np.array([prediction["value"] for prediction in predictions])
        by_class = [
            {each["class"]: each["probability"] for each in prediction["class"]["probabilities"]}
            for prediction in predictions
        ]
        return np.array([[row[name] for name in split.classes] for row in by_class])

    def explain_us(self, split: Split, model: Path, k: int) -> float:
        """From a row of CSV to its terms as JSON, on one thread; the command's start, which is what
        a file with a single row takes, does not count."""

        def seconds(rows: int) -> float:
            path = model.with_name(f"{rows}.csv")
            many_rows(split.test, rows).to_csv(path, index=False)
            command = ["explain", model, "--data", path, "--k", k, "--format", "json"]
            return best_of(lambda: self.ask(*command, threads=1))

        return (seconds(1 + EXPLAINED) - seconds(1)) / EXPLAINED * 1e6

    def trust(self, split: Split, model: Path, k: int) -> dict:
        """What the model has beyond its features, by accuracy or R²; for classes by AUROC, too."""
        answer = self.ask("evaluate", model, "--data", split.test_csv, "--k", k, "--json")
        trust = json.loads(answer)["trust"]
        gaps = {"encoding_gap": trust["encoding_gap"]}
        if "auroc" in trust["own"]:
            gaps["encoding_gap_auroc"] = trust["own"]["auroc"] - trust["chosen"]["auroc"]
        return gaps

    def chosen(self, split: Split, folder: Path, judge: bool):
        """One training for every K. Gives (name, result) pairs."""
        model = folder / "chosen"
        times = self.train(split, model)
        if judge:
            with stopwatch(times, "judge"):
                self.ask("judge", model, "--data", split.train_csv, "--quiet")
        for name, k in self.numbers_of_terms(model):
            result = times | scores(split, self.predict(split, model, k))
            if judge and name != "all":
                result |= self.trust(split, model, k)
            if split.times_explanations:
                result["explain_us"] = self.explain_us(split, model, k)
            yield f"chosen K={name}", result

    def whole(self, split: Split, folder: Path, name: str):
        """One training for one K."""
        model = folder / f"whole-{name}"
        k = split.x_train.shape[1] if name == "all" else int(name)
        result = self.train(split, model, "--evidence", "whole", "--k", k)
        result |= scores(split, self.predict(split, model, k))
        if split.times_explanations:
            result["explain_us"] = self.explain_us(split, model, k)
        yield f"whole K={name}", result

    def numbers_of_terms(self, model: Path):
        """A model may leave out columns that say nothing, so it can have fewer than the table."""
        largest = json.loads(self.ask("describe", model, "--json"))["largest_k"]
        return [("3", min(3, largest)), ("5", min(5, largest)), ("all", largest)]
