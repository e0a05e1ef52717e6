"""Warnings of this package."""

from __future__ import annotations

import warnings
from collections.abc import Iterable


class NgsllWarning(UserWarning):
    """A notable property of the data; :mod:`warnings` filters it by this class."""


def warn(sentences: Iterable[str], stacklevel: int = 3) -> None:
    """Warns of each sentence, as of the user's own line."""
    for sentence in sentences:
        warnings.warn(sentence, NgsllWarning, stacklevel=stacklevel)
