"""Display options of paper lists (list, table, board, groups, columns), all stored in the URL."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple
from urllib.parse import urlencode

from readtrack import search
from readtrack.infra.i18n import N_
from readtrack.infra.models import STATUSES
from readtrack.infra.models.columns import DISPLAYS
from readtrack.library.papers.lists import PLAIN_SORTS, get_sort_order
from readtrack.library.papers.query_edit import add_term, remove_filter, toggle_term
from readtrack.reading.readings.status_transitions import WORDS
from readtrack.search.qualifiers import is_sort_key

STATUS_WORDS: Mapping[str, str] = {
    "to_read": N_("To read"),
    "reading": N_("Reading"),
    "paused": N_("Paused"),
    "read": N_("Read"),
    "dropped": N_("Dropped"),
}
PUBLICATION_TYPE_WORDS: Mapping[str, str] = {
    "journal_article": N_("journal article"),
    "conference_paper": N_("conference paper"),
    "book": N_("book"),
    "chapter": N_("book chapter"),
    "thesis": N_("thesis"),
    "masters_thesis": N_("master’s thesis"),
    "report": N_("report"),
}
DISPLAY_WORDS: Mapping[str, str] = {"list": N_("List"), "table": N_("Table"), "board": N_("Board")}
GROUPINGS: Mapping[str, str] = {
    "status": N_("Status"),
    "topic": N_("Topic"),
    "venue": N_("Venue"),
    "year": N_("Year"),
    "reader": N_("Read by"),
}
# Optional columns; the title and my status are always shown.
COLUMNS: Mapping[str, str] = {
    "authors": N_("Authors"),
    "venue": N_("Venue"),
    "year": N_("Year"),
    "kind": N_("Type"),
    "topics": N_("Topics"),
    "readers": N_("Read by"),
    "progress": N_("Progress"),
    "summaries": N_("Summaries"),
    "identifier": N_("Identifier"),
    "language": N_("Language"),
    "added": N_("Date added"),
    "updated": N_("Date modified"),
}
FIRST_COLUMNS = ("authors", "venue", "year", "topics", "readers", "added")  # default
SORTED_BY: Mapping[str, str] = {"title": "title", "year": "year", "added": "added", "updated": "updated"}
SORT_WORDS: Mapping[str, str] = {
    "relevance": N_("Best match"),
    "added": N_("Date added"),
    "updated": N_("Date modified"),
    "year": N_("Year"),
    "title": N_("Title"),
    "status": N_("My status"),
    "readers": N_("Read by"),
    "due": N_("Due date"),
    "near": N_("Similarity"),
}
_SEVERAL = frozenset({"topic"})  # a paper can have several
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
        parameters = {
            "q": self.q,
            "sort": "" if board else self.sort,
            "display": "" if self.display in {"list", "board"} else self.display,
            "group": self.grouping,
            "columns": ",".join(self.columns) if self.display == "table" else "",
            **cursor,
        }
        nonempty = {name: text for name, text in parameters.items() if text}
        path = "/board" if board else "/papers"
        return f"{path}?{urlencode(nonempty)}" if nonempty else path

    def with_term(self, term: str) -> "DisplayOptions":
        """Return the options with a term added to the query, ungrouped because the term may name a group."""
        return replace(self, q=add_term(self.q, term), grouping="")

    def with_changes(self, **changes: Any) -> "DisplayOptions":  # noqa: ANN401 - any of its fields
        return replace(self, **changes)


def parse_display_options(
    query: str, sort: str, *, display: str = "", group: str = "", columns: Iterable[str] = ()
) -> DisplayOptions:
    """Parse options from a URL; unknown sorts, displays, groups and columns are ignored."""
    return DisplayOptions(
        q=query.strip(),
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
    unknown = [(name, value) for name, (value, is_known) in choices.items() if value and not is_known]
    return unknown + [("columns", name) for name in _split_columns(columns) if name and name not in COLUMNS]


def _split_columns(columns: Iterable[str]) -> list[str]:
    return [name.strip() for text in columns for name in text.split(",")]


def with_filter(options: DisplayOptions, name: str, value: str) -> DisplayLink:
    """Return a link that toggles the filter `name:value`.

    It replaces another value of the same filter, except for topics, of which a paper may have several.
    """
    query, is_active = toggle_term(
        options.q, name, value, term=f"{name}:{quote_value(value)}", exclusive=name not in _SEVERAL
    )
    return DisplayLink(value, options.with_changes(q=query).address(), is_active)


def quote_value(value: str) -> str:
    """Quote a value for the query language, unless it is a plain word."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return value if _BARE.fullmatch(value) else f'"{escaped}"'


def status_links(options: DisplayOptions) -> list[DisplayLink]:
    """Return links that filter by my reading status."""
    return [with_filter(options, "status", name)._replace(text=WORDS[name], status=name) for name in STATUSES]


def display_links(options: DisplayOptions) -> list[tuple[str, DisplayLink]]:
    """Return links to the list, table and board of the same query.

    Grouping is dropped to or from a board.
    """
    ungrouped = options.with_changes(grouping="")
    return [
        (
            name,
            DisplayLink(
                word,
                (ungrouped if "board" in {name, options.display} else options).with_changes(display=name).address(),
                name == options.display,
            ),
        )
        for name, word in DISPLAY_WORDS.items()
    ]


def group_links(options: DisplayOptions) -> list[DisplayLink]:
    """Return links for each grouping, including none."""
    groupings = {"": N_("None"), **GROUPINGS}
    return [
        DisplayLink(word, options.with_changes(grouping=name).address(), name == options.grouping)
        for name, word in groupings.items()
    ]


def sort_link(options: DisplayOptions, column: str) -> DisplayLink | None:
    """Return a link that sorts by a column or reverses it; None if the column is not sortable."""
    name = SORTED_BY.get(column)
    if name is None:
        return None
    current, is_descending = current_sort(options)
    new_sort = f"{name}-{'asc' if is_descending else 'desc'}" if current == name else name
    return DisplayLink(
        column, options.with_changes(q=remove_filter(options.q, "sort"), sort=new_sort).address(), current == name
    )


def current_sort(options: DisplayOptions) -> tuple[str, bool]:
    """Return the sort's name and whether it is descending; `sort:` in the query takes precedence."""
    try:
        name, is_descending = get_sort_order(search.parse(options.q), options.sort)
    except search.QueryError:  # The page shows the error instead of papers.
        name, is_descending = "added", True
    return ("added", True) if options.grouping and name not in PLAIN_SORTS else (name, is_descending)


def sort_links(options: DisplayOptions) -> list[DisplayLink]:
    """Return links that sort by each key: those of the table's columns, best match for words, and the current one."""
    current, _ = current_sort(options)
    unsorted = options.with_changes(q=remove_filter(options.q, "sort"), sort="")
    default, _ = current_sort(unsorted)
    names = dict.fromkeys([default, "added", "updated", "year", "title", current])
    return [
        DisplayLink(SORT_WORDS[name], unsorted.with_changes(sort="" if name == default else name).address())
        if name != current
        else DisplayLink(SORT_WORDS[name], options.address(), on=True)
        for name in names
    ]


def direction_links(options: DisplayOptions) -> list[DisplayLink]:
    """Return links to both directions of the current sort; none where only one is of use."""
    current, is_descending = current_sort(options)
    if current in {"relevance", "near"}:
        return []
    unsorted = options.with_changes(q=remove_filter(options.q, "sort"))
    return [
        DisplayLink(
            word,
            unsorted.with_changes(sort=f"{current}-{direction}").address(),
            is_descending == (direction == "desc"),
        )
        for direction, word in (("asc", N_("Ascending")), ("desc", N_("Descending")))
    ]
