"""In an environment with numpy alone: estimators have their own base there. Run by `.ci/run`, not by pytest."""

import importlib.util
import pickle
import tempfile
import warnings
from pathlib import Path

import numpy as np

import ngsll

for package in ("sklearn", "pandas", "pyarrow", "matplotlib", "shap", "tqdm"):
    assert importlib.util.find_spec(package) is None, f"{package} is installed"

warnings.simplefilter("ignore", ngsll.NgsllWarning)
rng = np.random.default_rng(0)
X = {"size": rng.normal(size=200), "colour": rng.choice(["red", "blue"], 200)}
y = np.where(X["size"] > 0, "large", "small")
small = {"epochs": 2, "members": 2}
table = ngsll.NgsllClassifier(k=1).set_params(**small).fit(X, y)
assert table.score(X, y) > 0.8 and repr(table) == "NgsllClassifier(k=1, epochs=2, members=2)", repr(table)
numbers = ngsll.NgsllRegressor(**small, verbose=True).fit(np.column_stack([X["size"], X["size"] ** 2]), X["size"])
assert numbers.score(np.column_stack([X["size"], X["size"] ** 2]), X["size"]) > 0.5
texts = ["a good film", "a bad film"] * 50
words = ngsll.NgsllTextClassifier(k=1, epochs=5).fit(texts, ["praise", "blame"] * 50)
assert words.predict(texts[:2]).tolist() == ["praise", "blame"]
folder = Path(tempfile.mkdtemp())
for number, (model, samples) in enumerate([(table, X), (words, texts)]):
    explanations = model.explain(samples)
    assert len(explanations[0].terms) == 1 and "<article" in explanations._repr_html_()
    model.save(folder / str(number))
    for other in (ngsll.load(folder / str(number)), pickle.loads(pickle.dumps(model))):
        assert (other.predict_proba(samples) == model.predict_proba(samples)).all()
try:
    ngsll.NgsllTextClassifier().predict(texts)
except ValueError as error:
    assert "is not fitted yet" in str(error)
else:
    raise AssertionError("an estimator that was not fitted predicts")
print("without scikit-learn: fit, predict, explain, save and load")
