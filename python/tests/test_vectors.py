"""Texts whose words start from pretrained vectors."""

from __future__ import annotations

import numpy as np
import pytest

import ngsll

KIND = ["good", "fine", "great", "lovely", "superb"]
UNKIND = ["bad", "poor", "dull", "awful", "dreadful"]
WORDS = KIND + UNKIND
MATRIX = np.array([[2.0 if word in KIND else -2.0, np.sin(i), np.cos(i)] for i, word in enumerate(WORDS)])

TEXTS = [f"a {word} film" for i in range(40) for word in (KIND[i % 3], UNKIND[i % 3])]
LABELS = ["praise", "blame"] * 40
NEW = [f"a {word} film" for word in KIND[3:] + UNKIND[3:]]


class KeyedVectors:
    """What gensim has."""

    index_to_key = WORDS
    vectors = MATRIX


def fit(vectors, **options):
    small = {"k": 1, "epochs": 10, "filters": 16, "units": 16, "members": 2, "vectors_fixed": True}
    return ngsll.NgsllTextClassifier(vectors=vectors, **{**small, **options}).fit(TEXTS, LABELS)


@pytest.fixture(scope="module")
def glove(tmp_path_factory):
    file = tmp_path_factory.mktemp("vectors") / "glove.txt"
    file.write_text("".join(f"{w} {' '.join(map(repr, map(float, v)))}\n" for w, v in zip(WORDS, MATRIX)))
    return file


def test_words_that_only_the_vectors_know_are_understood(glove, tmp_path):
    by_file = fit(glove)
    assert by_file.predict(NEW).tolist() == ["praise"] * 2 + ["blame"] * 2
    assert by_file.explain(NEW[:1])[0].terms[0].name == "lovely"
    expected = by_file.decision_function(NEW)
    for vectors in (str(glove), dict(zip(WORDS, MATRIX)), (WORDS, MATRIX), KeyedVectors()):
        assert (fit(vectors).decision_function(NEW) == expected).all()
    # The folder holds what is needed of them.
    by_file.save(tmp_path / "model")
    glove.rename(glove.with_suffix(".gone"))
    try:
        loaded = ngsll.load(tmp_path / "model")
        assert (loaded.decision_function(NEW) == expected).all()
    finally:
        glove.with_suffix(".gone").rename(glove)


def test_vectors_that_are_learned_on(glove):
    model = fit(glove, vectors_fixed=False)
    assert model.score(TEXTS, LABELS) == 1
    model.fit_judge(TEXTS, LABELS)
    assert fit(glove, vectors_fixed=False).decision_function(TEXTS[:4]) == pytest.approx(
        model.decision_function(TEXTS[:4]), abs=0
    )


def test_a_judge_needs_vectors_that_came_from_memory_again(tmp_path):
    import pickle

    model = fit(dict(zip(WORDS, MATRIX)))
    model.save(tmp_path / "model")
    loaded = ngsll.load(tmp_path / "model")
    with pytest.raises(ValueError, match=r"^vectors = \(in memory\): these word vectors came from no file"):
        loaded.fit_judge(TEXTS, LABELS)
    loaded.set_params(vectors=dict(zip(WORDS, MATRIX))).fit_judge(TEXTS, LABELS)
    # A pickled estimator has them.
    again = pickle.loads(pickle.dumps(model)).fit_judge(TEXTS, LABELS)
    figures = [judged.report(TEXTS, LABELS)["trust"] for judged in (model.fit_judge(TEXTS, LABELS), loaded, again)]
    assert figures[0] == figures[1] == figures[2]


def test_invalid_vectors_are_refused(tmp_path):
    with pytest.raises(TypeError, match=r"expected a file, \{word: vector\}, \(words, matrix\) or gensim"):
        fit(7)
    with pytest.raises(ValueError, match="as many numbers for each word"):
        fit({"good": [1.0, 2.0], "bad": [1.0]})
    with pytest.raises(ValueError, match=r"expected a row for each of 2 words, found shape \(3, 2\)"):
        fit((["good", "bad"], np.zeros((3, 2))))
    with pytest.raises(ValueError, match='vectors = nan for "bad"|NaN for "bad"'):
        fit({"good": [1.0, 2.0], "bad": [1.0, np.nan]})
    with pytest.raises(ValueError, match="expected a vector for at least one word"):
        fit({"bon": [1.0, 2.0]}, vectors_fixed=False)
    with pytest.raises(ValueError, match="no word of the training texts has a vector"):
        fit({"bon": [1.0, 2.0]})
    with pytest.raises(ValueError, match="embedding = 16: the word vectors have 3 numbers"):
        fit((WORDS, MATRIX), embedding=16)
    with pytest.raises(FileNotFoundError):
        fit(tmp_path / "nowhere.txt")
