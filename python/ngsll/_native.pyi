"""The native half; private."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

VERSION: str

_Array = np.ndarray[Any, Any]

class Samples:
    @staticmethod
    def from_matrix(matrix: _Array, names: list[str]) -> Samples: ...
    @staticmethod
    def from_columns(columns: list[tuple[str, str, Any]]) -> Samples: ...
    @staticmethod
    def from_arrow(table: Any) -> Samples: ...
    @staticmethod
    def from_texts(texts: list[str]) -> Samples: ...
    @staticmethod
    def from_images(images: _Array) -> Samples: ...
    def names(self) -> list[str]: ...
    def __len__(self) -> int: ...

class ArrowStream:
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...
    def __len__(self) -> int: ...

class Explanations:
    rows: _Array
    outputs: list[str]
    predicted: _Array
    predictions: _Array
    probabilities: _Array
    scores: _Array
    intercepts: _Array
    def __len__(self) -> int: ...
    def select(self, places: list[int]) -> Explanations: ...
    def terms(self) -> dict[str, Any]: ...
    def json(self, place: int) -> str: ...
    def view(self, place: int) -> tuple[str, Any]: ...
    def cards(self, id: str, k: int) -> str: ...
    def page(self, title: str, k: int) -> str: ...
    def terminal(self, place: int, colour: bool, width: int) -> str: ...
    def arrow(self) -> ArrowStream: ...

class Model:
    task: str
    k: int
    largest_k: int
    classes: list[str]
    outputs: list[str]
    features: list[str]
    columns: list[tuple[str, str]]
    image_size: tuple[int, int, int] | None
    evidence: str
    options: str
    required: list[str]
    history: list[tuple[int, int, float, float, float]]
    has_judge: bool
    trust: str
    @staticmethod
    def load(folder: Path) -> Model: ...
    def save(self, folder: Path, overwrite: bool) -> None: ...
    def findings(self, way_out: Callable[[str, str | None, str], str | None]) -> list[str]: ...
    def check_k(self, k: int | None = None) -> int: ...
    def predict(
        self, samples: Samples, k: int | None = None, threads: int | None = None
    ) -> tuple[_Array, _Array, _Array, list[str]]: ...
    def explain(
        self, samples: Samples, k: int | None = None, threads: int | None = None, labels: Any = None
    ) -> tuple[Explanations, list[str]]: ...
    def explain_arrow(
        self, samples: Samples, k: int | None = None, threads: int | None = None
    ) -> tuple[ArrowStream, list[str]]: ...
    def evaluate(
        self,
        samples: Samples,
        labels: Any,
        k: int | None = None,
        threads: int | None = None,
        name: str = ...,
        data: str = ...,
    ) -> tuple[str, str, Model, list[str]]: ...

def defaults(task: str, options: list[tuple[str, str]] = ...) -> str: ...
def option_table() -> list[tuple[str, str | None, str]]: ...
def fit(
    task: str,
    options: list[tuple[str, str]],
    samples: Samples,
    labels: Any,
    weights: _Array | None = None,
    valid: tuple[Samples, Any] | None = None,
    progress: Any = None,
    threads: int | None = None,
    vectors: tuple[list[str], _Array] | None = None,
    regions: _Array | None = None,
) -> tuple[Model, bool]: ...
def fit_judge(
    model: Model,
    samples: Samples,
    labels: Any,
    weights: _Array | None = None,
    progress: Any = None,
    threads: int | None = None,
    vectors: tuple[list[str], _Array] | None = None,
) -> Model: ...
