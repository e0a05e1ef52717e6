"""Python and the command: one model, the same bits. ``NGSLL`` names the program; without it these tests say so."""

from __future__ import annotations

import json
import os
import subprocess

import numpy as np
import pytest

import ngsll

NGSLL = os.environ.get("NGSLL")
pytestmark = pytest.mark.skipif(NGSLL is None, reason="NGSLL does not name the command")


def command(*arguments):
    return subprocess.run([NGSLL, *map(str, arguments)], check=True, capture_output=True, text=True).stdout


def write(path, X, y):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({name: X[name] for name in X.columns})
    frame["buys"] = y
    frame.to_csv(path, index=False)


def test_the_command_explains_pythons_model_bit_for_bit(classifier, frame, tmp_path):
    X, y, _ = frame
    write(tmp_path / "people.csv", X.head(50), y.head(50))
    classifier.save(tmp_path / "model")
    told = json.loads(command("explain", tmp_path / "model", "--data", tmp_path / "people.csv", "--format", "json"))
    for own, other in zip(classifier.explain(X.head(50)).to_dict(), told, strict=True):
        assert own["prediction"] == other["prediction"]
        assert own["outputs"] == other["outputs"]


def test_python_reads_the_commands_model_and_both_train_the_same(frame, tmp_path):
    pandas = pytest.importorskip("pandas")
    X, y, _ = frame
    write(tmp_path / "people.csv", X, y)
    options = ["--task", "tabular", "--target", "buys", "--set", "training.epochs=2", "--set", "objective=classes"]
    command("train", *options, "--data", tmp_path / "people.csv", "--k", "3", "--out", tmp_path / "model", "--quiet")
    loaded = ngsll.load(tmp_path / "model")
    read = pandas.read_csv(tmp_path / "people.csv", parse_dates=["joined"])
    # In JSON with every digit; CSV rounds.
    rows = json.loads(command("explain", tmp_path / "model", "--data", tmp_path / "people.csv", "--format", "json"))
    told = np.array([row["prediction"]["class"]["probabilities"][1]["probability"] for row in rows])
    assert (loaded.predict_proba(read)[:, 1] == told).all()
    own = ngsll.NgsllClassifier(k=3, epochs=2).fit(read.drop(columns="buys"), read["buys"])
    assert (own.predict_proba(read)[:, 1] == told).all()
