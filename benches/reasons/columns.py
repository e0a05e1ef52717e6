"""Every column in turn takes the values of other rows: is the one that moves the score most among the terms?"""

import json
import math

import numpy as np
import pandas as pd
from tables import TABLES, split

NAMES, ROWS, OTHERS, K = ("credit", "diamonds"), 200, 10, 5


def scores(answers):
    """The log-odds or the value of each row."""
    return np.array([answer["outputs"][0]["score"] for answer in answers])


def explained(ours, model, folder, frame):
    path = folder / "rows.csv"
    frame.to_csv(path, index=False)
    answer = ours.ask("explain", model, "--data", path, "--k", K, "--format", "json")
    return json.loads(answer)


def measure(ours, folder, seed, _data):
    rng = np.random.default_rng(seed)
    for table in (table for table in TABLES if table.name in NAMES):
        files = split(table, seed, folder, False)
        model = folder / table.name
        ours.train(files, model, "--seed", str(seed))
        rows = files.test.iloc[rng.permutation(len(files.test))[:ROWS]].reset_index(drop=True)

        before = explained(ours, model, folder, rows)
        columns = [name for name in rows.columns if name != table.target]
        effects = {}
        for name in columns:
            others = []
            for _ in range(OTHERS):
                changed = rows.copy()
                changed[name] = rng.choice(files.test[name].to_numpy(), len(rows))
                others.append(changed)
            new = scores(explained(ours, model, folder, pd.concat(others)))
            effects[name] = scores(before) - new.reshape(OTHERS, -1).mean(axis=0)
        found = agrees = 0
        for row, answer in enumerate(before):
            most = max(columns, key=lambda name: abs(effects[name][row]))
            terms = answer["outputs"][0]["terms"]
            terms = {term["name"]: term["contribution"] for term in terms}
            if most in terms:
                found += 1
                agrees += math.copysign(1, terms[most]) == math.copysign(1, effects[most][row])
        yield {
            "of": table.name,
            "k": K,
            "rows": len(before),
            "most_moving_column_named": found / len(before),
            "its_sign_agrees": agrees / max(found, 1),
        }
