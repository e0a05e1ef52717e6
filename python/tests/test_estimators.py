"""Fitting, predicting and explaining, of every kind of sample."""

from __future__ import annotations

import pickle
import subprocess
import sys

import numpy as np
import pytest

import ngsll


def test_a_table_of_every_dtype_is_learned(classifier, frame):
    X, y, _ = frame
    assert classifier.classes_.tolist() == ["no", "yes"]
    assert classifier.score(X, y) > 0.85
    assert classifier.feature_names_in_.tolist() == list(X.columns)
    assert classifier.model_.columns["joined"] == "date" and classifier.model_.columns["member"] == "categorical"
    probabilities = classifier.predict_proba(X)
    assert np.allclose(probabilities.sum(axis=1), 1)
    assert (classifier.classes_[probabilities.argmax(axis=1)] == classifier.predict(X)).all()
    assert ((classifier.decision_function(X) > 0) == (classifier.predict(X) == "yes")).all()


def test_terms_add_up_to_the_score(classifier, regressor, frame):
    X, _, _ = frame
    for model in (classifier, regressor):
        for explanation in model.explain(X.head(20)):
            total = explanation.intercept + sum(term.contribution for term in explanation.terms)
            assert np.isclose(total, explanation.score) and len(explanation.terms) <= 3
            for term in explanation.terms:
                assert np.isclose(term.contribution, term.level + term.weight * term.value)
    assert np.allclose(regressor.predict(X.head()), [e.score for e in regressor.explain(X.head())])


def test_columns_go_by_name_in_any_order_and_others_are_ignored(classifier, frame):
    X, _, _ = frame
    mixed = X[X.columns[::-1]].assign(more=1.0)
    assert (classifier.predict_proba(X) == classifier.predict_proba(mixed)).all()
    with pytest.raises(ValueError, match="yet now missing:\n- age"):
        classifier.predict(X.drop(columns="age"))


def test_columns_that_are_never_chosen_may_be_missing(frame):
    X, y, _ = frame
    X = X.assign(same=1.0)
    model = ngsll.NgsllClassifier(k=2, epochs=1, members=1, keep=["age"]).fit(X, y)
    assert (model.predict_proba(X.drop(columns="same")) == model.predict_proba(X)).all()
    with pytest.raises(ValueError, match="yet now missing:\n- age"):
        model.predict(X.drop(columns=["same", "age"]))


def test_streams_of_arrow_are_read_once(classifier, frame):
    X, y, _ = frame
    pyarrow = pytest.importorskip("pyarrow")
    expected, table = classifier.predict_proba(X), pyarrow.Table.from_pandas(X)

    def stream():
        return pyarrow.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=100))

    assert (classifier.predict_proba(stream()) == expected).all()
    assert (classifier.model_.predict_proba(stream()) == expected).all()
    assert len(classifier.explain(stream())) == len(X)
    assert classifier.report(stream(), y)["n"] == len(X)
    fitted = ngsll.NgsllClassifier(epochs=1, members=1).fit(stream(), y)
    assert fitted.feature_names_in_.tolist() == list(X.columns)
    with pytest.raises(ValueError, match="yet now missing:\n- age"):
        classifier.predict(table.drop_columns(["age"]).to_reader())


def test_duckdb_is_read(classifier, frame):
    duckdb = pytest.importorskip("duckdb")
    pyarrow = pytest.importorskip("pyarrow")
    X, _, _ = frame
    people = pyarrow.Table.from_pandas(X)  # noqa: F841 (DuckDB finds it by its name)
    with duckdb.connect() as connection:
        found = connection.sql("SELECT * FROM people")
        assert (classifier.predict_proba(found) == classifier.predict_proba(X)).all()
        connection.register("explained", pyarrow.table(classifier.explain_arrow(found)))
        assert connection.sql("SELECT count(*), max(len(terms)) FROM explained").fetchall() == [(len(X), 3)]


def test_any_k_can_be_requested(classifier, frame):
    X, _, _ = frame
    assert all(len(e.terms) == 1 for e in classifier.explain(X.head(), k=1))
    with pytest.raises(ValueError, match="k = 99: K must be from 1 to"):
        classifier.predict(X.head(), k=99)


def test_arrow_polars_pandas_and_dicts_are_read_alike(classifier, frame):
    X, _, _ = frame
    expected = classifier.predict_proba(X)
    pyarrow = pytest.importorskip("pyarrow")
    assert (classifier.predict_proba(pyarrow.Table.from_pandas(X)) == expected).all()
    polars = pytest.importorskip("polars")
    assert (classifier.predict_proba(polars.from_pandas(X)) == expected).all()
    columns = {name: X[name].to_numpy() for name in X.columns}
    assert (classifier.predict_proba(columns) == expected).all()
    row = {name: X[name].iloc[0] for name in X.columns}
    assert (classifier.predict_proba(row)[0] == expected[0]).all()


def test_the_same_data_gives_the_same_model_whatever_it_comes_in(frame):
    X, y, _ = frame
    pyarrow = pytest.importorskip("pyarrow")
    fitted = [ngsll.NgsllClassifier(epochs=1, threads=t).fit(x, y) for x, t in [(X, 1), (pyarrow.table(X), 2)]]
    assert (fitted[0].predict_proba(X) == fitted[1].predict_proba(X)).all()


def test_labels_keep_their_type_also_through_a_folder(tmp_path):
    X = np.random.default_rng(0).normal(size=(200, 2))
    for number, y in enumerate([X[:, 0] > 0, (X[:, 0] > 0) + 9, np.where(X[:, 0] > 0, "b", "a")]):
        model = ngsll.NgsllClassifier(k=1, epochs=1).fit(X, y)
        folder = tmp_path / str(number)
        model.save(folder)
        loaded = ngsll.load(folder)
        assert type(loaded) is ngsll.NgsllClassifier
        for other in (loaded, pickle.loads(pickle.dumps(model))):
            assert other.classes_.tolist() == np.unique(y).tolist()
            assert (other.predict_proba(X) == model.predict_proba(X)).all()
            assert other.predict(X).dtype.kind == y.dtype.kind


def test_a_folder_that_is_loaded_and_saved_again_has_the_same_bytes(
    classifier, regressor, text_classifier, image_classifier, tmp_path
):
    def content(folder):
        return {file.name: file.read_bytes() for file in folder.iterdir()}

    for number, model in enumerate((classifier, regressor, text_classifier, image_classifier)):
        first, second, third = (tmp_path / f"{number}-{name}" for name in ("first", "second", "third"))
        model.save(first)
        ngsll.load(first).save(second)
        pickle.loads(pickle.dumps(model)).save(third)
        assert content(first) == content(second) == content(third)


def test_a_pickle_of_another_format_is_refused(classifier):
    state = classifier.model_.__getstate__()
    other = ngsll.Model.__new__(ngsll.Model)
    with pytest.raises(ValueError, match="a pickled model of format 99, expected 1"):
        other.__setstate__({**state, "format": 99})


def test_a_folder_is_not_overwritten_by_default(classifier, tmp_path, frame):
    classifier.save(tmp_path / "model")
    with pytest.raises(FileExistsError, match="will not be overwritten"):
        classifier.save(tmp_path / "model")
    classifier.save(tmp_path / "model", overwrite=True)
    (tmp_path / "other").mkdir()
    with pytest.raises(FileExistsError):
        classifier.save(tmp_path / "other", overwrite=True)
    with pytest.raises(ValueError, match="expected a model for NgsllRegressor"):
        ngsll.NgsllRegressor.load(tmp_path / "model")
    with pytest.raises((FileNotFoundError, ValueError)):
        ngsll.load(tmp_path / "none")


def test_weights_count(frame):
    X, y, _ = frame
    heavy = np.where(y == "yes", 20.0, 1.0)
    plain = ngsll.NgsllClassifier(epochs=1).fit(X, y)
    weighted = ngsll.NgsllClassifier(epochs=1).fit(X, y, sample_weight=heavy)
    assert weighted.predict_proba(X)[:, 1].mean() > plain.predict_proba(X)[:, 1].mean() + 0.1
    with pytest.raises(ValueError, match="expected a number of at least 0"):
        ngsll.NgsllClassifier(epochs=1).fit(X, y, sample_weight=-heavy)


def test_an_eval_set_decides_when_to_stop(frame):
    X, y, _ = frame
    model = ngsll.NgsllClassifier(epochs=1)
    model.fit(X.iloc[:400], y[:400], eval_set=(X.iloc[400:], y[400:]))
    model.fit(X.iloc[:400], y[:400], eval_set=[(X.iloc[400:], y[400:])])
    with pytest.raises(ValueError, match="eval_set: expected"):
        model.fit(X, y, eval_set=X)
    with pytest.raises(ValueError, match="label 'maybe' is not one of no, yes"):
        model.fit(X, y, eval_set=(X, y.where(y == "yes", "maybe")))


def test_texts(text_classifier, texts):
    assert text_classifier.score(*texts) > 0.95
    explanation = text_classifier.explain(texts[0][:1])[0]
    assert explanation.prediction == "praise" and len(explanation.terms) == 2
    with pytest.raises(TypeError, match="sample 1: expected a text"):
        text_classifier.predict(["fine", 3])
    with pytest.raises(ValueError, match="a single one"):
        text_classifier.predict("fine")
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"text": texts[0]})
    assert (text_classifier.predict(table["text"]) == text_classifier.predict(texts[0])).all()
    for found in (table, table.to_reader(), table.to_batches()[0]):
        with pytest.raises(ValueError, match="found a table; name one column"):
            text_classifier.predict(found)


def test_images(image_classifier, images):
    assert image_classifier.score(*images) > 0.9
    fractions = images[0].astype(float) / 255
    assert (image_classifier.predict(fractions[:9]) == image_classifier.predict(images[0][:9])).all()
    explanations = image_classifier.explain(images[0][:2], classes=[1])
    assert [score.name for score in explanations[0].scores] == ["1"]
    with pytest.raises(ValueError, match="found an array of shape"):
        image_classifier.predict(images[0][0])


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"learning_rate": -1.0}, "^learning_rate = -1"),
        ({"evidence": "some"}, "^evidence = "),
        ({"k": 0}, "^k = 0: K must be at least 1"),
        ({"options": {"generator.unit": 3}}, "did you mean generator.units"),
        ({"columns": {"x9": "date"}}, "no column of this name"),
        ({"drop": ["x9"]}, "no column of this name"),
    ],
)
def test_bad_options_are_named_as_python_names_them(option, message):
    X = np.random.default_rng(0).normal(size=(60, 2))
    with pytest.raises(ValueError, match=message):
        ngsll.NgsllClassifier(**option).fit(X, X[:, 0] > 0)


def test_bad_cells_name_row_and_column(frame):
    X, y, _ = frame
    X = X.assign(noise=np.where(np.arange(len(X)) == 7, np.inf, 0.0))
    with pytest.raises(ValueError, match='sample 7 column "noise": an infinite number'):
        ngsll.NgsllClassifier(epochs=1).fit(X, y)
    with pytest.raises(TypeError, match="sample 0 column 'noise'"):
        ngsll.NgsllClassifier(epochs=1).fit(X.assign(noise=[{}] * len(X)), y)


def test_unseen_values_are_warnings(classifier, frame):
    X, _, _ = frame
    with pytest.warns(ngsll.NgsllWarning, match='column "job" has values that training never saw in 2 of 2 rows'):
        classifier.predict(X.head(2).assign(job="pilot"))


def test_the_package_is_light_until_it_is_used():
    code = (
        "import sys, ngsll; heavy = {'sklearn', 'pandas', 'shap', 'pyarrow', 'matplotlib'} & set(sys.modules); "
        "assert not heavy, heavy; ngsll.Model; assert 'sklearn' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_forked_child_can_predict(classifier, frame):
    """Threads do not survive a fork; the child must start its own."""
    import os

    if not hasattr(os, "fork"):
        pytest.skip("there is no fork")
    X, _, _ = frame
    classifier.predict(X)
    child = os.fork()
    if child == 0:
        os._exit(0 if len(classifier.predict(X)) == len(X) else 1)
    assert os.waitpid(child, 0)[1] == 0
