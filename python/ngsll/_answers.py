"""The answers: the user's own labels, and the names that the library has for them."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._options import class_text

NUMBERS = "numbers"


class Labels:
    """The classes of a model as the user's values, sorted, and each one's number in the model's own order.

    Without classes the answers are numbers.
    """

    def __init__(self, classes: np.ndarray[Any, Any], names: list[str]) -> None:
        self.classes = classes
        self._names = names
        place = {name: number for number, name in enumerate(names)}
        # For each of the user's classes its number in the model.
        self._numbers = np.array([place[class_text(value)] for value in classes], dtype=np.int64)

    @classmethod
    def from_names(cls, names: list[str]) -> Labels:
        """For a model that comes from a folder: names that are whole numbers, numbers or truth values are those."""
        if names and all(name in ("false", "true") for name in names):
            return cls(np.array(sorted(name == "true" for name in names)), names)
        for kind in (int, float):
            try:
                values = [kind(name) for name in names]
            except ValueError:
                continue
            if names and [class_text(value) for value in values] == names:
                return cls(np.array(sorted(values)), names)
        return cls(np.array(sorted(names)), names)

    def values(self, numbers: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """The user's values for classes by their numbers in the model; numbers themselves in regression."""
        if len(self.classes) == 0:
            return numbers
        order = np.argsort(self._numbers)
        picked: np.ndarray[Any, Any] = self.classes[order[numbers.astype(np.int64)]]
        return picked

    def in_order(self, columns: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        """Columns by the model's order of the classes, in the order of the user's."""
        return columns if self.is_ordered else columns[:, self._numbers]

    @property
    def is_ordered(self) -> bool:
        """Whether the model's order is the user's."""
        return bool((self._numbers == np.arange(len(self._numbers))).all())

    def number(self, label: Any) -> int:
        """The number of one of the user's classes in the model."""
        for value, number in zip(self.classes, self._numbers, strict=True):
            if value == label or class_text(value) == label:
                return int(number)
        known = ", ".join(class_text(value) for value in self.classes)
        raise ValueError(f"{label!r} is not a class of this model, expected one of {known}")

    def encode(self, y: Any) -> Any:
        """Answers as the native half reads them."""
        if len(self.classes) == 0:
            return np.ascontiguousarray(np.asarray(y, dtype=np.float64).reshape(-1))
        values = np.asarray(y).reshape(-1)
        place = {class_text(value): number for value, number in zip(self.classes, self._numbers, strict=True)}
        numbers = np.empty(len(values), dtype=np.int64)
        for row, value in enumerate(values.tolist()):
            number = place.get(class_text(value))
            if number is None:
                known = ", ".join(place)
                raise ValueError(f"sample {row}: label {value!r} is not one of {known}")
            numbers[row] = number
        return list(self._names), numbers


def to_learn(y: Any) -> tuple[np.ndarray[Any, Any], Any]:
    """The classes of labels, sorted, and the labels as the native half reads them."""
    values = np.asarray(y)
    classes, numbers = np.unique(values, return_inverse=True)
    names = [class_text(value) for value in classes.tolist()]
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"two labels are written {twice!r}; labels of several types cannot be told apart")
    return classes, (names, numbers.reshape(-1).astype(np.int64))
