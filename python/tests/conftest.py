"""Small data and models that several tests share."""

from __future__ import annotations

import numpy as np
import pytest

import ngsll


def people(n: int = 600, seed: int = 0):
    """A table of every kind of column as a dict, and an answer that depends on two of them."""
    rng = np.random.default_rng(seed)
    age = rng.uniform(18, 80, n).round()
    job = rng.choice(["clerk", "farmer", "nurse"], n)
    member = rng.random(n) < 0.5
    joined = np.datetime64("2020-01-01") + rng.integers(0, 1500, n).astype("timedelta64[D]")
    score = (age - 45) / 10 + (job == "nurse") * 3 + rng.normal(0, 0.3, n)
    columns = {"age": age, "job": job, "member": member, "joined": joined, "noise": rng.normal(size=n)}
    return columns, np.where(score > 0.5, "yes", "no"), score


@pytest.fixture(scope="session")
def frame():
    pandas = pytest.importorskip("pandas")
    columns, labels, score = people()
    frame = pandas.DataFrame(columns)
    frame["job"] = frame["job"].astype("category")
    frame.loc[3, "age"] = np.nan
    return frame, pandas.Series(labels, name="buys"), score


@pytest.fixture(scope="session")
def classifier(frame):
    X, y, _ = frame
    return ngsll.NgsllClassifier(k=3, epochs=4, keep=["age"]).fit(X, y)


@pytest.fixture(scope="session")
def regressor(frame):
    X, _, score = frame
    return ngsll.NgsllRegressor(k=3, epochs=4, log_target=False).fit(X, score)


@pytest.fixture(scope="session")
def texts():
    texts = ["a good film , not bad", "a bad film , not good", "fine acting and a good plot", "dull acting , bad plot"]
    return texts * 60, ["praise", "blame"] * 120


@pytest.fixture(scope="session")
def text_classifier(texts):
    return ngsll.NgsllTextClassifier(k=2, epochs=6).fit(*texts)


def pictures(n: int = 150):
    rng = np.random.default_rng(1)
    images = rng.integers(0, 30, (n, 12, 12), dtype=np.uint8)
    labels = rng.integers(0, 3, n)
    for image, label in zip(images, labels, strict=True):
        image[:4, 4 * label : 4 * label + 4] = 230
    return images, labels


@pytest.fixture(scope="session")
def images():
    return pictures()


@pytest.fixture(scope="session")
def image_classifier(images):
    return ngsll.NgsllImageClassifier(k=2, epochs=3, cells=(3, 3), channels=(8, 16), shift=0).fit(*images)
