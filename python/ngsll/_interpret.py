"""Explanations for InterpretML's views."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._explanation import Explanations


def to_interpret(explanations: Explanations, name: str) -> Any:
    """Local explanations as InterpretML's own methods give them: a bar for each term, and the intercept."""
    from interpret.api.templates import FeatureValueExplanation

    unknown = float("nan")
    classes = [str(label) for label in explanations._labels.classes.tolist()]
    specific = []
    for explanation in explanations:
        terms = explanation.terms
        found: dict[str, Any] = {
            "type": "univariate",
            "names": [term.name for term in terms],
            "scores": [term.contribution for term in terms],
            "values": [term.observed if term.observed is not None else term.value for term in terms],
            "extra": {"names": ["Intercept"], "scores": [explanation.intercept], "values": [1]},
        }
        predicted, sure = explanation.prediction, explanation.prediction
        if classes:
            predicted, sure = classes.index(str(explanation.prediction)), explanation.probability
            found["meta"] = {"label_names": classes}
        found["perf"] = {
            "is_classification": bool(classes),
            "actual": unknown,
            "actual_score": unknown,
            "predicted": predicted,
            "predicted_score": sure,
        }
        specific.append(found)
    return FeatureValueExplanation(
        "local",
        {"overall": None, "specific": specific, "mli": []},
        feature_names=explanations.feature_names,
        feature_types=["continuous"] * len(explanations.feature_names),
        name=name,
    )
