"""The result of an evaluation."""

from __future__ import annotations

import html
from pathlib import Path
from typing import Any


class Report:
    """Figures and a page: ``report["accuracy"]``, ``report.save("report.html")``, or shown in a notebook.

    Attributes
    ----------
    figures : the figures by their names in ``ngsll evaluate --json``.
    """

    def __init__(self, figures: dict[str, Any], page: str) -> None:
        self.figures = figures
        self._page = page

    def __getitem__(self, name: str) -> Any:
        return self.figures[name]

    def save(self, path: str | Path) -> None:
        """Writes the page, which needs no other file."""
        Path(path).write_text(self._page, encoding="utf-8")

    def _repr_html_(self) -> str:
        # The page has its own scripts and style, so it is kept in a frame.
        page = html.escape(self._page, quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:42rem;border:0" title="Report"></iframe>'

    def __repr__(self) -> str:
        numbers = {name: value for name, value in self.figures.items() if isinstance(value, (int, float))}
        return "\n".join(f"{name:24} {value:.4g}" for name, value in numbers.items())
