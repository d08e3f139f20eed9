"""Files that leave readtrack: one module per format, found by discovery. Pure: papers in, the text out in pieces.

A module is named like its format with "_" for "-" (csl_json.py is `csl-json`) and holds EXPORT.
"""

import importlib
import pkgutil
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache

_JOURNAL = re.compile(
    r"\b(?:journal|transactions|trans|letters|magazine|review|communications|vldb|pvldb|cacm|jmlr|tmlr|tpds|tocs|tods)\b",
    re.IGNORECASE,
)


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

    @property
    def address(self) -> str:
        """Where it can be opened: its landing page, else the first of its links, else nothing."""
        landing = [url for url, role in self.links if role == "landing"]
        return next(iter([*landing, *(url for url, _ in self.links)]), "")

    @property
    def in_journal(self) -> bool:
        """Whether its venue is called like a journal."""
        return _JOURNAL.search(self.venue) is not None


def one_line(text: str) -> str:
    """One line without control characters: nothing in it ends its field."""
    visible = "".join(" " if unicodedata.category(letter) in {"Cc", "Cs", "Zl", "Zp"} else letter for letter in text)
    return " ".join(visible.split())


def remove_separators(text: str) -> str:
    """The text without the signs at which lists of names are divided: where no other sign keeps one name whole."""
    return one_line(re.sub("[,;]", " ", text))


@dataclass(frozen=True)
class Export:
    """One format. `suffix` is that of a file, with its dot.

    `render` takes the papers one by one, the oldest first, and keeps none: a library of any size leaves in little room.
    """

    media_type: str
    suffix: str
    render: Callable[[Iterable[ExportPaper]], Iterator[str]]

    def whole(self, papers: Iterable[ExportPaper]) -> str:
        """All of it as one text: for few papers."""
        return "".join(self.render(papers))


@cache
def all_exports() -> Mapping[str, Export]:
    """Every format by its name. A module here without EXPORT fails at start, on purpose."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return {name.replace("_", "-"): importlib.import_module(f"{__name__}.{name}").EXPORT for name in names}
