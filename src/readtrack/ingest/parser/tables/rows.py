"""Conversion of table rows to entries: one paper, several, or another linked thing."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from readtrack.infra.text.table_rows import split_row
from readtrack.infra.text.titles.clean import names_a_paper
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.items.build_entry import ItemContext, ItemText, build_entry, build_unlinked_entry
from readtrack.ingest.parser.items.find_links import TextLink
from readtrack.ingest.parser.tables.cell_titles import CellTitle, is_citation, people_in, read_title
from readtrack.ingest.parser.tables.cells import TableCell, name_of
from readtrack.ingest.parser.tables.columns import Columns
from readtrack.ingest.parser.tables.dates import is_far
from readtrack.ingest.parser.tables.row_links import RowLink, RowLinks, links_of, sort_row_links
from readtrack.ingest.parser.tables.row_text import row_to_item, tags_of

_NO_PAPER = re.compile(
    r"(?:ours?|this (?:work|paper)|total|average|mean|sum|baselines?|human|random|本文|我们的?|本研究|"
    r"提案手法|合计|合計|平均|总计|更多|to be continued)(?!\w)",
    re.IGNORECASE,
)

_NO_VENUE = re.compile(
    r"\b(?:blog|post|pr|pull request|issue|github|web(?:site| ?page)?|news|twitter|tweet|zhihu|medium|docs?)\b|"
    r"博客|ブログ|公众号|知乎",
    re.IGNORECASE,
)

Work = tuple[str, TextLink]


@dataclass(frozen=True)
class TableRow:
    """A row.

    `raw`: the row verbatim, "" if it spans several lines. `whole`: one cell spans all columns.
    """

    first: int
    last: int
    texts: tuple[str, ...]
    raw: str = ""
    whole: bool = False

    @property
    def cells(self) -> tuple[TableCell, ...]:
        """The parsed cells, cached for a few rows only: a table may have many."""
        return _cells(self.texts)


@lru_cache(maxsize=8)
def _cells(texts: tuple[str, ...]) -> tuple[TableCell, ...]:
    return tuple(map(TableCell.from_text, texts))


def read_row(row: TableRow, columns: Columns, place: ItemContext) -> list[ParsedEntry]:
    """Read a row into entries, none if it names nothing to read."""
    if tags := tags_of(row.cells, columns):
        place = replace(place, topics=tuple(dict.fromkeys([*place.topics, *tags])))
    links = list(links_of(row.cells, columns))
    works = _works(row, columns, links)
    if works:
        told, beside = row_to_item(row.cells, columns), [link.found for link in links if not link.paper]
        return _parts([_build_linked_entry(found, replace(told, title=title), place, beside) for title, found in works])
    sorted_ = sort_row_links(links)
    title_at, titled = _find_title(row, columns, sorted_.main)
    told = _add_title(row_to_item(row.cells, columns, without=title_at), titled)
    cited = [build_entry(each, ItemText(name_of(each)), place) for each in sorted_.cited]
    return _parts([*_build_row_entries(sorted_, told, place, columns), *cited])


def _build_row_entries(links: RowLinks, told: ItemText, place: ItemContext, columns: Columns) -> list[ParsedEntry]:
    main = None if links.remark else links.main
    named = columns.papers and any(map(str.isalpha, told.title)) and not _NO_PAPER.match(told.title)
    only_code = main is not None and main.paper_kind == "code" and not links.own
    if main is not None and not (only_code and named and _is_published(told)):
        titled = None if links.titled and str(links.titled.ref) in columns.shared else links.titled
        return [_add_title_link(_build_linked_entry(main, told, place, links.extras), titled)]
    beside = [*([main] if main else []), *links.extras]
    cited = [build_entry(links.main, ItemText(name_of(links.main)), place)] if links.main and links.remark else []
    if not named and (columns.things or not (names_a_paper(told.title) or (columns.listed and told.title))):
        return cited
    paper = build_unlinked_entry(told, place, beside)
    lead = replace(paper, kind="lead", paper_kind="")
    return [paper if named and _is_sure(told) else lead, *cited]


def _build_linked_entry(found: TextLink, told: ItemText, place: ItemContext, extras: Sequence[TextLink]) -> ParsedEntry:
    """Build the entry of a linked paper.

    If the row says that it appeared in a blog or the like, it is no paper.
    """
    entry = build_entry(found, _drop_far_date(told, found), place, extras)
    if entry.paper_kind in {"", found.paper_kind} or not _NO_VENUE.search(told.venue):
        return entry
    return replace(entry, paper_kind=found.paper_kind, identifiers=entry.identifiers[:1])


def _add_title_link(entry: ParsedEntry, titled: TextLink | None) -> ParsedEntry:
    """Add the page linked by the title to the paper's identifiers."""
    if titled is None or entry.paper_kind != "paper" or titled.paper_kind not in {"page", "article"}:
        return entry
    return replace(entry, identifiers=tuple(dict.fromkeys([*entry.identifiers, str(titled.ref)])))


def _is_published(told: ItemText) -> bool:
    """Return True if a venue, date or authors show that the row is a paper, not just code."""
    return bool(told.venue or told.published or told.authors) and len(told.title.split()) > 3


def _is_sure(told: ItemText) -> bool:
    """Return True if the title alone is clear. One or two words need a venue or authors."""
    if is_citation(told.title):
        return False
    return len(told.title.split()) > 2 or bool(told.venue or told.authors) or not told.title.isascii()


def _parts(entries: Sequence[ParsedEntry]) -> list[ParsedEntry]:
    return [entry if part == 1 else replace(entry, part=part) for part, entry in enumerate(entries, 1)]


def _works(row: TableRow, columns: Columns, links: Sequence[RowLink]) -> list[Work]:
    """Return several papers in one row, each with its name and link.

    Empty if there is only one or it is uncertain.
    """
    named = {link.found.ref: link.found for link in links if link.role == "title" and link.named and link.paper}
    if len(named) > 1:
        return [(name_of(found), found) for found in named.values()]
    cell = _cell(row, columns.index_of("title"))
    if cell is None or len(cell.pieces) < 2:
        return []
    if any(cell.iter_links):
        works = [(read_title(piece).title, piece.found[0]) for piece in cell.pieces if piece.words and piece.found]
        return works if _are_apart(works) else []
    own = [link.found for link in links if link.own and link.role != "title"]
    titles = [read_title(piece).title for piece in cell.pieces]
    works = list(zip(titles, own, strict=False))
    return works if len(own) == len(titles) and _are_apart(works) else []


def _are_apart(works: Sequence[Work]) -> bool:
    """Return True for different papers, and False for one paper with its authors and a supplement."""
    apart = {found.ref for title, found in works if title and found.paper_kind == "paper" and not people_in(title)}
    return len(apart) == len(works) > 1


def _cell(row: TableRow, at: int | None) -> TableCell | None:
    return row.cells[at] if at is not None and at < len(row.cells) else None


def _find_title(row: TableRow, columns: Columns, main: TextLink | None) -> tuple[int | None, CellTitle]:
    """Return the column of the title and its contents.

    If it only has a citation, the column of names is used.
    """
    told: list[tuple[int | None, CellTitle]] = []
    for at in _places(columns):
        cell = _cell(row, at)
        titled = _read_cell(cell, _as_typed(row, at)) if cell else CellTitle()
        told += [(at, titled)] if titled.title else []
        if told and not is_citation(titled.title):
            return told[-1]
    return told[0] if told else (None, CellTitle(name_of(main) if main else ""))


def _places(columns: Columns) -> list[int]:
    """Return the column of titles, and that of names if it comes first."""
    title, name = columns.index_of("title"), columns.index_of("name")
    return [at for at in (title, name) if at is not None and (title is None or at <= title)]


def _read_cell(cell: TableCell, wide: str) -> CellTitle:
    pieces = [piece for piece in cell.pieces if piece.text]
    titles = [read_title(piece, wide if len(pieces) == 1 else "") for piece in pieces]
    best = next((at for at, each in enumerate(titles) if each.title), None)
    if best is None:
        return CellTitle()
    if best + 1 < len(titles) and _is_short_for(titles[best].title, titles[best + 1].title):
        best += 1
    if len(pieces) == 1:
        return titles[0]
    beside = [piece.words for at, piece in enumerate(pieces) if at != best]
    people = next(filter(None, map(people_in, beside)), ())
    said = [titles[best].text, *(words for words in beside if not people or people_in(words) != people)]
    return replace(titles[best], text=" · ".join(filter(None, said)), authors=people)


def _is_short_for(first: str, second: str) -> bool:
    """Return True if the first is a short name and the second the full title."""
    return len(first.split()) <= 2 and names_a_paper(second) and not people_in(second)


def _as_typed(row: TableRow, at: int | None) -> str:
    raw = split_row(row.raw, len(row.texts)) if "  " in row.raw and at is not None else []
    return raw[at] if at is not None and at < len(raw) else ""


def _add_title(told: ItemText, titled: CellTitle) -> ItemText:
    return replace(
        told,
        title=titled.title,
        text=" · ".join(text for text in (titled.text, told.text) if text),
        venue=told.venue or titled.venue,
        year=told.year or titled.year,
        status=told.status or titled.status,
        rating=told.rating or titled.rating,
        authors=told.authors or titled.authors,
    )


def _drop_far_date(told: ItemText, found: TextLink) -> ItemText:
    if not is_far(told.published, found):
        return told
    return replace(told, published="", text=" · ".join(text for text in (told.text, told.published) if text))
