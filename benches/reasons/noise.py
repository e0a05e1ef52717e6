"""One of ten columns decides, and an eleventh is the same in every row: who gets the contributions?"""

import json
import math
import random

ROWS, NEW_ROWS, COLUMNS, K = 6000, 1000, 10, 5


def write(path, rows, target, rng):
    names = [f"x{column}" for column in range(COLUMNS)]
    with open(path, "w") as file:
        file.write(",".join([*names, "same", "y"]) + "\n")
        for _ in range(rows):
            x = [rng.gauss(0, 1) for _ in range(COLUMNS)]
            file.write(",".join([*(f"{value:.5f}" for value in x), "x", target(x[3], rng)]) + "\n")


def number(x, rng):
    return f"{x + math.sin(2 * x) + rng.gauss(0, 0.1):.5f}"


def two_classes(x, rng):
    return "yes" if rng.random() < 1 / (1 + math.exp(-3 * x)) else "no"


def measure(ours, folder, seed, _data):
    for kind, target in (("number", number), ("classes", two_classes)):
        rng = random.Random(f"{kind} {seed}")
        train, new, model = folder / f"{kind}.csv", folder / f"{kind}-new.csv", folder / kind
        write(train, ROWS, target, rng)
        write(new, NEW_ROWS, target, rng)
        flags = ["--task", "tabular", "--target", "y", "--seed", seed, "--quiet"]
        ours.ask("train", "--data", train, *flags, "--out", model)
        answer = ours.ask("explain", model, "--data", new, "--k", K, "--format", "json")
        of_others = of_all = constant = 0
        for row in json.loads(answer):
            for term in row["outputs"][0]["terms"]:
                size = abs(term["contribution"])
                of_all += size
                of_others += size * (term["name"] != "x3")
                constant += term["name"].startswith("same")
        share = of_others / of_all
        yield {"of": kind, "k": K, "share_of_other_columns": share, "constant_named": constant}
