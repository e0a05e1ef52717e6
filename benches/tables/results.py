"""What the results say: means, standard errors, ranks and ratios."""

import numpy as np
import pandas as pd
from measure import METRIC


class Results:
    """Values of the splits by table and method. Only methods that have all of them are compared."""

    def __init__(self, tables, by_key: dict[tuple[str, str], list[dict]], splits: int):
        self.kinds = {table.name: table.kind for table in tables}
        self.by_key, self.splits = by_key, splits
        self.methods = list(dict.fromkeys(method for _, method in by_key))
        self.complete = [
            method
            for method in self.methods
            if all(len(by_key[table, method]) == splits for table in self.kinds)
        ]

    def values(self, table: str, method: str, column: str) -> np.ndarray:
        records = self.by_key.get((table, method), [])
        return np.array([record[column] for record in records if column in record])

    def mean(self, table: str, method: str, column: str) -> float:
        return mean_and_error(self.values(table, method, column))[0]

    def means(self, method: str, column: str) -> np.ndarray:
        """Of the tables that have it."""
        means = np.array([self.mean(table, method, column) for table in self.kinds])
        return means[np.isfinite(means)]

    def of_kind(self, kind: str) -> list[str]:
        return [table for table, its in self.kinds.items() if its == kind]

    def has(self, *methods: str) -> bool:
        return set(methods) <= set(self.complete)

    def among_peers(self) -> list[str]:
        """The peers and one of ours, so that our own, or EBM twice, do not crowd the ranks."""
        left_out = [name for name in self.complete if "K=" in name] + ["ebm-of-five"]
        return [name for name in self.complete if name == "chosen K=all" or name not in left_out]

    def ranks(self, methods: list[str]) -> pd.Series:
        """Mean rank over the tables by the mean metric over the splits; 1 is best, ties share."""
        metrics = pd.DataFrame(
            {
                table: [self.mean(table, method, METRIC[kind]) for method in methods]
                for table, kind in self.kinds.items()
            },
            index=methods,
        )
        return metrics.rank(ascending=False).mean(axis=1)

    def lead(self, ours: str, peer: str, kind: str) -> float:
        """Ours minus the peer's metric, mean over the tables."""
        difference = [
            self.mean(table, ours, METRIC[kind]) - self.mean(table, peer, METRIC[kind])
            for table in self.of_kind(kind)
        ]
        return float(np.mean(difference)) if difference else np.nan

    def clearly_worse(self, ours: str, peer: str) -> dict[str, tuple[float, float]]:
        """Tables on which ours is worse by more than the standard error of the paired differences,
        with both numbers."""
        worse = {}
        for table, kind in self.kinds.items():
            a, b = (self.values(table, method, METRIC[kind]) for method in (ours, peer))
            mean, error = mean_and_error(a - b)
            if mean < -error:
                worse[table] = mean, error
        return worse

    def ratios(self, a: str, b: str, column: str, column_of_b: str | None = None) -> np.ndarray:
        """a's mean over b's, of each table that has both."""
        pairs = [
            (self.mean(table, a, column), self.mean(table, b, column_of_b or column))
            for table in self.kinds
        ]
        return np.array([one / other for one, other in pairs if np.isfinite(one / other)])


def mean_and_error(values: np.ndarray) -> tuple[float, float]:
    """Mean and its standard error; one value has no error."""
    if len(values) < 2:
        return (values[0] if len(values) else np.nan), np.nan
    return values.mean(), values.std(ddof=1) / len(values) ** 0.5
