"""The progress of a training run."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from typing import Any

logger = logging.getLogger("ngsll")

Progress = Callable[[str, int, int, int, int, "float | None", "float | None"], None]


class Bar:
    """A bar of the epochs: tqdm's where it is installed, in notebooks and terminals; else lines on stderr."""

    def __init__(self, verbose: bool) -> None:
        self._bar: Any = None
        self._verbose = verbose

    def __call__(
        self, phase: str, epoch: int, epochs: int, step: int, steps: int, loss: float | None, metric: float | None
    ) -> None:
        if phase == "epoch":
            logger.info("epoch %d of %d: validation loss %.4f, metric %.4f", epoch, epochs, loss, metric)
        elif phase == "fold":
            logger.info("cross-validation, which finds out how long to train: epoch %d of at most %d", epoch, epochs)
        if self._verbose:
            self._show(phase, epoch, epochs, step, steps, loss, metric)

    def _show(
        self, phase: str, epoch: int, epochs: int, step: int, steps: int, loss: float | None, metric: float | None
    ) -> None:
        title = {"fold": "folds", "terms": "terms"}.get(phase, "epochs")
        if self._bar is None or self._bar.desc != title:
            self.close()
            self._bar = _tqdm(title, epochs)
        done = epoch + (step / steps if steps else 0.0)
        self._bar.total = max(epochs, 1)
        if loss is not None:
            self._bar.set_postfix(loss=f"{loss:.4f}", metric=f"{metric:.4f}", refresh=False)
        self._bar.update(round(done, 3) - self._bar.n)

    def close(self) -> None:
        """Ends the bar."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None


def _tqdm(title: str, total: int) -> Any:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _Lines(title, total)
    return tqdm(desc=title, total=total, bar_format="{desc}: {percentage:3.0f} %|{bar}| {elapsed}{postfix}")


class _Lines:
    """Where tqdm is not installed: a line for each tenth."""

    def __init__(self, desc: str, total: int) -> None:
        self.desc, self.total, self.n = desc, total, 0.0
        self._said, self._postfix = -1, ""

    def set_postfix(self, refresh: bool = True, **figures: str) -> None:
        self._postfix = ", ".join(f"{name} {figure}" for name, figure in figures.items())

    def update(self, by: float) -> None:
        self.n += by
        tenth = int(10 * self.n / max(self.total, 1))
        if tenth > self._said:
            self._said = tenth
            print(f"{self.desc}: {10 * tenth} % {self._postfix}".rstrip(), file=sys.stderr)

    def close(self) -> None:
        pass
