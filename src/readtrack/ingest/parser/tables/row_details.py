"""Details of a table row besides the title: its links, venue, date, authors, status and remarks."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from readtrack.infra.text import urls
from readtrack.infra.text.titles.clean import clean_title, without_emphasis
from readtrack.infra.text.titles.dates import iso_date_in_year_field, iso_day
from readtrack.infra.text.titles.marks import rating_of, status_of
from readtrack.infra.text.topic_lists import iter_topic_names
from readtrack.ingest.parser.headings.outline import topic_of
from readtrack.ingest.parser.items.build_entry import ItemText
from readtrack.ingest.parser.items.find_links import TextLink
from readtrack.ingest.parser.items.link_roles import OWN, STRONG, calls_it_a_paper, is_own, role_from_label
from readtrack.ingest.parser.tables.cells import TableCell, is_nothing, name_of
from readtrack.ingest.parser.tables.columns import Columns
from readtrack.ingest.parser.vocabulary.author_names import parse_author_list
from readtrack.ingest.parser.vocabulary.venues import match_venue, split_venue

_ABOUT_IT = frozenset({"code", "media", "picture", "notes", "abstract", "rating", "topic"})
_PEOPLE = frozenset({"authors", "affiliation"})
_ELSEWHERE = frozenset({"video", "slides", "code", "article"})
_LETTERED_YEAR = re.compile(r"(?P<year>(?:19|20)\d\d)[a-z]")  # `2020a`, as in references
_SHORT_YEAR = re.compile(r"\d\d")
_TAG_PATH = re.compile(r"\s?/\s?")
_MAX_TAGS_CHARS = 1000
_COUNT = re.compile(r"\d{0,9}")
# number of citations, in a column "引用"
_CITED = re.compile(r"(?!(?:19|20)\d\d$)[<>≥~≈]{0,2}=?\s?\d[\d,.]{0,9}[kK+]{0,2}")
_SCORE = re.compile(r"\d{1,2}(?:\.\d{1,2})?")
_SILENT = frozenset({"number", "picture", "link", "media", "code", "title", "topic"})
_WORDS_APART = re.compile(r"[\s・、，,;；/]+")  # 読了・メモあり
_MAX_TAGS = 6
_MAX_VENUE_CHARS = 120


@dataclass(frozen=True)
class RowLink:
    """A link. `is_name`: its text is a name. `is_own`: it may lead to the paper itself."""

    link: TextLink
    role: str
    is_name: bool
    is_own: bool

    @property
    def paper(self) -> bool:
        return self.link.paper_kind == "paper"

    @property
    def strong(self) -> bool:
        """True if its identifier is always that of a paper."""
        return self.paper and self.link.ref.scheme in STRONG


class RowLinks(NamedTuple):
    """The links of a row.

    `cited`: other papers that the row names. `titled`: a page linked by the title, if it is not the main link.
    """

    main: TextLink | None = None
    extras: tuple[TextLink, ...] = ()
    cited: tuple[TextLink, ...] = ()
    is_own: bool = False  # the main link is called the paper, or is linked by the title
    is_remark: bool = False  # the main link is only in a remark
    titled: TextLink | None = None


def links_of(cells: Sequence[TableCell], columns: Columns) -> Iterator[RowLink]:
    """Yield all links except those to people and junk."""
    for index, cell in enumerate(cells):
        role = columns.role(index)
        for text_link in cell.iter_links if role not in _PEOPLE else ():
            is_named = bool(name_of(text_link))
            is_leading = role == "notes" and text_link.label and not cell.text[: text_link.start].strip()
            link = RowLink(
                text_link, role, is_named, _may_be_own(text_link, "link" if is_leading else role, is_named=is_named)
            )
            if text_link.ref.scheme != "url" or link.strong or not urls.junk_reason(text_link.address):
                yield link


def sort_row_links(links: Sequence[RowLink]) -> RowLinks:
    """Return the paper's own link, supplementary links, and other papers of the row."""
    if not links:
        return RowLinks()
    main = max(links, key=_claim)
    others = [link for link in links if link.link.ref != main.link.ref]
    extras = tuple(_as_extra(link) for link in others if _belongs(link, main))
    other_works = {link.link.ref: link.link for link in others if not _belongs(link, main)}
    title_page = next((link.link for link in others if link.role == "title" and link.is_name and not link.paper), None)
    remark = not main.is_own and main.role == "notes"
    return RowLinks(main.link, extras, tuple(other_works.values()), main.is_own, is_remark=remark, titled=title_page)


def _may_be_own(link: TextLink, role: str, *, is_named: bool) -> bool:
    if role == "title" and is_named:
        return True
    is_called_paper = calls_it_a_paper(link.label or "")
    return is_called_paper or (role not in _ABOUT_IT and is_own(link))


def _belongs(link: RowLink, main: RowLink) -> bool:
    """Return True for another identifier of the same work: no name of its own, and another scheme."""
    if not link.strong:
        return True
    if link.is_name or (link.role == "notes" and not link.is_own):
        return False
    return not is_own(link.link) or link.link.ref.scheme != main.link.ref.scheme


def _as_extra(link: RowLink) -> TextLink:
    """Return the link as a supplement: a PDF with another name is not the paper."""
    return replace(link.link, paper_kind="page") if link.paper and not link.strong and not link.is_own else link.link


def _claim(link: RowLink) -> tuple[bool, ...]:
    """Return a sort key: an identifier before a PDF, a PDF before a page, [Paper] before a name."""
    says_paper = not link.is_name and role_from_label(link.link.label or "") == OWN
    return (
        link.is_own and link.strong and (link.role == "title" or not link.is_name),
        link.is_own and link.strong,
        link.is_own and link.paper,
        link.is_own and link.role == "title",
        link.is_own,
        link.role not in _ABOUT_IT and says_paper,
        link.strong,
        not link.is_own and link.link.paper_kind not in _ELSEWHERE and link.role not in _ABOUT_IT,
        not link.is_own and link.link.paper_kind == "video",
        not link.is_own and link.link.paper_kind == "code",
    )


def row_to_item(cells: Sequence[TableCell], columns: Columns, *, title_column: int | None = None) -> ItemText:
    """Read the details of a row. `title_column`: the column of the title."""
    values: dict[str, str] = {}
    remarks: list[str] = []
    for index, cell in enumerate(cells):
        role = columns.role(index)
        value = _value(role, cell) if role not in values else ""
        if role == "date" and not value and "venue" not in values and _venue_and_year(cell.text_without_links):
            role, value = "venue", cell.text_without_links
        if value:
            values[role] = value
        elif role not in _SILENT and index != title_column and not _COUNT.fullmatch(cell.text_without_links):
            remarks.append(_remark(columns.heading(index), role, cell.text_without_links))
    venue, year = _venue(values.get("venue", ""))
    published = values.get("date", "")
    return ItemText(
        text=" · ".join(remarks),
        venue=venue,
        year=int(published) if len(published) == len("2023") else year,  # a column of years is meant, as it is written
        status=values.get("status"),
        authors=parse_author_list(values.get("authors", "")),
        published=published,
        read_on=values.get("read_on", ""),
        rating=values.get("rating", ""),
        abstract=values.get("abstract", ""),
    )


def tags_of(cells: Sequence[TableCell], columns: Columns) -> list[str]:
    """Return the topics in a column of tags or categories."""
    index = columns.index_of("topic")
    text = cells[index].text if index is not None and index < len(cells) and not any(cells[index].iter_links) else ""
    names = [
        part
        for name in iter_topic_names(text[:_MAX_TAGS_CHARS])
        for part in ([name.text] if name.is_quoted else _TAG_PATH.split(name.text))
    ]
    tags = [clean_title(name.strip(" *_#")) for name in names]
    return [name for tag in tags[:_MAX_TAGS] if len(tag) > 1 and (name := topic_of(tag))]


def _value(role: str, cell: TableCell) -> str:
    """Return the value of a cell for its column's role, "" if it has another meaning."""
    if role in {"date", "read_on", "status", "rating"}:
        return _read(role, cell.text) or (
            _read(role, cell.text_without_links) if cell.text_without_links != cell.text else ""
        )
    if role in {"venue", "authors"}:
        return cell.text_without_links or " ".join(link.label or "" for link in cell.iter_links).strip()
    return cell.text_without_links if role == "abstract" else ""


@lru_cache(maxsize=512)
def _read(role: str, text: str) -> str:
    if role == "date":
        year = _LETTERED_YEAR.fullmatch(text)
        return iso_date_in_year_field(f"'{text}" if _SHORT_YEAR.fullmatch(text) else year["year"] if year else text)
    if role == "read_on":
        return iso_day(text)
    if role == "status":
        return status_of(text) or next(filter(None, map(status_of, _WORDS_APART.split(text))), "")
    return rating_of(text) or (text if _SCORE.fullmatch(text) else "")


def _remark(heading: str, role: str, text: str) -> str:
    name, remark = heading.strip(" *_`"), without_emphasis(text)
    return remark if role == "notes" or not name else f"{name}: {remark}"


def _venue_and_year(text: str) -> bool:
    """Return True for `ICLR 2021` in a column "Year"."""
    venue = match_venue(text)
    return venue is not None and venue.year is not None


@lru_cache(maxsize=512)
def _venue(cell: str) -> tuple[str, int | None]:
    text = " ".join(without_emphasis(cell).replace("`", " ").split())
    if is_nothing(text) or len(text) > _MAX_VENUE_CHARS or _CITED.fullmatch(text):
        return "", None
    return split_venue(text)
