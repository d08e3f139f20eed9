"""Conversion of tables to entries: a row to one paper, several, or another linked thing; a heading between to a topic.

Everything else stays a table.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import takewhile

from readtrack.infra.text.table_rows import split_row
from readtrack.infra.text.titles.clean import clean_title, names_a_paper, without_emphasis
from readtrack.infra.text.titles.dates import YEAR
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.headings.outline import build_heading_entry, topic_of
from readtrack.ingest.parser.items.build_entry import (
    ItemContext,
    ItemText,
    build_entry,
    build_unlinked_entry,
    join_texts,
)
from readtrack.ingest.parser.items.find_links import TextLink
from readtrack.ingest.parser.reasons import TABLE_HEADER, TABLE_MARKUP
from readtrack.ingest.parser.tables.cell_titles import CellTitle, is_citation, people_in, read_title
from readtrack.ingest.parser.tables.cells import CellToken, TableCell, is_nothing, name_of
from readtrack.ingest.parser.tables.columns import SAMPLE_ROWS, Columns, infer_columns, is_far_from_arxiv_month, is_row
from readtrack.ingest.parser.tables.row_details import RowLink, RowLinks, links_of, row_to_item, sort_row_links, tags_of
from readtrack.ingest.parser.vocabulary.author_names import is_name
from readtrack.ingest.parser.vocabulary.venues import match_venue, split_venue

_NO_PAPER = re.compile(
    r"(?:ours?|this (?:work|paper)|total|average|mean|sum|baselines?|human|random|本文|我们的?|本研究|"
    r"no (?:meeting|class|seminar|session|talk|reading|lecture)s?|cancell?ed|(?:spring|summer|fall) break|"
    r"holidays?|break|tba|tbd|休会|休み|休講|放假|停会|提案手法|合计|合計|平均|总计|更多|to be continued|"
    r"(?:opening|closing) remarks|オープニング|クロージング|開会|閉会|(?:session|track) \d{1,2}[a-z][:：])(?!\w)",
    re.IGNORECASE,
)

_NO_VENUE = re.compile(
    r"\b(?:blog|post|pr|pull request|issue|github|web(?:site| ?page)?|news|twitter|tweet|zhihu|medium|docs?)\b|"
    r"博客|ブログ|公众号|知乎",
    re.IGNORECASE,
)

_DISCUSSION = re.compile(r"//[^/]+/[^/]+/[^/]+/(?:-/)?(?:issues|pull|discussions|merge_requests)/\d+")
_SPEAKER = re.compile(r"分享|主持|主讲|讲者|汇报|報告者|発表|担当|presenter|speaker|presented by|host", re.IGNORECASE)

Work = tuple[str, TextLink]
_TAGS = re.compile(r"</?[A-Za-z][^<>]{0,500}>")
_TAGS_COLUMN = re.compile(
    r"(?:tags?|labels?|keywords?|标签|標籤|タグ|キーワード)", re.IGNORECASE
)  # each row has its own
_CODE = re.compile(r"`[^`]{2,80}`\s?[:：]?")
_MARKED = ("**", "__", "*", "_", "#")
_MAY_NAME = frozenset({"", "topic", "name"})
_MAX_HEADING_CHARS = 80
_MAX_TITLE_CHARS = 200


@dataclass(frozen=True)
class TableRow:
    """A row.

    `raw`: the row verbatim, "" if it spans several lines. `is_full_width`: one cell spans all columns.
    """

    first: int
    last: int
    texts: tuple[str, ...]
    raw: str = ""
    is_full_width: bool = False

    @property
    def cells(self) -> tuple[TableCell, ...]:
        """The parsed cells, cached for a few rows only: a table may have many."""
        return _cells(self.texts)


@lru_cache(maxsize=8)
def _cells(texts: tuple[str, ...]) -> tuple[TableCell, ...]:
    return tuple(map(TableCell.from_text, texts))


def read_row(row: TableRow, columns: Columns, context: ItemContext) -> list[ParsedEntry]:
    """Read a row into entries, none if it names nothing to read."""
    if tags := tags_of(row.cells, columns):
        context = replace(context, topics=tuple(dict.fromkeys([*context.topics, *tags])))
    links = list(links_of(row.cells, columns))
    works = _works(row, columns, links)
    if works:
        item_text, extra_links = row_to_item(row.cells, columns), [link.link for link in links if not link.paper]
        return _parts(
            [
                _build_linked_entry(work_link, _with_cited_year(replace(item_text, title=title)), context, extra_links)
                for title, work_link in works
            ]
        )
    if titles := _tagged_titles(row, columns):
        item_text = row_to_item(row.cells, columns)
        return _parts([build_unlinked_entry(_add_title(item_text, title), context) for title in titles])
    sorted_ = sort_row_links(links)
    title_column, cell_title = _find_title(row, columns, sorted_.main)
    if full_title := _find_full_title(row, columns, cell_title.title):
        cell_title = replace(cell_title, title=full_title)
        context = replace(context, topics=tuple(topic for topic in context.topics if topic != full_title))
    item_text = _add_title(row_to_item(row.cells, columns, title_column=title_column), cell_title)
    cited_entries = [build_entry(cited_link, ItemText(name_of(cited_link)), context) for cited_link in sorted_.cited]
    return _parts([*_build_row_entries(sorted_, item_text, context, columns), *cited_entries])


def _with_cited_year(item_text: ItemText) -> ItemText:
    """Return the year of a title that is a citation: `Lovelace & Babbage, 1843`."""
    year = YEAR.search(item_text.title) if is_citation(item_text.title) else None
    return replace(item_text, year=item_text.year or int(year[0])) if year else item_text


def _build_row_entries(
    links: RowLinks, item_text: ItemText, context: ItemContext, columns: Columns
) -> list[ParsedEntry]:
    main = None if links.is_remark else links.main
    states_venue = bool(item_text.venue and item_text.year) and not any(columns.headings)  # `BytePS (OSDI'20)`
    is_tagged = states_venue and not is_name(item_text.title)
    is_cited = bool(item_text.authors and item_text.year) and len(item_text.title.split()) > 2
    is_of_papers = columns.papers or is_tagged or is_cited or bool(item_text.venue and names_a_paper(item_text.title))
    is_named = is_of_papers and any(map(str.isalpha, item_text.title)) and not _NO_PAPER.match(item_text.title)
    only_code = main is not None and main.paper_kind == "code" and not links.is_own
    is_discussed = main is not None and _is_discussion(main, columns) and names_a_paper(item_text.title)
    if main is not None and not is_discussed and not (only_code and is_named and _is_published(item_text)):
        title_page = None if links.titled and str(links.titled.ref) in columns.shared else links.titled
        return [_add_title_link(_build_linked_entry(main, item_text, context, links.extras), title_page)]
    extra_links = [*([main] if main else []), *links.extras]
    cited_entries = (
        [build_entry(links.main, ItemText(name_of(links.main)), context)] if links.main and links.is_remark else []
    )
    if not is_named and (
        columns.lists_names or not (names_a_paper(item_text.title) or (columns.is_item_list and item_text.title))
    ):
        return cited_entries
    paper = build_unlinked_entry(item_text, context, extra_links)
    lead = replace(paper, kind="lead", paper_kind="")
    is_tracked = columns.papers and columns.index_of("status") is not None  # a list of what to read, not of results
    is_sure = is_discussed or (is_named and (is_tagged or is_tracked or _is_sure(item_text)))
    return [paper if is_sure else lead, *cited_entries]


def _is_discussion(link: TextLink, columns: Columns) -> bool:
    """Return True for the issue of a meeting in a table of meetings: it is not what was talked about."""
    has_speaker = any(_SPEAKER.search(heading) for heading in columns.headings)
    return has_speaker and _DISCUSSION.search(link.address) is not None


def _build_linked_entry(
    link: TextLink, item_text: ItemText, context: ItemContext, extras: Sequence[TextLink]
) -> ParsedEntry:
    """Build the entry of a linked paper.

    If the row says that it appeared in a blog or the like, it is no paper.
    """
    entry = build_entry(link, _drop_far_date(item_text, link), context, extras)
    if entry.paper_kind in {"", link.paper_kind} or not _NO_VENUE.search(item_text.venue):
        return entry
    return replace(entry, paper_kind=link.paper_kind, identifiers=entry.identifiers[:1])


def _add_title_link(entry: ParsedEntry, title_page: TextLink | None) -> ParsedEntry:
    """Add the page linked by the title to the paper's identifiers."""
    if title_page is None or entry.paper_kind != "paper" or title_page.paper_kind not in {"page", "article"}:
        return entry
    return replace(entry, identifiers=tuple(dict.fromkeys([*entry.identifiers, str(title_page.ref)])))


def _is_published(item_text: ItemText) -> bool:
    """Return True if a venue, date or authors show that the row is a paper, not just code."""
    return bool(item_text.venue or item_text.published or item_text.authors) and len(item_text.title.split()) > 3


def _is_sure(item_text: ItemText) -> bool:
    """Return True if the title alone is clear. One or two words need a venue or authors."""
    if is_citation(item_text.title):
        return False
    return (
        len(item_text.title.split()) > 2 or bool(item_text.venue or item_text.authors) or not item_text.title.isascii()
    )


def _parts(entries: Sequence[ParsedEntry]) -> list[ParsedEntry]:
    return [entry if part == 1 else replace(entry, part=part) for part, entry in enumerate(entries, 1)]


def _works(row: TableRow, columns: Columns, links: Sequence[RowLink]) -> list[Work]:
    """Return several papers in one row, each with its name and link.

    Empty if there is only one or it is uncertain.
    """
    title_links = [link for link in links if link.role == "title" and link.paper]
    links_by_ref = {link.link.ref: link.link for link in title_links if link.is_name}
    if len(links_by_ref) > 1:
        leading = takewhile(lambda link: not link.is_name, title_links)  # [Paper](…) [Another](…) [A Third](…)
        links_by_ref = {link.link.ref: link.link for link in leading} | links_by_ref
        return [(name_of(work_link), work_link) for work_link in links_by_ref.values()]
    cell = _cell(row, columns.index_of("title"))
    if cell is None or len(cell.tokens) < 2:
        return []
    if any(cell.iter_links):
        works = [
            (read_title(token).title, token.links[0])
            for token in cell.tokens
            if token.text_without_links and token.links
        ]
        return works if _are_apart(works) else []
    own_links = [link.link for link in links if link.is_own]
    titles = [read_title(token).title for token in cell.tokens]
    works = list(zip(titles, own_links, strict=False))
    return works if len(own_links) == len(titles) and _are_apart(works) else []


def _tagged_titles(row: TableRow, columns: Columns) -> list[CellTitle]:
    """Return the papers of a cell that names several without links, each on a line with its venue."""
    cell = _cell(row, columns.index_of("title"))
    if cell is None or len(cell.tokens) < 2 or any(cell.iter_links):
        return []
    titles = [read_title(token) for token in cell.tokens]
    return titles if all(title.title and title.venue for title in titles) else []


def _are_apart(works: Sequence[Work]) -> bool:
    """Return True for different papers, and False for one paper with its authors and a supplement."""
    refs = {link.ref for title, link in works if title and link.paper_kind == "paper" and not people_in(title)}
    return len(refs) == len(works) > 1


def _cell(row: TableRow, column: int | None) -> TableCell | None:
    return row.cells[column] if column is not None and column < len(row.cells) else None


def _find_title(row: TableRow, columns: Columns, main: TextLink | None) -> tuple[int | None, CellTitle]:
    """Return the column of the title and its contents.

    If it only has a citation, the column of names is used.
    """
    candidates: list[tuple[int | None, CellTitle]] = []
    for column in _places(columns):
        cell = _cell(row, column)
        cell_title = _read_cell(cell, _as_typed(row, column)) if cell else CellTitle()
        candidates += [(column, cell_title)] if cell_title.title else []
        if candidates and not is_citation(cell_title.title):
            return candidates[-1]
    return candidates[0] if candidates else (None, CellTitle(name_of(main) if main else ""))


def _find_full_title(row: TableRow, columns: Columns, name: str) -> str:
    """Return the cell that begins with the name of the row, `Short: the rest of the title`, if it is no remark."""
    for index, cell in enumerate(row.cells if name else ()):
        is_longer = cell.text.startswith((f"{name}:", f"{name}：")) and not cell.text.endswith((".", "。", "．"))
        if is_longer and columns.role(index) in _MAY_NAME and not any(cell.iter_links):
            return clean_title(cell.text)
    return ""


def _places(columns: Columns) -> list[int]:
    """Return the column of titles, and that of names if it comes first."""
    title, name = columns.index_of("title"), columns.index_of("name")
    return [column for column in (title, name) if column is not None and (title is None or column <= title)]


def _read_cell(cell: TableCell, typed_text: str) -> CellTitle:
    all_tokens = [token for token in cell.tokens if token.text]
    venues = [token for token in all_tokens if len(all_tokens) > 1 and _is_only_venue(token)]
    tokens = [token for token in all_tokens if token not in venues]
    titles = [read_title(token, typed_text if len(tokens) == 1 else "") for token in tokens]
    best = next((index for index, cell_title in enumerate(titles) if cell_title.title), None)
    if best is None:
        return CellTitle()
    if best + 1 < len(titles) and _is_short_for(titles[best].title, titles[best + 1].title):
        best += 1
    if venues and not titles[best].venue:
        venue, year = split_venue(venues[0].text_without_links)
        titles[best] = replace(titles[best], venue=venue, year=titles[best].year or year)
    if len(tokens) == 1:
        return titles[0]
    other_texts = [token.text_without_links for index, token in enumerate(tokens) if index != best]
    people = next(filter(None, map(people_in, other_texts)), ())
    parts = [titles[best].text, *(text for text in other_texts if not people or people_in(text) != people)]
    return replace(titles[best], text=join_texts(*parts), authors=people)


def _is_only_venue(token: CellToken) -> bool:
    """Return True for a venue on a line of its own, perhaps with badges about the code beside it."""
    is_venue = match_venue(token.text_without_links) is not None
    return is_venue and all(link.paper_kind != "paper" for link in token.links)


def _is_short_for(first: str, second: str) -> bool:
    """Return True if the first is a short name and the second the full title."""
    return len(first.split()) <= 2 and names_a_paper(second) and not people_in(second)


def _as_typed(row: TableRow, column: int) -> str:
    raw = split_row(row.raw, len(row.texts)) if "  " in row.raw else []
    return raw[column] if column < len(raw) else ""


def _add_title(item_text: ItemText, cell_title: CellTitle) -> ItemText:
    return replace(
        item_text,
        title=cell_title.title,
        text=join_texts(cell_title.text, item_text.text),
        venue=item_text.venue or cell_title.venue,
        year=item_text.year or cell_title.year,
        status=item_text.status or cell_title.status,
        rating=item_text.rating or cell_title.rating,
        authors=item_text.authors or cell_title.authors,
    )


def _drop_far_date(item_text: ItemText, link: TextLink) -> ItemText:
    if not is_far_from_arxiv_month(item_text.published, link):
        return item_text
    return replace(item_text, published="", text=join_texts(item_text.text, item_text.published))


@dataclass(frozen=True)
class TableGrid:
    """A table.

    `lines`: the text of all its lines, the first numbered `start`. `headings` may be empty.
    """

    start: int
    lines: Sequence[str]
    headings: tuple[str, ...]
    rows: tuple[TableRow, ...]
    topics: tuple[str, ...] = ()


@dataclass
class _EntryTiler:
    """Entries that cover the lines so far.

    Lines without entries are added as parts of the table.
    """

    grid: TableGrid
    next: int
    entries: list[ParsedEntry] = field(default_factory=list)

    def add(self, row: TableRow, entries: Sequence[ParsedEntry]) -> None:
        """Add the entries of a row.

        If the row begins on the last line of another, they are further parts of that line.
        """
        if row.last < self.next:
            previous = self.entries[-1]
            parts = enumerate(entries, previous.part + 1)
            self.entries += [
                replace(entry, first=previous.first, last=previous.last, part=part) for part, entry in parts
            ]
            return
        first = max(row.first, self.next)
        self.fill(first - 1)
        last = max(row.last, first)
        self.entries += [entry if entry.first == first else replace(entry, first=first, last=last) for entry in entries]
        self.next = max(row.last, first) + 1

    def fill(self, last: int) -> None:
        if self.next <= last:
            self.entries.append(_table(self.grid, self.next, last))
            self.next = last + 1


def read_grid(grid: TableGrid) -> list[ParsedEntry]:
    """Return entries that cover the lines of the table."""
    grid = _with_first_row(grid)
    rows = [(row, _heading(row) if len(grid.rows) > 1 else "") for row in grid.rows]
    columns = infer_columns(grid.headings, [row.cells for row, heading in rows[:SAMPLE_ROWS] if not heading])
    if (
        columns.role(0) == "topic"
        and not _TAGS_COLUMN.fullmatch(columns.heading(0))
        and _begins_groups([row for row, _ in rows])
    ):
        rows = [*_with_topics_of_groups(rows)]
    topics = grid.topics
    tiler = _EntryTiler(grid, grid.start)
    for row, heading in rows:
        if heading:
            tiler.add(row, [build_heading_entry(0, 0, heading, topic_of(heading), grid.topics)])
            topics = _below(grid.topics, heading)
        elif row_entries := read_row(row, columns, ItemContext(row.first, row.last, topics)):
            tiler.add(row, row_entries)
    tiler.fill(grid.start + len(grid.lines) - 1)
    return tiler.entries


def _begins_groups(rows: Sequence[TableRow]) -> bool:
    """Return True if the first column is filled in the first row of each group of rows only."""
    are_blank = [is_nothing(row.texts[0]) for row in rows if row.texts]
    return len(are_blank) > 1 and not are_blank[0] and 2 * sum(are_blank) >= len(are_blank)


def _with_topics_of_groups(rows: Sequence[tuple[TableRow, str]]) -> Iterator[tuple[TableRow, str]]:
    """Yield the rows and headings, with the topic of a group in each of its rows."""
    topic = ""
    for row, heading in rows:
        topic = "" if heading else topic
        if not heading and row.texts and is_nothing(row.texts[0]):
            yield replace(row, texts=(topic, *row.texts[1:])), heading
            continue
        topic = row.texts[0] if row.texts and not heading else topic
        yield row, heading


def _with_first_row(grid: TableGrid) -> TableGrid:
    """Return the grid with its headings as a row, if they are one: some tables have no headings."""
    first = TableRow(grid.start, grid.start, grid.headings)
    if not grid.headings or not is_row(first.cells, [row.cells for row in grid.rows[:SAMPLE_ROWS]]):
        return grid
    return replace(grid, headings=(), rows=(first, *grid.rows))


def _below(topics: tuple[str, ...], heading: str) -> tuple[str, ...]:
    name = topic_of(heading)
    return tuple(dict.fromkeys([*topics, name])) if name else topics


def _heading(row: TableRow) -> str:
    """Return the heading if the row has only one cell, which is bold, code or across all columns."""
    filled = [text for text in row.texts if not is_nothing(text)]
    if len(filled) != 1 or len(row.texts) < 2:
        return ""
    if not (row.is_full_width or filled[0].startswith(_MARKED) or _CODE.fullmatch(filled[0].strip())):
        return ""
    cell = TableCell.from_text(filled[0])
    words = cell.text_without_links.strip(" *_#:：`").removeprefix("- ")
    return words if not any(cell.iter_links) and 1 < len(words) <= _MAX_HEADING_CHARS else ""


def _table(grid: TableGrid, first: int, last: int) -> ParsedEntry:
    lines = grid.lines[first - grid.start : last - grid.start + 1]
    text = "\n".join(lines)
    if not _TAGS.sub("", text).strip():
        return ParsedEntry(first, last, 1, "blank", decision="skip", reason=TABLE_MARKUP)
    entry = ParsedEntry(first, last, 1, "table", topics=grid.topics, text=text)
    if first > grid.start:
        return entry
    entry = replace(
        entry, title=" | ".join(without_emphasis(name) for name in grid.headings if name)[:_MAX_TITLE_CHARS]
    )
    only_names = bool(grid.headings) and bool(grid.rows) and last < grid.rows[0].first
    return replace(entry, decision="skip", reason=TABLE_HEADER) if only_names else entry
