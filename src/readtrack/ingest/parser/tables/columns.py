"""Roles of table columns: by their headings, or else by their contents."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import pairwise
from statistics import fmean

from readtrack.infra.text.titles.clean import names_a_paper
from readtrack.infra.text.titles.dates import YEAR, iso_date, iso_day
from readtrack.infra.text.titles.marks import rating_of, status_of
from readtrack.ingest.parser.items.find_links import TextLink
from readtrack.ingest.parser.items.title_runs import are_titles, look_like_titles
from readtrack.ingest.parser.tables.cells import TableCell, is_nothing, name_of, word_count
from readtrack.ingest.parser.tables.column_names import role_of
from readtrack.ingest.parser.vocabulary.venues import match_venue, take_tag

_ARXIV_MONTH = re.compile(r"(\d\d)(\d\d)\.")
_MONTHS_BEFORE, _MONTHS_AFTER = 2, 24  # months: submitted before it was announced, published long after
SAMPLE_ROWS = 40  # rows inspected to determine the columns
_MAJORITY, _SOME = 0.6, 0.3
# words per cell on average: below, remarks next to links, not titles; above, references, not venues
_FEW_WORDS, _MANY_WORDS = 2, 5
_NUMBERED = re.compile(r"\W{0,3}(?:[A-Za-z]{0,6}[-.]?[A-Za-z]?[-.]?\d{1,4}(?:[-.]\d{1,4})?)?\W{0,3}")
_WEEK = 7  # days
_EMPTY = TableCell.from_text("")
_ABOUT_PAPERS = frozenset({"venue", "authors", "abstract", "publication"})
_SURE = frozenset({"title", "paper"})
_PRESENTER = re.compile(
    r"presenters?|presented by|presenting|speakers?|discussion leads?|discussants?|led by|"
    r"主讲人?|主講人?|汇报人|報告人|报告人|分享人|分享者|讲者|講者|发言人|発表者|発表|担当|話者|발표자|발표|докладчик",
    re.IGNORECASE,
)
_PUBLISHED = re.compile(r"publi|releas|出版|发表|發表|発行", re.IGNORECASE)
_BESIDE_TITLES = frozenset({"venue", "authors", "date", "read_on", "status", "rating"})
_BESIDE_SURE_TITLES = _BESIDE_TITLES | {"notes", "topic", "code", "affiliation"}
_ALSO_CONTENTS = frozenset({"", "status", "number"})  # roles of headings such as "done", which cells may contain too
_MAY_HOLD_TITLES = frozenset({"", "media"})  # "Talk" may be its title, or its slides
_MAY_HOLD_VENUES = frozenset({"", "link", "notes", "affiliation", "media"})
_KEPT = frozenset({"date", "read_on", "status"})  # columns typical of reading lists
_HOLD_NAMES = frozenset({"title", "name", "paper"})
_SOURCES = frozenset({"source", "来源", "來源", "出典"})
_MONTH_AND_DAY = re.compile(r"(?:0?[1-9]|1[0-2])[-/.](?:1[3-9]|[23]\d)")


def is_far_from_arxiv_month(date: str, link: TextLink) -> bool:
    """Return True if the date is not the publication date but that of a reading or talk."""
    return _months_apart(date, link) not in range(-_MONTHS_BEFORE, _MONTHS_AFTER + 1)


def _months_apart(date: str, link: TextLink) -> int:
    """Return the months between date and arXiv id, 0 if unknown."""
    month = _ARXIV_MONTH.match(link.ref.key) if link.ref.scheme == "arxiv" else None
    if month is None or len(date) < len("2023-05"):
        return 0
    return (int(date[:4]) - 2000 - int(month[1])) * 12 + int(date[5:7]) - int(month[2])


@dataclass(frozen=True)
class Columns:
    """The columns of a table.

    `roles`: one per column, "" if unknown. `papers`: the headings say that each row is a paper. `lists_names`: each row
    is a method, model, tool, … `is_item_list`: no headings, but each row has a date or status, and some rows clearly
    name papers. `shared`: identifiers linked by titles of several rows, such as a list of accepted papers.
    """

    roles: tuple[str, ...] = ()
    headings: tuple[str, ...] = ()
    papers: bool = False
    lists_names: bool = False
    is_item_list: bool = False
    shared: frozenset[str] = frozenset()
    _index_by_role: dict[str, int] = field(default_factory=dict, compare=False)

    def index_of(self, role: str) -> int | None:
        """Return the first column of that role."""
        return self._index_by_role.get(role)

    def role(self, column: int) -> str:
        return self.roles[column] if column < len(self.roles) else ""

    def heading(self, column: int) -> str:
        return self.headings[column] if column < len(self.headings) else ""


def infer_columns(headings: Sequence[str], rows: Sequence[Sequence[TableCell]]) -> Columns:
    """Determine the columns. Without headings, only the cells are used."""
    width = max([len(headings), *(len(row) for row in rows)], default=0)
    columns = [[row[column] if column < len(row) else _EMPTY for row in rows] for column in range(width)]
    heading_roles = [role_of(heading) for heading in headings] + [""] * (width - len(headings))
    if not _ABOUT_PAPERS.isdisjoint(heading_roles):
        sources = {index for index, heading in enumerate(headings) if _names_source(heading, columns[index])}
        heading_roles = ["venue" if index in sources else role for index, role in enumerate(heading_roles)]
    roles = _by_heading(heading_roles, columns) if any(heading_roles) else _by_content(columns)
    roles = beside = _with_titles(_with_venues(roles, columns), columns)
    is_presented = any(_PRESENTER.fullmatch(heading.strip(" *_`")) for heading in headings)
    is_presented = is_presented and not any(map(_PUBLISHED.search, headings))
    if "date" in roles and _are_of_something_else(columns[roles.index("date")], rows, is_presented=is_presented):
        roles = ["" if role == "date" else role for role in roles]
    index_by_role = {role: roles.index(role) for role in reversed(roles) if role}
    title_role = heading_roles[index_by_role["title"]] if "title" in index_by_role else ""
    titles = columns[index_by_role["title"]] if "title" in index_by_role else []
    return Columns(
        tuple(roles),
        tuple(headings),
        _are_papers(title_role, heading_roles) or _hold_titles(title_role, beside, titles),
        lists_names=title_role == "name" and not _hold_titles(title_role, beside, titles),
        is_item_list=not any(heading_roles) and _are_listed(index_by_role, titles),
        shared=_find_shared_identifiers(titles),
        _index_by_role=index_by_role,
    )


def _names_source(heading: str, cells: Sequence[TableCell]) -> bool:
    """Return True for a column "Source" without any address: where the papers appeared."""
    return heading.strip(" *_`").casefold() in _SOURCES and not any(any(cell.iter_links) for cell in cells)


def is_row(cells: Sequence[TableCell], rows: Sequence[Sequence[TableCell]]) -> bool:
    """Return True if the cells in the place of headings have the contents of the rows below."""
    has_headings = any(role_of(cell.text) not in _ALSO_CONTENTS for cell in cells)
    roles = () if has_headings else infer_columns((), rows).roles
    pairs = [(role, cell) for role, cell in zip(roles, cells, strict=False) if role]
    is_titled = any(role == "title" and look_like_titles([_title_text(cell)]) for role, cell in pairs)
    return is_titled and any(role == _of_content([cell]) for role, cell in pairs if role in _BESIDE_TITLES)


def _find_shared_identifiers(titles: Sequence[TableCell]) -> frozenset[str]:
    rows = Counter(name for cell in titles for name in {str(found.ref) for found in cell.iter_links})
    return frozenset(name for name, count in rows.items() if count > 1)


def _are_listed(index_by_role: Mapping[str, int], titles: Sequence[TableCell]) -> bool:
    return not _KEPT.isdisjoint(index_by_role) and any(
        names_a_paper(take_tag(cell.text_without_links.strip(" *_")).remainder) for cell in titles
    )


def _are_papers(title_role: str, heading_roles: Sequence[str]) -> bool:
    """Return True for a column of papers, or of titles in a table with a column that only papers have."""
    return title_role in {"paper", "publication"} or (
        title_role == "title" and ("paper" in heading_roles or not _ABOUT_PAPERS.isdisjoint(heading_roles))
    )


def _hold_titles(title_role: str, roles: Sequence[str], titles: Sequence[TableCell]) -> bool:
    """Return True for a column of titles by its contents: below "Title" or "Name", or beside a column about papers."""
    texts = _texts(titles)
    if title_role == "title":
        return (len(roles) == 1 or not _BESIDE_SURE_TITLES.isdisjoint(roles)) and look_like_titles(texts)
    if _BESIDE_TITLES.isdisjoint(roles):
        return False
    if title_role == "name":
        return look_like_titles(texts)
    return are_titles(texts) or ("venue" in roles and _weight(titles) >= _MANY_WORDS)


def _title_text(cell: TableCell) -> str:
    return cell.text_without_links or next(filter(None, map(name_of, cell.iter_links)), "")


def _with_venues(roles: list[str], columns: Sequence[Sequence[TableCell]]) -> list[str]:
    """Return the roles with a column that holds venues, whatever its heading is, if no heading says so."""
    if "venue" in roles:
        return roles
    candidates = (column for column, role in enumerate(roles) if role in _MAY_HOLD_VENUES)
    return _with_role(roles, "venue", (column for column in candidates if _of_content(columns[column]) == "venue"))


def _with_titles(roles: list[str], columns: Sequence[Sequence[TableCell]]) -> list[str]:
    """Return the roles with the titles in a column such as "Content" if no other holds any."""
    if not _HOLD_NAMES.isdisjoint(roles):
        return roles
    candidates = (column for column, role in enumerate(roles) if role == "notes")
    return _with_role(roles, "title", (column for column in candidates if are_titles(_texts(columns[column]))))


def _with_role(roles: list[str], role: str, columns: Iterator[int]) -> list[str]:
    """Return the roles with that one for the first of some columns, unchanged if there are none."""
    column = next(columns, None)
    return roles if column is None else [*roles[:column], role, *roles[column + 1 :]]


def _are_of_something_else(
    dates: Sequence[TableCell], rows: Sequence[Sequence[TableCell]], *, is_presented: bool
) -> bool:
    """Return True if the dates are those of readings or talks.

    They are days beside presenters, have no year (`10-16`), are whole weeks apart, or far from their papers' dates.
    """
    texts = [cell.text.strip() for cell in dates]
    has_days = any(map(_MONTH_AND_DAY.fullmatch, texts))
    if has_days and not any(map(YEAR.search, texts)):
        return True
    if is_presented and (has_days or any(iso_day(text) for text in texts)):
        return True
    days = [date.fromisoformat(day) for cell in dates if (day := iso_day(cell.text))]
    gaps = {(later - earlier).days for earlier, later in pairwise(days)}
    if len(days) > _FEW_WORDS and min(gaps) > 0 and not any(gap % _WEEK for gap in gaps):
        return True
    flags = [
        is_far_from_arxiv_month(published, link)
        for cell, row in zip(dates, rows, strict=True)
        if (published := iso_date(cell.text))
        for other_cell in row
        for link in other_cell.iter_links
        if link.ref.scheme == "arxiv"
    ]
    return bool(flags) and fmean(flags) > _MAJORITY


def _by_heading(heading_roles: Sequence[str], columns: Sequence[Sequence[TableCell]]) -> list[str]:
    roles = [_of_ambiguous(role, cells) for role, cells in zip(heading_roles, columns, strict=True)]
    title_column = _title_place(roles, columns)
    return [_beside_title(role, column, title_column) for column, role in enumerate(roles)]


def _of_ambiguous(role: str, cells: Sequence[TableCell]) -> str:
    """Resolve ambiguous headings: "Paper" may contain titles or only links, "Publication" and "Where" also venues."""
    if role == "where":
        return _venue_or_link(cells)
    if role == "publication":
        return "paper" if _names_linked(cells) or _weight(cells) > _MANY_WORDS else _venue_or_link(cells)
    if role == "paper" and not _weight(cells):
        return "link"
    if role == "number" and _share(cells, lambda cell: bool(_NUMBERED.fullmatch(cell.text))) < _MAJORITY:
        return "name"
    return role


def _venue_or_link(cells: Sequence[TableCell]) -> str:
    return "link" if _share(cells, lambda cell: any(cell.iter_links)) > _MAJORITY else "venue"


def _title_place(roles: Sequence[str], columns: Sequence[Sequence[TableCell]]) -> int | None:
    """Return the column of titles.

    Titles take precedence over names, and longer texts over shorter ones.
    """
    name_column = next(
        (column for column, role in enumerate(roles) if role == "name" and _weight(columns[column])), None
    )
    candidates = [column for column, role in enumerate(roles) if role in _SURE and _weight(columns[column])]
    if candidates:
        best = max(candidates, key=lambda column: (_weight(columns[column]), -column))
        return (
            name_column
            if name_column is not None and _weight(columns[best]) < min(_FEW_WORDS, _weight(columns[name_column]))
            else best
        )
    if name_column is not None:
        return name_column
    linked_columns = [
        column for column, role in enumerate(roles) if role in {"", "link", "notes"} and _names_linked(columns[column])
    ]
    if linked_columns:
        return max(linked_columns, key=lambda column: _names_linked(columns[column]))
    titled = (
        column for column, role in enumerate(roles) if role in _MAY_HOLD_TITLES and are_titles(_texts(columns[column]))
    )
    return next(titled, _longest(roles, columns) or _first_of_names(roles, columns))


def _longest(roles: Sequence[str], columns: Sequence[Sequence[TableCell]]) -> int | None:
    """Return the column with the longest texts beside one about papers, if they are long or some clearly titles."""
    unlabeled = [column for column, role in enumerate(roles) if role in _MAY_HOLD_TITLES]
    longest = max(unlabeled, key=lambda column: _weight(columns[column]), default=None)
    if longest is None or _BESIDE_TITLES.isdisjoint(roles):
        return None
    weight, texts = _weight(columns[longest]), _texts(columns[longest])
    is_named = weight > _FEW_WORDS and fmean(map(names_a_paper, texts)) > _SOME
    return longest if is_named or weight >= _MANY_WORDS else None


def _texts(cells: Sequence[TableCell]) -> list[str]:
    return [text for cell in cells if (text := _title_text(cell))]


def _first_of_names(roles: Sequence[str], columns: Sequence[Sequence[TableCell]]) -> int | None:
    """Return the first column with a different name in each row, if another column links papers."""
    links_papers = any(link.paper_kind == "paper" for cells in columns for cell in cells for link in cell.iter_links)
    unlabeled = [column for column, role in enumerate(roles) if not role] if links_papers else []
    return next((column for column in unlabeled if _are_names(columns[column])), None)


def _are_names(cells: Sequence[TableCell]) -> bool:
    names = {cell.text_without_links.casefold() for cell in cells if any(map(str.isalpha, cell.text_without_links))}
    return len(names) > _MAJORITY * len(cells) and _weight(cells) < _MANY_WORDS


def _beside_title(role: str, column: int, title: int | None) -> str:
    if column == title:
        return "title"
    return "name" if role in _SURE else role


def _by_content(columns: Sequence[Sequence[TableCell]]) -> list[str]:
    roles = [_of_content(cells) for cells in columns]
    undecided = [column for column, role in enumerate(roles) if not role]
    linked_columns = [column for column in undecided if _names_linked(columns[column])]
    title_column = max(
        linked_columns or undecided, key=lambda column: (_weight(columns[column]), -column), default=None
    )
    return [
        "title" if column == title_column and _weight(columns[column]) else role for column, role in enumerate(roles)
    ]


def _of_content(cells: Sequence[TableCell]) -> str:
    filled = [cell for cell in cells if not is_nothing(cell.text)]
    if not filled:
        return ""
    tests: dict[str, Callable[[TableCell], bool]] = {
        "number": lambda cell: cell.text.strip(" .)#*").isdecimal() and len(cell.text) < 4,
        "date": lambda cell: bool(iso_date(cell.text)),
        "status": lambda cell: status_of(cell.text) is not None,
        "rating": lambda cell: bool(rating_of(cell.text)),
        "venue": lambda cell: match_venue(cell.text_without_links) is not None,
        "link": lambda cell: (
            any(cell.iter_links) and not cell.text_without_links and not any(map(name_of, cell.iter_links))
        ),
    }
    return next((role for role, test in tests.items() if _share(filled, test) > _MAJORITY), "")


def _share(cells: Sequence[TableCell], test: Callable[[TableCell], bool]) -> float:
    return fmean(map(test, cells)) if cells else 0.0


def _weight(cells: Sequence[TableCell]) -> float:
    """Return the average number of meaningful words per cell.

    A link text repeated in several rows does not count.
    """
    filled = [cell for cell in cells if not is_nothing(cell.text)]
    if not filled:
        return 0.0
    return fmean(word_count(cell.text_without_links) for cell in filled) + _names_linked(filled)


def _names_linked(cells: Sequence[TableCell]) -> float:
    """Return the average number of words per cell in link texts that are names."""
    names = Counter(name for cell in cells for link in cell.iter_links if (name := name_of(link)))
    limit = max(1, len(cells) // 4)
    return sum(word_count(name) for name, count in names.items() if count <= limit) / max(len(cells), 1)
