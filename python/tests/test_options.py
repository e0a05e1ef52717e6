"""Signatures tell the truth about the library's defaults, and what is asked for is done."""

from __future__ import annotations

import inspect
import json

import numpy as np
import pytest

import ngsll
from ngsll import _native
from ngsll._options import KEYS, toml, way_out

ESTIMATORS = {
    ngsll.NgsllClassifier: "tabular",
    ngsll.NgsllRegressor: "tabular",
    ngsll.NgsllTextClassifier: "text",
    ngsll.NgsllTextRegressor: "text",
    ngsll.NgsllImageClassifier: "image",
}
NETWORKS = {
    "tabular": ("tabular_ensemble", "tabular_mlp"),
    "text": ("token_context", "sentence_cnn"),
    "image": ("cell_context", "image_cnn"),
}
SAMPLES = {"tabular": "columns", "text": "words", "image": "grid"}
SMALL = {"epochs": 1, "members": 1, "layers": 1, "units": 8, "embedding": 2, "bins": 4, "distinct_bins": 4}
# Asks for nothing, whatever the network.
NOTHING = {"vectors_fixed"}


def same(text, value):
    """Whether the library's words for a default are a value."""
    try:
        return json.loads(text) == (list(value) if isinstance(value, tuple) else value)
    except ValueError:
        return text == value


def rows(task, key):
    """The defaults of a key in words, of every network that the task has; None for those that do not have it."""
    found = [(kind, default) for name, kind, default in _native.option_table() if name == key]
    kinds = NETWORKS[task] if key.startswith("generator.") else (None, SAMPLES[task])
    own = {kind: default for kind, default in found if kind in kinds}
    return list(own.values()) if None in kinds else [own.get(kind) for kind in kinds]


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_a_default_in_a_signature_is_the_librarys_whatever_the_other_options(estimator):
    """None is for those that depend on it."""
    task = ESTIMATORS[estimator]
    configurations = [[("training.evidence", toml(evidence))] for evidence in ("chosen", "whole")]
    configurations += [[("generator.kind", toml(kind))] for kind in NETWORKS[task]]
    written = [dict(flat(_native.defaults(task, options))) for options in configurations]
    for name, parameter in inspect.signature(estimator).parameters.items():
        if name not in KEYS or parameter.default is None or name in NOTHING:
            continue
        key, value = KEYS[name], parameter.default
        in_words = rows(task, key)
        assert in_words and all(text is not None and same(text, value) for text in in_words), (name, in_words)
        for defaults in written:
            if key in defaults:
                assert defaults[key] == (list(value) if isinstance(value, tuple) else value), name


def flat(text):
    """The keys of a TOML file with values of one line, as JSON reads them."""
    table = ""
    for line in text.splitlines():
        if line.startswith("["):
            table = line.strip("[]") + "."
        elif " = " in line:
            key, value = line.split(" = ", 1)
            yield table + key, json.loads(value)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_numbers_that_a_signature_leaves_to_the_library_are_in_the_docs(estimator):
    task, docs = ESTIMATORS[estimator], estimator.__doc__
    defaults = dict(flat(_native.defaults(task)))
    for name, parameter in inspect.signature(estimator).parameters.items():
        value = defaults.get(KEYS.get(name, ""))
        if parameter.default is None and value and isinstance(value, (int, float)) and not isinstance(value, bool):
            assert f"``{name}`` ({value})" in docs or f"({value}" in docs, (name, value)


@pytest.mark.parametrize(
    ("estimator", "options", "key", "value"),
    [
        (ngsll.NgsllTextClassifier, {"dropout": 0.4}, "generator.dropout", 0.4),
        (ngsll.NgsllTextClassifier, {}, "generator.dropout", 0.6),
        (ngsll.NgsllClassifier, {"bins": 64}, "representation.bins", 64),
        (ngsll.NgsllClassifier, {}, "representation.bins", 32),
        (ngsll.NgsllClassifier, {"units": 128}, "generator.units", 128),
        (ngsll.NgsllClassifier, {}, "generator.units", 256),
    ],
)
def test_a_value_that_is_given_counts(estimator, options, key, value):
    rng = np.random.default_rng(0)
    if estimator is ngsll.NgsllClassifier:
        X = rng.normal(size=(80, 2))
        y = X[:, 0] > 0
    else:
        X, y = ["a good film", "a bad film"] * 40, ["praise", "blame"] * 40
    model = estimator(k=1, epochs=1, evidence="whole", **options).fit(X, y)
    assert dict(flat(model.model_.options.split("\n#")[0]))[key] == value


def test_texts_without_punctuation_and_by_another_rule():
    texts, labels = ["good . really", "bad . really"] * 40, ["praise", "blame"] * 40
    assert "." in ngsll.NgsllTextClassifier(epochs=1).fit(texts, labels).model_.features
    model = ngsll.NgsllTextClassifier(
        epochs=1, punctuation=False, choice={"rule": "two_pass", "side": "both"}, intercept=False
    ).fit(texts, labels)
    assert "." not in model.model_.features
    assert 'rule = "two_pass"' in model.model_.options
    assert model.explain(texts[:1])[0].intercept == 0
    with pytest.raises(ValueError, match="^choice.rule = effect: this rule is for tables only"):
        ngsll.NgsllTextClassifier(choice={"rule": "effect", "side": "both"}).fit(texts, labels)


def test_a_mask_of_regions_as_an_array_or_a_file(images, tmp_path):
    X, y = images
    mask = np.repeat([[0, 1, 2]], 12, axis=0).repeat(4, axis=1)
    small = {"k": 1, "epochs": 2, "channels": (8,), "cell_units": 16, "shift": 0}
    model = ngsll.NgsllImageClassifier(regions=mask, region_names=["left", "middle", "right"], **small)
    model.fit(X, y, eval_set=(X[:30], y[:30]))
    assert model.model_.features == ["left", "middle", "right"]
    assert model.explain(X[:1])[0].terms[0].name == ["left", "middle", "right"][y[0]]
    image = pytest.importorskip("matplotlib.image")
    image.imsave(tmp_path / "mask.png", mask.astype(float), cmap="gray")
    by_file = ngsll.NgsllImageClassifier(regions=tmp_path / "mask.png", **small).fit(X, y)
    assert by_file.model_.features == ["region 1", "region 2", "region 3"]
    # A judge needs them, too; the model has them.
    model.save(tmp_path / "model")
    ngsll.load(tmp_path / "model").fit_judge(X, y)
    with pytest.raises(ValueError, match="regions: expected a file, or an array"):
        ngsll.NgsllImageClassifier(regions=mask / 2).fit(X, y)
    with pytest.raises(ValueError, match="^region_names = 1: expected 3 names"):
        ngsll.NgsllImageClassifier(regions=mask, region_names=["one"]).fit(X, y)


def test_images_have_regions_of_their_own(images):
    X, y = images
    small = {"k": 1, "epochs": 2, "channels": (8,), "cell_units": 16, "cells": (3, 3)}
    model = ngsll.NgsllImageClassifier(regions="slic", **small).fit(X, y)
    assert model.model_.features[4] == "region around row 2, column 2"
    explanations = model.explain(X[:4])
    (region,) = explanations[0].to_dict()["regions"]
    (term,) = explanations[0].terms
    assert term.feature == region["feature"]
    # The pixels of the region are those that shap draws, and its value is their mean.
    pixels = np.zeros(X[0].shape, dtype=bool)
    for line, first, length in region["runs"]:
        pixels[line, first : first + length] = True
    assert np.isclose(X[0][pixels].mean() / 255, term.value, atol=1e-6)
    box = np.argwhere(pixels)
    assert (box.min(axis=0) == [region["top"], region["left"]]).all()
    assert (np.ptp(box, axis=0) + 1 == [region["height"], region["width"]]).all()
    assert "chosen regions" in explanations[:1].to_html()
    pytest.importorskip("shap")
    drawn = explanations.to_shap().values[0, :, :, 0]
    assert ((drawn != 0) == pixels).all()
    with pytest.raises(ValueError, match="^region_names = sky: only the regions of a mask have names"):
        ngsll.NgsllImageClassifier(regions="slic", region_names=["sky"]).fit(X, y)


def incomes(n=200):
    rng = np.random.default_rng(3)
    X = {"income": rng.normal(size=n), 'the "best" size': rng.normal(size=n), "level": rng.choice(["1", "2"], n)}
    return X, X["income"] + 0.3 * rng.normal(size=n) > 0


def test_a_column_can_be_monotone():
    X, y = incomes()
    name = 'the "best" size'
    small = {**SMALL, "k": 2, "epochs": 2}
    model = ngsll.NgsllClassifier(
        columns={"income": {"monotone": "up"}, name: {"kind": "numeric", "monotone": "down"}}, **small
    ).fit(X, y)
    rising = {column: [values[0]] * 50 for column, values in X.items()} | {"income": np.linspace(-4, 4, 50)}
    scores = model.decision_function(rising)
    assert (np.diff(scores) >= 0).all() and scores[-1] > scores[0]
    assert ngsll.NgsllClassifier(columns={name: "categorical"}, **small).fit(X, y).model_.columns[name] == "categorical"
    with pytest.raises(ValueError, match="^columns.level.monotone = up: the column holds categories"):
        ngsll.NgsllClassifier(columns={"level": {"monotone": "up"}}, **small).fit(X, y)
    with pytest.raises(ValueError, match="columns: 'income' has 'monoton', expected 'kind' or 'monotone'"):
        ngsll.NgsllClassifier(columns={"income": {"monoton": "up"}}, **small).fit(X, y)
    with pytest.raises(ValueError, match="expected up or down"):
        ngsll.NgsllClassifier(columns={"income": {"monotone": "rising"}}, **small).fit(X, y)


def test_words_for_missing_values():
    X, y = incomes()
    X["level"] = np.where(np.arange(200) % 10 == 0, "Sold out", X["level"])
    model = ngsll.NgsllClassifier(k=3, missing_words="sold out", **SMALL).fit(X, y)
    row = {name: values[:1] for name, values in X.items()}
    missing, word = ({**row, "level": [value]} for value in (None, "sold out"))
    assert model.decision_function(word) == model.decision_function(missing)


@pytest.mark.parametrize("option", ["keep", "protected"])
def test_a_name_that_no_column_has_is_refused(option):
    X, y = incomes()
    with pytest.raises(ValueError, match=f"^{option} = typo: the data have no column of this name"):
        ngsll.NgsllClassifier(**SMALL, **{option: ["typo"]}).fit(X, y)
    X["day"] = np.datetime64("2024-01-01") + np.arange(200)
    ngsll.NgsllClassifier(**SMALL, **{option: "day"}).fit(X, y)


def test_a_way_out_is_named_as_it_is_written():
    assert way_out("data.keep", '["order no"]', "keeps it") == "keep=['order no'] keeps it"
    assert way_out("data.columns.zip", "categorical", "reads it") == "columns={'zip': 'categorical'} reads it"
    assert way_out('data.columns."a b"', "date", "reads it") == "columns={'a b': 'date'} reads it"
    assert way_out("training.screening", "false", "keeps all") == "screening=False keeps all"
    assert way_out("data.decimal", "comma", "helps") == "options={'data.decimal': 'comma'} helps"
    assert way_out("data.group", None, "merges classes") == "changing the labels in y merges classes"


def test_findings_are_warnings_with_their_remedy():
    rng = np.random.default_rng(5)
    n = 400
    answer = rng.random(n) < 0.5
    X = {"id": 1000 + np.arange(n), "paid": answer * 1.0, "size": answer + rng.normal(size=n)}
    with pytest.warns(ngsll.NgsllWarning) as caught:
        model = ngsll.NgsllClassifier(**SMALL).fit(X, answer)
    messages = [str(warning.message) for warning in caught]
    for start, end in [
        ('column "id" has 400 distinct values', "; keep=['id'] keeps it"),
        ('column "paid" predicts the target by itself', "? drop=['paid'] leaves it out"),
        ("there are only 2 features, so K is 2, not 5", ""),
        ("figures from 40 validation rows are rough", "; scikit-learn's cross_val_score measures on all samples"),
    ]:
        assert any(one.startswith(start) and one.endswith(end) for one in messages), (start, messages)
    assert messages == model.model_.findings
    assert all(warning.filename == __file__ for warning in caught)


def test_columns_that_do_not_help_are_reported():
    rng = np.random.default_rng(5)
    X = {"size": rng.normal(size=600), "noise": rng.normal(size=600)}
    told = r'^column "noise" does not help on the validation rows and will not be chosen; screening=False keeps all$'
    with pytest.warns(ngsll.NgsllWarning, match=told):
        ngsll.NgsllClassifier(**{**SMALL, "epochs": 5}, validation_fraction=0.4).fit(X, X["size"] > 0)


def test_a_useless_model_and_cut_texts_are_reported():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 2))
    useless = "on the validation samples the model is no better than always predicting the mean"
    with pytest.warns(ngsll.NgsllWarning, match=useless):
        model = ngsll.NgsllRegressor(**SMALL).fit(X, rng.normal(size=120))
    with pytest.warns(ngsll.NgsllWarning, match="^on the samples the model is no better than"):
        model.report(X, rng.normal(size=120) + 100)
    texts, labels = ["a good long film", "a bad film"] * 40, ["praise", "blame"] * 40
    cut = r"40 of 80 texts are longer than 3 tokens.*the longest has 4; max_tokens=4 reads them all"
    with pytest.warns(ngsll.NgsllWarning, match=cut):
        model = ngsll.NgsllTextClassifier(epochs=1, max_tokens=3).fit(texts, labels)
    for call in (model.predict, model.explain, model.explain_arrow, lambda texts: model.report(texts, labels[:2])):
        with pytest.warns(ngsll.NgsllWarning, match="1 of 2 texts is longer than 3 tokens; only the first 3 are read"):
            call(texts[:2])
