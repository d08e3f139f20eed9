"""How papers are shown: as list, table or board, in groups, in columns; all of it stands in the address. Pure."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple
from urllib.parse import urlencode

from readtrack.infra.i18n import N_
from readtrack.infra.models import STATUSES
from readtrack.infra.models.columns import DISPLAYS
from readtrack.library.papers.query_edit import add_term, find_filter_value, remove_filter, toggle_term
from readtrack.reading.readings.status_rules import WORDS
from readtrack.search.qualifiers import is_sort_key

STATUS_WORDS: Mapping[str, str] = {
    "to_read": N_("To read"),
    "reading": N_("Reading"),
    "paused": N_("Paused"),
    "read": N_("Read"),
    "dropped": N_("Dropped"),
}
DISPLAY_WORDS: Mapping[str, str] = {"list": N_("List"), "table": N_("Table"), "board": N_("Board")}
GROUPINGS: Mapping[str, str] = {
    "status": N_("Status"),
    "topic": N_("Topic"),
    "venue": N_("Venue"),
    "year": N_("Year"),
    "reader": N_("Reader"),
}
COLUMNS: Mapping[str, str] = {  # of the table, besides the title and my status, which are always there
    "authors": N_("Authors"),
    "venue": N_("Venue"),
    "year": N_("Year"),
    "kind": N_("Kind"),
    "topics": N_("Topics"),
    "readers": N_("Read by"),
    "progress": N_("Progress"),
    "summaries": N_("Summaries"),
    "identifier": N_("Identifier"),
    "language": N_("Language"),
    "added": N_("Added"),
    "updated": N_("Updated"),
}
FIRST_COLUMNS = ("authors", "venue", "year", "topics", "readers", "added")  # until somebody chooses others
SORTED_BY: Mapping[str, str] = {"title": "title", "year": "year", "added": "added", "updated": "updated"}
_SEVERAL = frozenset({"topic"})  # what a paper may have many of
_FALLING = frozenset({"year", "added", "updated"})  # begin with the newest when nothing is said
_BARE = re.compile(r'[^\s"(),|\\]+')


class DisplayLink(NamedTuple):
    """A choice as a link. `on`: it is the present one."""

    text: str
    href: str
    on: bool = False
    status: str = ""  # whose glyph stands before it


@dataclass(frozen=True)
class DisplayOptions:
    """What of the library is shown and how: what stands in an address, and what a saved view keeps."""

    q: str = ""
    sort: str = ""
    display: str = "list"
    grouping: str = ""
    columns: tuple[str, ...] = ()  # none: FIRST_COLUMNS

    @property
    def shown_columns(self) -> tuple[str, ...]:
        return self.columns or FIRST_COLUMNS

    def address(self, **cursor: str) -> str:
        """Its page; `cursor` says which page of it."""
        board = self.display == "board"
        said = {
            "q": self.q,
            "sort": "" if board else self.sort,
            "display": "" if self.display in {"list", "board"} else self.display,
            "group": self.grouping,
            "columns": ",".join(self.columns) if self.display == "table" else "",
            **cursor,
        }
        kept = {name: text for name, text in said.items() if text}
        path = "/board" if board else "/papers"
        return f"{path}?{urlencode(kept)}" if kept else path

    def within(self, said: str) -> "DisplayOptions":
        """The same question, and that as well; without groups, as it may be one of them."""
        return replace(self, q=add_term(self.q, said), grouping="")

    def but(self, **changed: Any) -> "DisplayOptions":  # noqa: ANN401 - fields of its own
        return replace(self, **changed)


def parse_display_options(
    q: str, sort: str, *, display: str = "", group: str = "", columns: Iterable[str] = ()
) -> DisplayOptions:
    """What an address asks for; an order, display, group or column that there is not is overlooked."""
    return DisplayOptions(
        q=q.strip(),
        sort=sort if is_sort_key(sort) else "",
        display=display if display in DISPLAYS else "list",
        grouping=group if group in GROUPINGS else "",
        columns=tuple(dict.fromkeys(name for name in _split_columns(columns) if name in COLUMNS)),
    )


def unknown_choices(
    sort: str, *, display: str = "", group: str = "", columns: Iterable[str] = ()
) -> list[tuple[str, str]]:
    """What an address asks for though there is no such thing, as names and values: `showing` overlooks it."""
    choices = {"sort": (sort, is_sort_key(sort)), "display": (display, display in DISPLAYS)}
    choices["group"] = (group, group in GROUPINGS)
    unknown = [(name, value) for name, (value, known) in choices.items() if value and not known]
    return unknown + [("columns", name) for name in _split_columns(columns) if name and name not in COLUMNS]


def _split_columns(columns: Iterable[str]) -> list[str]:
    return [name.strip() for text in columns for name in text.split(",")]


def with_filter(wanted: DisplayOptions, name: str, value: str) -> DisplayLink:
    """A link that adds `name:value` to the question, or takes it out again.

    What a paper has one of replaces what the question says of it; of topics a paper may have several.
    """
    q, on = toggle_term(wanted.q, name, value, said=f"{name}:{quote_value(value)}", alone=name not in _SEVERAL)
    return DisplayLink(value, wanted.but(q=q).address(), on)


def quote_value(value: str) -> str:
    """A value as the language of searches reads it: in quotes, unless it is one plain word."""
    plain = value.replace("\\", "\\\\").replace('"', '\\"')
    return value if _BARE.fullmatch(value) else f'"{plain}"'


def status_links(wanted: DisplayOptions) -> list[DisplayLink]:
    """My statuses, as links that narrow the question down."""
    return [with_filter(wanted, "status", name)._replace(text=WORDS[name], status=name) for name in STATUSES]


def display_links(wanted: DisplayOptions) -> list[tuple[str, DisplayLink]]:
    """List, table and board of the same question, by name. A board has groups of its own."""
    plain = wanted.but(grouping="")
    return [
        (
            name,
            DisplayLink(
                word,
                (plain if "board" in {name, wanted.display} else wanted).but(display=name).address(),
                name == wanted.display,
            ),
        )
        for name, word in DISPLAY_WORDS.items()
    ]


def group_links(wanted: DisplayOptions) -> list[DisplayLink]:
    """The groups there may be, none among them."""
    every = {"": N_("No groups"), **GROUPINGS}
    return [
        DisplayLink(word, wanted.but(grouping=name).address(), name == wanted.grouping) for name, word in every.items()
    ]


def sort_link(wanted: DisplayOptions, column: str) -> DisplayLink | None:
    """Sorts by that column of the table, the other way round when it does so already; None for one that cannot."""
    name = SORTED_BY.get(column)
    if name is None:
        return None
    now, falling = current_sort(wanted)
    turned = f"{name}-{'asc' if falling else 'desc'}" if now == name else name
    return DisplayLink(column, wanted.but(q=remove_filter(wanted.q, "sort"), sort=turned).address(), now == name)


def current_sort(wanted: DisplayOptions) -> tuple[str, bool]:
    """The name of the order, and whether it falls; a `sort:` in the question wins."""
    said = find_filter_value(wanted.q, "sort").casefold()
    name, _, way = (said or wanted.sort or "added").partition("-")
    return name, way == "desc" if way else name in _FALLING
