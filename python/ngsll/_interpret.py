"""Explanations for InterpretML's views."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._explanation import Explanations


def to_interpret(explanations: Explanations, name: str) -> Any:
    """Local explanations as InterpretML's own methods give them: a bar for each term, and the intercept."""
    from interpret.api.templates import FeatureValueExplanation

    specific = []
    for explanation in explanations:
        terms = explanation.terms
        specific.append(
            {
                "type": "univariate",
                "names": [term.name for term in terms],
                "scores": [term.contribution for term in terms],
                "values": [term.observed if term.observed is not None else term.value for term in terms],
                "extra": {"names": ["Intercept"], "scores": [explanation.intercept], "values": [1]},
                "perf": {
                    "is_classification": explanation.probability is not None,
                    "actual": None,
                    "predicted": explanation.prediction,
                    "actual_score": None,
                    "predicted_score": explanation.probability
                    if explanation.probability is not None
                    else explanation.prediction,
                },
                "meta": {"label_names": None},
            }
        )
    return FeatureValueExplanation(
        "local",
        {"overall": None, "specific": specific, "mli": []},
        feature_names=explanations.feature_names,
        feature_types=["continuous"] * len(explanations.feature_names),
        name=name,
    )
