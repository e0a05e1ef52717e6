"""An exported file in ONNX Runtime gives the terms of `ngsll explain`: FILE.onnx DATA EXPLANATIONS.json."""

import csv
import json
import re
import struct
import sys

import numpy as np
import onnxruntime

FILE, DATA, EXPLANATIONS = sys.argv[1:]
# Relative to the score; single precision and another order of sums leave some 1e-7.
TOLERANCE = 1e-5
# Of two features that count almost the same, rounding may prefer the other: in one of a thousand at most.
MOST_OTHERS = 1e-3


def numbers(cells):
    return np.array([float(cell) if cell else np.nan for cell in cells])


def table():
    with open(DATA, newline="") as file:
        rows = list(csv.DictReader(file))
    kinds = {i.name: i.type for i in session.get_inputs()}
    cells = {name: [row[name] for row in rows] for name in kinds}
    read = {"tensor(double)": numbers, "tensor(string)": lambda c: np.array(c, dtype=object)}
    return {name: read[kinds[name]](cells[name]) for name in kinds}


def texts():
    with open(DATA) as file:
        lines = [line.rstrip("\n").split("\t")[1] for line in file]
    words = [re.findall(r"[^\W_]+|[^\w\s]|_", line.lower()) for line in lines]
    time = max(len(text) for text in words)
    inputs = {"words": np.array([text + [""] * (time - len(text)) for text in words], dtype=object)}
    if "segments" in [i.name for i in session.get_inputs()]:
        # A sentence ends with its full stop.
        ends = np.cumsum(inputs["words"] == ".", axis=1)
        inputs["segments"] = np.hstack([np.zeros((len(words), 1), int), ends[:, :-1]])
    return inputs


def images():
    with open(DATA, "rb") as file:
        _, n, height, width = struct.unpack(">4I", file.read(16))
        pixels = np.frombuffer(file.read(), np.uint8)
    return {"image": pixels.reshape(n, height, width, 1)}


session = onnxruntime.InferenceSession(FILE, providers=["CPUExecutionProvider"])
about = session.get_modelmeta().custom_metadata_map
inputs = {"tabular": table, "text": texts, "image": images}[about["task"]]()
names = [output.name for output in session.get_outputs()]
found = dict(zip(names, session.run(None, inputs)))
with open(EXPLANATIONS) as file:
    explanations = json.load(file)

n, outputs, k = len(explanations), len(explanations[0]["outputs"]), int(about["k"])
assert found["scores"].shape == (n, outputs), found["scores"].shape
assert found["contributions"].shape == (n, outputs, k), found["contributions"].shape
features, classes = json.loads(about["features"]), json.loads(about.get("classes", "[]"))
sums = found["intercept"] + found["contributions"].sum(axis=2)
assert np.allclose(sums, found["scores"], rtol=1e-12, atol=1e-12)

others, compared = 0, 0
for row, explanation in enumerate(explanations):
    same = True
    for c, output in enumerate(explanation["outputs"]):
        terms = {term["feature"]: term["contribution"] for term in output["terms"]}
        assert all(features[t["feature"]] == t["name"] for t in output["terms"]), output
        indices = found["indices"][row] if found["indices"].ndim == 2 else found["indices"][row, c]
        theirs = zip(indices, found["contributions"][row, c])
        theirs = {int(j): value for j, value in theirs if j >= 0}
        same = same and terms.keys() == theirs.keys()
        if not same:
            continue
        size = max([1.0, abs(output["score"]), *map(abs, terms.values())])
        for j, value in terms.items():
            assert abs(value - theirs[j]) <= TOLERANCE * size, (row, c, j, value, theirs[j])
        assert abs(output["score"] - found["scores"][row, c]) <= TOLERANCE * size, (row, c)
        assert abs(output["intercept"] - found["intercept"][c]) <= TOLERANCE * size, (row, c)
    compared += 1
    others += not same
    prediction = explanation["prediction"]
    if "value" in prediction and same:
        value = prediction["value"]
        assert abs(value - found["value"][row]) <= TOLERANCE * max(1.0, abs(value)), row
    if "class" in prediction and same:
        probabilities = [p["probability"] for p in prediction["class"]["probabilities"]]
        assert [p["class"] for p in prediction["class"]["probabilities"]] == classes
        assert np.allclose(probabilities, found["probabilities"][row], atol=TOLERANCE), row
        # At equal odds rounding may prefer the other class, too.
        if np.ptp(sorted(probabilities)[-2:]) > TOLERANCE:
            assert prediction["class"]["label"] == found["label"][row], row
assert others <= MOST_OTHERS * n, f"{others} of {n} samples have other features"

# A sample alone gets what it gets among others.
alone = session.run(["scores", "indices"], {name: value[:1] for name, value in inputs.items()})
assert np.allclose(alone[0], found["scores"][:1], rtol=TOLERANCE, atol=TOLERANCE)
assert (alone[1] == found["indices"][:1]).all()
print(f"{compared} samples, {others} with other features")
