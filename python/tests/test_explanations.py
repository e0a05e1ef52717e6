"""Explanation objects and the ways out of them."""

from __future__ import annotations

import json
import threading

import numpy as np
import pytest

import ngsll


def test_they_are_a_sequence(classifier, frame):
    X, _, _ = frame
    explanations = classifier.explain(X.head(10))
    assert len(explanations) == 10 and len(explanations[2:5]) == 3 and len(list(explanations)) == 10
    assert explanations[-1].row == 9 and explanations[2:5][0].row == 2
    assert [e.row for e in explanations[np.array([4, 1])]] == [4, 1]
    with pytest.raises(IndexError):
        explanations[10]


def test_dicts_equal_the_output_of_the_command(classifier, frame):
    X, _, _ = frame
    found = classifier.explain(X.head(2)).to_dict()
    assert found[0]["outputs"][0]["name"] == "yes"
    assert set(found[0]["prediction"]["class"]) == {"label", "probabilities"}
    json.dumps(found)


def test_data_frames_and_arrow(classifier, frame):
    X, _, _ = frame
    explanations = classifier.explain(X.head(10))
    terms = explanations.to_pandas()
    assert list(terms.columns)[:4] == ["row", "prediction", "output", "feature"]
    assert len(terms) == sum(len(e.terms) for e in explanations)
    pyarrow = pytest.importorskip("pyarrow")
    table = explanations.to_arrow()
    assert table.column_names == ["prediction", "probability_no", "probability_yes", "score", "intercept", "terms"]
    rows = table.to_pylist()
    first = explanations[0]
    assert rows[0]["prediction"] == first.prediction and rows[0]["score"] == first.score
    assert [t["contribution"] for t in rows[0]["terms"]] == [t.contribution for t in first.terms]
    direct = pyarrow.table(classifier.explain_arrow(X.head(10)))
    assert direct.equals(table)
    polars = pytest.importorskip("polars")
    assert polars.DataFrame(explanations).height == 10


def test_cards_need_nothing_else(classifier, text_classifier, image_classifier, texts, images, frame):
    X, y, _ = frame
    for explanations in (
        classifier.explain(X.head(3), y=y.head(3)),
        text_classifier.explain(texts[0][:3]),
        image_classifier.explain(images[0][:3]),
    ):
        html = explanations._repr_html_()
        assert html.count("<article") == 3 and "<script" not in html and "http" not in html
        assert explanations._repr_html_() != html, "two on one page must not share ids"
        assert explanations[0]._repr_html_().count("<article") == 1
    many = classifier.explain(X)
    assert many._repr_html_().count("<article") == 10 and "The first 10 of 600" in many._repr_html_()


def test_pages_and_lines(classifier, frame, tmp_path):
    X, _, _ = frame
    explanations = classifier.explain(X.head(4))
    explanations.to_html(tmp_path / "page.html", title="People")
    assert "<title>People</title>" in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "row 0" in repr(explanations) and "… and 1 more" in repr(explanations)


def test_a_report_has_figures_and_a_page(classifier, frame, tmp_path):
    X, y, _ = frame
    report = classifier.report(X, y)
    assert report["accuracy"] == pytest.approx(classifier.score(X, y))
    report.save(tmp_path / "report.html")
    assert "How well NgsllClassifier predicts" in (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "iframe" in report._repr_html_() and "accuracy" in repr(report)


def test_a_judge_measures_trust(frame, tmp_path):
    X, y, _ = frame
    model = ngsll.NgsllClassifier(k=2, epochs=2, members=2).fit(X.iloc[:450], y[:450])
    assert model.model_.trust == []
    model.fit_judge(X.iloc[:450], y[:450])
    trust = model.report(X.iloc[450:], y[450:])["trust"]
    assert 0 <= trust["contest_rate"] <= 1
    model.save(tmp_path / "judged")
    assert ngsll.Model.load(tmp_path / "judged").trust[0]["k"] == 2


def test_plots(classifier, frame):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    X, _, _ = frame
    explanations = classifier.explain(X.head(20))
    assert len(explanations.plot().patches) >= 2
    assert len(explanations[0].plot().patches) == len(explanations[0].terms)


def test_shap_draws_them(classifier, text_classifier, image_classifier, texts, images, frame):
    shap = pytest.importorskip("shap")
    import matplotlib

    matplotlib.use("Agg")
    X, _, _ = frame
    explanations = classifier.explain(X.head(30))
    found = explanations.to_shap()
    assert np.allclose(found.values.sum(axis=1) + found.base_values, [e.score for e in explanations])
    shap.plots.beeswarm(found, show=False)
    shap.plots.bar(found, show=False)
    shap.plots.waterfall(found[0], show=False)
    shap.plots.waterfall(explanations[0].to_shap(), show=False)
    shap.plots.force(found[0], matplotlib=True, show=False)
    words = text_classifier.explain(texts[0][:2])
    assert "good" in shap.plots.text(words.to_shap()[0], display=False)
    assert np.isclose(words.to_shap()[0].values.sum() + words.to_shap()[0].base_values, words[0].score)
    pixels = image_classifier.explain(images[0][:2]).to_shap()
    assert pixels.values.shape == (2, 12, 12, 1)
    shap.image_plot(pixels, show=False)


def test_interpret_shows_them(classifier, frame):
    pytest.importorskip("interpret")
    X, _, _ = frame
    local = classifier.explain(X.head(3)).to_interpret()
    assert local.data(0)["names"] == [t.name for t in classifier.explain(X.head(1))[0].terms]
    assert local.visualize(0) is not None


def test_several_threads_may_ask_at_once(classifier, frame):
    X, _, _ = frame
    expected, found = classifier.predict_proba(X), []
    workers = [threading.Thread(target=lambda: found.append(classifier.predict_proba(X))) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(found) == 4 and all((one == expected).all() for one in found)


def test_the_gil_is_free_while_rust_works(frame):
    X, y, _ = frame
    ticks, done = [], threading.Event()

    def tick():
        while not done.wait(0.005):
            ticks.append(1)

    ticker = threading.Thread(target=tick)
    ticker.start()
    ngsll.NgsllClassifier(epochs=3).fit(X, y)
    done.set()
    ticker.join()
    assert len(ticks) > 10


def test_ctrl_c_keeps_the_best_model_so_far(tmp_path):
    """In a process of its own, as the signal goes to the main thread."""
    import signal
    import subprocess
    import sys
    import time

    code = """
import ngsll, sys
texts, labels = ["a good film", "a bad film"] * 2000, ["praise", "blame"] * 2000
model = ngsll.NgsllTextClassifier(epochs=10_000)
print("started", flush=True)
try:
    model.fit(texts, labels)
except KeyboardInterrupt as error:
    assert "keeps what was learned" in str(error), error
    assert len(model.predict(texts[:2])) == 2
    sys.exit(7)
"""
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert child.stdout is not None and child.stdout.readline().strip() == b"started"
    time.sleep(3)
    child.send_signal(signal.SIGINT)
    assert child.wait(timeout=120) == 7


def test_progress_is_logged_and_shown(frame, caplog, capfd):
    X, y, _ = frame
    with caplog.at_level("INFO", logger="ngsll"):
        ngsll.NgsllClassifier(epochs=2, verbose=True).fit(X, y)
        ngsll.NgsllTextClassifier(epochs=1).fit(["good", "bad"] * 50, ["yes", "no"] * 50)
    assert "cross-validation" in caplog.text and "validation loss" in caplog.text
    assert capfd.readouterr().out == "", "nothing goes to standard output"


def test_docs_of_options_name_every_parameter():
    import inspect

    for estimator in (
        ngsll.NgsllClassifier,
        ngsll.NgsllRegressor,
        ngsll.NgsllTextClassifier,
        ngsll.NgsllTextRegressor,
        ngsll.NgsllImageClassifier,
    ):
        for name in list(inspect.signature(estimator).parameters):
            assert name in (estimator.__doc__ or ""), f"{estimator.__name__}: {name}"


