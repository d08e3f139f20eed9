"""Files that leave readtrack: one module per format, found by discovery. Pure: rows in, the whole text out.

A module is named like its format with "_" for "-" (csl_json.py is `csl-json`) and holds EXPORT.
"""

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache


@dataclass(frozen=True)
class ExportPaper:
    """One paper as every format sees it. Whoever gathers it has asked the policy: nothing here is hidden any more."""

    id: int
    kind: str
    title: str
    authors: tuple[str, ...] = ()
    year: int | None = None
    published_on: date | None = None
    venue: str = ""
    abstract: str = ""
    language: str = ""
    identifiers: tuple[tuple[str, str], ...] = ()  # (scheme, key)
    links: tuple[tuple[str, str], ...] = ()  # (address, role)
    topics: tuple[str, ...] = ()
    summaries: tuple[tuple[str, str, str], ...] = ()  # (person, tldr, Markdown), shared ones only
    reading: Mapping[str, object] | None = None  # my own, in the shape of GET /papers/{id}/reading
    added_on: date | None = None

    def key(self, scheme: str) -> str:
        """The first key of that scheme, or nothing."""
        return next((key for known, key in self.identifiers if known == scheme), "")


@dataclass(frozen=True)
class Export:
    """One format. `suffix` is that of a file, with its dot."""

    media_type: str
    suffix: str
    render: Callable[[Sequence[ExportPaper]], str]


@cache
def all_exports() -> Mapping[str, Export]:
    """Every format by its name. A module here without EXPORT fails at start, on purpose."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return {name.replace("_", "-"): importlib.import_module(f"{__name__}.{name}").EXPORT for name in names}
