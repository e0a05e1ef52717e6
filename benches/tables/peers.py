"""The peers, with their defaults. Each takes categories and missing values as its library advises.

A peer has `fit(split)`, `predict(x)` and `explainers()`, which gives each way to explain as
(name, function of a table of rows, how many rows one call gets); all explain on one thread.
"""

import logging
import warnings
from importlib.metadata import version

import lightgbm
import numpy as np
import pandas as pd
import shap
from catboost import CatBoostClassifier, CatBoostRegressor, Pool
from interpret.glassbox import ExplainableBoostingClassifier, ExplainableBoostingRegressor
from measure import EXPLAINED, best_of, many_rows, scores, stopwatch
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler
from tables import Split

BACKGROUND = 10  # rows that KernelSHAP averages over, as in benches/peers

logging.getLogger("shap").setLevel(logging.WARNING)
warnings.filterwarnings("ignore", module="interpret|shap|sklearn|lightgbm")


class Peer:
    package = "scikit-learn"

    def __init__(self, threads: int):
        self.threads = threads

    def fit(self, split: Split):
        self.model = self.make(split).fit(split.x_train, split.y_train)

    def predict(self, x: pd.DataFrame) -> np.ndarray:
        return getattr(self.model, "predict_proba", self.model.predict)(x)

    def explainers(self):
        return []


class BaseRate(Peer):
    def make(self, split):
        return DummyClassifier() if split.classes else DummyRegressor()


class Linear(Peer):
    """Logistic or ridge regression on standardised numbers and one-hot categories."""

    def make(self, split):
        self.columns = make_column_transformer(
            (make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), split.numbers),
            (
                make_pipeline(
                    SimpleImputer(strategy="constant", fill_value="missing"),
                    OneHotEncoder(handle_unknown="ignore"),
                ),
                split.categories,
            ),
            sparse_threshold=0,
        )
        # The default of 100 iterations is not always enough to converge.
        self.linear = LogisticRegression(max_iter=1000) if split.classes else Ridge()
        return make_pipeline(self.columns, self.linear)

    def explainers(self):
        weights = np.atleast_2d(self.linear.coef_)

        def explain(x):
            return self.columns.transform(x)[:, None, :] * weights

        return [("weight × value", explain, EXPLAINED)]


class Forest(Peer):
    def make(self, split):
        self.columns = make_column_transformer(
            (
                OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1),
                split.categories,
            ),
            remainder="passthrough",
        )
        kind = RandomForestClassifier if split.classes else RandomForestRegressor
        self.forest = kind(random_state=0, n_jobs=self.threads)
        return make_pipeline(self.columns, self.forest)

    def explainers(self):
        # A forest's trees are deep: one row takes as long as thousands elsewhere.
        tree = shap.TreeExplainer(self.forest)

        def explain(x):
            return tree.shap_values(self.columns.transform(x), check_additivity=False)

        return [("TreeSHAP", explain, 1)]


class Ebm(Peer):
    package = "interpret-core"
    options = {}

    def make(self, split):
        kind = ExplainableBoostingClassifier if split.classes else ExplainableBoostingRegressor
        return kind(n_jobs=self.threads, random_state=0, **self.options)

    def explainers(self):
        return [("its own terms", self.model.explain_local, EXPLAINED)]


class EbmOfFive(Ebm):
    """EBM on the five columns that count most in an EBM without pairs: the same five for every row, where
    ours chooses for each row."""

    def fit(self, split):
        quick = {"interactions": 0, "outer_bags": 1} | self.options
        first = self.make(split).set_params(**quick).fit(split.x_train, split.y_train)
        counts = dict(zip(first.term_names_, first.term_importances(), strict=True))
        self.columns = sorted(counts, key=counts.get, reverse=True)[:5]
        self.model = self.make(split).fit(split.x_train[self.columns], split.y_train)

    def predict(self, x):
        return super().predict(x[self.columns])

    def explainers(self):
        return [("its own terms", lambda x: self.model.explain_local(x[self.columns]), EXPLAINED)]


class LightGbm(Peer):
    package = "lightgbm"

    def fit(self, split):
        self.levels = {
            name: pd.CategoricalDtype(sorted(split.x_train[name].dropna().unique(), key=str))
            for name in split.categories
        }
        kind = lightgbm.LGBMClassifier if split.classes else lightgbm.LGBMRegressor
        self.model = kind(n_jobs=self.threads, random_state=0, verbose=-1)
        self.rows = self.prepare(split.x_train)
        self.model.fit(self.rows, split.y_train)

    def prepare(self, x: pd.DataFrame) -> pd.DataFrame:
        """A level that training has not seen is missing."""
        return x.astype(self.levels)

    def predict(self, x):
        return super().predict(self.prepare(x))

    def explainers(self):
        booster = self.model.booster_
        background = shap.sample(self.codes(self.rows), BACKGROUND, random_state=0)
        kernel = shap.KernelExplainer(lambda rows: booster.predict(rows, num_threads=1), background)

        def by_tree(x):
            return booster.predict(self.prepare(x), pred_contrib=True, num_threads=1)

        def by_kernel(x):
            return kernel.shap_values(self.codes(self.prepare(x)), silent=True)

        return [("TreeSHAP", by_tree, EXPLAINED), ("KernelSHAP", by_kernel, 2)]

    def codes(self, x: pd.DataFrame) -> np.ndarray:
        """The rows as the numbers that LightGBM itself makes of them."""
        coded = x.copy()
        for name in self.levels:
            coded[name] = coded[name].cat.codes.astype(float).replace(-1, np.nan)
        return coded.to_numpy(dtype=float)


class CatBoost(Peer):
    package = "catboost"

    def fit(self, split):
        self.categories = split.categories
        kind = CatBoostClassifier if split.classes else CatBoostRegressor
        self.model = kind(
            cat_features=self.categories,
            thread_count=self.threads,
            random_seed=0,
            verbose=False,
            allow_writing_files=False,
        )
        self.model.fit(self.prepare(split.x_train), split.y_train)

    def prepare(self, x):
        """Missing numbers it takes as they are; categories must be texts."""
        filled = x[self.categories].astype(object).fillna("missing").astype(str)
        return x.assign(**{name: filled[name] for name in self.categories})

    def predict(self, x):
        return super().predict(self.prepare(x))

    def explainers(self):
        def explain(x):
            pool = Pool(self.prepare(x), cat_features=self.categories, thread_count=1)
            return self.model.get_feature_importance(pool, type="ShapValues", thread_count=1)

        return [("TreeSHAP", explain, EXPLAINED)]


PEERS = {
    "base": BaseRate,
    "linear": Linear,
    "forest": Forest,
    "ebm": Ebm,
    "ebm-of-five": EbmOfFive,
    "lightgbm": LightGbm,
    "catboost": CatBoost,
}


def version_of(name: str) -> str:
    package = PEERS[name].package
    return f"{package} {version(package)}"


def run(name: str, split: Split, threads: int):
    """Gives one (name, result) pair."""
    peer, result = PEERS[name](threads), {}
    with stopwatch(result, "train"):
        peer.fit(split)
    result |= scores(split, peer.predict(split.x_test))
    for way, function, rows in peer.explainers() if split.times_explanations else []:
        x = many_rows(split.x_test, rows)
        seconds = best_of(lambda: function(x), repeats=3 if rows > 1 else 1)
        key = "kernel_shap_us" if way == "KernelSHAP" else "explain_us"
        result[key] = seconds / rows * 1e6
    yield name, result
