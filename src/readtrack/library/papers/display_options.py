"""Display options of paper lists (list, table, board, groups, columns), all stored in the URL."""

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
# Optional columns; the title and my status are always shown.
COLUMNS: Mapping[str, str] = {
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
FIRST_COLUMNS = ("authors", "venue", "year", "topics", "readers", "added")  # default
SORTED_BY: Mapping[str, str] = {"title": "title", "year": "year", "added": "added", "updated": "updated"}
_SEVERAL = frozenset({"topic"})  # a paper can have several
_FALLING = frozenset({"year", "added", "updated"})  # newest first by default
_BARE = re.compile(r'[^\s"(),|\\]+')


class DisplayLink(NamedTuple):
    """A choice as a link. `on`: it is the current one."""

    text: str
    href: str
    on: bool = False
    status: str = ""  # reading status whose icon is shown


@dataclass(frozen=True)
class DisplayOptions:
    """The query and its display, as stored in a URL or a saved search."""

    q: str = ""
    sort: str = ""
    display: str = "list"
    grouping: str = ""
    columns: tuple[str, ...] = ()  # empty: FIRST_COLUMNS

    @property
    def shown_columns(self) -> tuple[str, ...]:
        return self.columns or FIRST_COLUMNS

    def address(self, **cursor: str) -> str:
        """Return the URL; `cursor` holds the pagination parameters."""
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
        """Return the options with a term added to the query, ungrouped because the term may name a group."""
        return replace(self, q=add_term(self.q, said), grouping="")

    def but(self, **changed: Any) -> "DisplayOptions":  # noqa: ANN401 - any of its fields
        return replace(self, **changed)


def parse_display_options(
    q: str, sort: str, *, display: str = "", group: str = "", columns: Iterable[str] = ()
) -> DisplayOptions:
    """Parse options from a URL; unknown sorts, displays, groups and columns are ignored."""
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
    """Return the unknown choices in a URL, which parsing ignores, as (parameter, value)."""
    choices = {"sort": (sort, is_sort_key(sort)), "display": (display, display in DISPLAYS)}
    choices["group"] = (group, group in GROUPINGS)
    unknown = [(name, value) for name, (value, known) in choices.items() if value and not known]
    return unknown + [("columns", name) for name in _split_columns(columns) if name and name not in COLUMNS]


def _split_columns(columns: Iterable[str]) -> list[str]:
    return [name.strip() for text in columns for name in text.split(",")]


def with_filter(wanted: DisplayOptions, name: str, value: str) -> DisplayLink:
    """Return a link that toggles the filter `name:value`.

    It replaces another value of the same filter, except for topics, of which a paper may have several.
    """
    q, on = toggle_term(wanted.q, name, value, said=f"{name}:{quote_value(value)}", alone=name not in _SEVERAL)
    return DisplayLink(value, wanted.but(q=q).address(), on)


def quote_value(value: str) -> str:
    """Quote a value for the query language, unless it is a plain word."""
    plain = value.replace("\\", "\\\\").replace('"', '\\"')
    return value if _BARE.fullmatch(value) else f'"{plain}"'


def status_links(wanted: DisplayOptions) -> list[DisplayLink]:
    """Return links that filter by my reading status."""
    return [with_filter(wanted, "status", name)._replace(text=WORDS[name], status=name) for name in STATUSES]


def display_links(wanted: DisplayOptions) -> list[tuple[str, DisplayLink]]:
    """Return links to the list, table and board of the same query.

    Grouping is dropped to or from a board.
    """
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
    """Return links for each grouping, including none."""
    every = {"": N_("No groups"), **GROUPINGS}
    return [
        DisplayLink(word, wanted.but(grouping=name).address(), name == wanted.grouping) for name, word in every.items()
    ]


def sort_link(wanted: DisplayOptions, column: str) -> DisplayLink | None:
    """Return a link that sorts by a column or reverses it; None if the column is not sortable."""
    name = SORTED_BY.get(column)
    if name is None:
        return None
    now, falling = current_sort(wanted)
    turned = f"{name}-{'asc' if falling else 'desc'}" if now == name else name
    return DisplayLink(column, wanted.but(q=remove_filter(wanted.q, "sort"), sort=turned).address(), now == name)


def current_sort(wanted: DisplayOptions) -> tuple[str, bool]:
    """Return the sort's name and whether it is descending; `sort:` in the query takes precedence."""
    said = find_filter_value(wanted.q, "sort").casefold()
    name, _, way = (said or wanted.sort or "added").partition("-")
    return name, way == "desc" if way else name in _FALLING
