"""Tables separated by commas, semicolons or tabs, as exported by reference managers and others.

Column names are those of Zotero, Mendeley, Pocket, Raindrop, Instapaper, Notion, Scopus, and spreadsheets in English,
Japanese and Chinese.
"""

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

from readtrack.infra.text import csv as text_csv
from readtrack.infra.text.normalize import clean_line
from readtrack.infra.text.titles.vocabulary import words_of
from readtrack.ingest.parser.column_fields import JOINED_FIELDS, NEEDED_FIELDS
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.formats.blanks import blank_entry
from readtrack.ingest.parser.headings.outline import BARE, OutlineHeading, build_heading_entry, topic_of
from readtrack.ingest.parser.headings.vocabulary import squeeze_name
from readtrack.ingest.parser.items.find_links import find_links, is_bare
from readtrack.ingest.parser.items.title_runs import could_be_titles
from readtrack.ingest.parser.lines import TextLine
from readtrack.ingest.parser.reasons import TABLE_HEADER
from readtrack.ingest.parser.tables.exported_rows import FieldRow, read_field_row
from readtrack.ingest.parser.tables.infer_fields import fill_columns, find_columns, without_other_references
from readtrack.ingest.parser.tables.readtrack_rows import is_readtrack_header, read_readtrack_row

# Names in lower case, without spaces and punctuation. "added" and the like are listed so that the date on which an item
# was saved is not taken for its publication or reading date.
_COLUMN_NAMES = {
    "title": """
title | titles | papers | article | articles | work | works | papertitle | articletitle | documenttitle | paper
papername | nameofpaper | name | titel | titre | título | titulo | titolo | 标题 | 題名 | 题名 | 题目 | 題目
论文 | 論文 | 论文标题 | 論文タイトル | 论文题目
论文名 | 論文名 | 论文名称 | タイトル | 文献名 | 名称 | 名前 | 標題 | 书名 | 名字 | 文章 | 文献 | 文献题目
제목 | 논문 | 논문명 | 논문제목""",
    "url": """
url | urls | link | links | paperlink | paperurl | paperurls | address | href | website | web | homepage | pdf | pdflink
pdfurl | arxivlink | arxivurl | sourceurl | webaddress | uri | articleurl | articlelink | fulltexturl
fulltext | 链接 | 鏈接 | 網址 | 网址 | リンク | アドレス | 论文链接 | 論文リンク | 地址 | 原文链接 | 原文
링크 | 주소 | 논문링크""",
    "doi": "doi | doilink | doiurl | doi番号",
    "arxiv": "arxiv | arxivid | arxivnumber | arxivno | eprint | eprintid | arxiv番号 | arxiv编号",
    "code": """
code | codelink | codeurl | github | githuburl | githublink | repo | repository | 代码 | 代碼 | 代码链接 | コード
ソースコード | 实现
코드""",
    "video": "video | videolink | youtube | talk | 视频 | 動画",
    "slides": "slides | slide | slideslink | スライド | 幻灯片",
    "authors": """
autor | autoren | auteur | auteurs | autores | author | authors | authorlist | creator | creators | firstauthor
authorfullnames | 作者 | 著者 | 著者名 | 発表者
作者列表
저자""",
    "year": """
yr | jahr | erscheinungsjahr | année | año | anno | year | publicationyear | pubyear | publishedyear | 年 | 年份
年度 | 発行年 | 出版年 | 发表年份 | 発表年
公開年
연도 | 년도 | 출판연도""",
    "date": """
datum | fecha | date | publicationdate | published | publishedon | publisheddate | datepublished | releasedate
released
submitted | when | 发表日期 | 发表时间 | 出版日期 | 公開日 | 発行日 | 出版日 | 発表日 | 日期 | 日付 | 时间
날짜 | 발행일 | 출판일""",
    "venue": """
konferenz | tagung | zeitschrift | konferenzzeitschrift | conférence | conferencia | revue | revista
venue | conference | conferencename | conf | journal | journaltitle | publicationtitle | publication | booktitle
source | containertitle | proceedings | proceedingstitle | conferencejournal | venuejournal | sourcetitle
publishedin | publishedat | where | appearedin | 发表于 | 发表会议 | 发表期刊 | 刊物 | 掲載先 | 会議名 | 会议 | 會議
期刊 | 学会 | 掲載 | 会議 | 会议期刊 | 期刊会议 | 雑誌 | 掲載誌 | 発表先 | 出典 | 発表会議 | 会议名称 | 国際会議
학회 | 저널 | 학술지 | 게재지""",
    "reference": """
reference | references | citation | fullreference | fullcitation | bibliographicreference | apa | apacitation
apareference | 参考文献 | 引用文献 | 参考文献格式 | 引用格式""",
    "publisher": "publisher | 出版社 | 出版者",
    "topics": """
topic | category | subcategory | subfield | broadtopic | maintopic | subtopic | topicarea | theme | subject | area
field | researcharea | 分类 | 分類 | 类别 | 類別 | 子类 | 主题 | 方向 | 子方向 | 方向分类 | 领域 | 領域
子领域 | 研究方向 | カテゴリ | カテゴリー | トピック | 分野 | テーマ
주제 | 분야 | 카테고리 | 분류""",
    "class": "method | methods | approach | 手法 | 方法 | domain | ドメイン",
    "tags": """
tag | tags | manualtags | keyword | keywords | categories | topics | themes | subjects | areas | label | labels
mendeleytags | authorkeywords | 标签 | 標籤 | 关键词 | 关键字 | タグ | キーワード
태그 | 키워드""",
    "folders": "folder | folders | collection | collections | フォルダ | フォルダー | 文件夹",
    "status": """
status | state | readstatus | readingstatus | read | isread | done | progress | readstate | 状态 | 狀態 | 阅读状态
statut | estado | gelesen | lu | leído | 是否读完 | 读完 | 是否看完 | 完成情况
状態 | ステータス | 読了 | 既読 | 已读 | 进度 | 是否已读 | 読んだ | 進捗 | 阅读 | 閱讀
상태 | 읽음""",
    "read_on": """
readon | dateread | readdate | finished | finishedon | datefinished | readingdate | completed | completedon | lastread
finish | finishdate | 終了日 | 读完时间 | 结束日期 | 完成日期
读完日期 | 阅读日期 | 已读日期 | 阅读时间 | 読了日 | 読んだ日
읽은날짜 | 읽은날""",
    "rating": """
rating | score | stars | myrating | priority | importance | 评分 | 評分 | 评级 | 評価 | 重要度 | 推荐度 | おすすめ度
평점 | 별점 | 중요도""",
    "abstract": "abstract | abstractnote | 摘要 | 要旨 | アブストラクト | 抄録 | 초록",
    "notes": """
bemerkung | bemerkungen | notiz | notizen | anmerkung | kommentar | remarque | remarques | notas | observaciones
note | notes | comment | comments | remark | remarks | annotation | annotations | description | summary | memo | tldr
excerpt | selection | takeaway | takeaways | keyidea | mynotes | thoughts | review | 备注 | 備註 | 笔记 | 说明 | 评论
简介 | 总结 | 概要 | 備考 | メモ | コメント | 感想 | 要約 | 一言 | 描述 | 核心思想
메모 | 비고 | 요약 | 정리 | 설명 | 코멘트""",
    "type": "type | itemtype | documenttype | publicationtype | entrytype | kind | 类型 | 種類 | 種別",
    "extra": "extra | archivelocation | archiveid",
    "citation_key": "citekey | citationkey | bibtexkey | bibkey",
    "added": """
added | dateadded | addedon | addeddate | created | createdat | createdtime | createddate | timestamp | timeadded
datesaved | saved | savedat | lastedited | lasteditedtime | modified | datemodified | updated | updatedat | accessdate
accessed | lastvisit | time | 添加时间 | 添加日期 | 创建时间 | 创建日期 | 追加日 | 登録日 | 作成日 | 作成日時
更新日 | 更新时间 | 收藏时间 | 保存日""",
    "other": """
id | key | no | nr | lfdnr | number | index | cursor | cover | highlights | favorite | starred | isbn | issn
pages | numpages | issue | volume | numberofvolumes | journalabbreviation | shorttitle | series | place | language
rights | archive | librarycatalog | callnumber | linkattachments | fileattachments | automatictags | editor
editors | wordcount | length | citations | citedby | 序号 | 編號 | 编号 | 番号 | 语言
言語 | 引用数 | 引用 | 被引用数
번호""",
}

FIELDS = {name: field for field, names in _COLUMN_NAMES.items() for name in words_of(names)}
FIELDS.pop("", None)


DELIMITERS = ("\t", ";", ",", "；", "，")
UNUSED = "unused"  # the field of a column that a person chose not to use; an address in it does not count
MAX_CELL_LINES = 200  # a quotation mark that is not closed within so many lines is literal
MAX_HEADER_CHARS, _MAX_NAME_CHARS = 20_000, 40
_MIN_ALIKE = 3
_TRIED_ROWS, _MAX_TRIES = "rows that are no table", 20
_ENOUGH_KNOWN_NAMES = 5  # known names that are enough in a header of dozens
_NO_ROW = re.compile(r"[-*+|#>`]|\d{1,3}[.)]\s|\[[^\[\]]{1,60}\]\s")
_BRACKETS = re.compile(r"\s?\((?!\d+\))[^()]{1,30}\)")  # `My rating (1-5)`
_PARTS = re.compile(r"\s?[/&,]\s?")
_ADDRESS = re.compile(r"://|www\.|\d{4}\.\d{4}")
_BESIDE = frozenset({"authors", "year", "date", "venue", "topics", "other", "status"})
_MIN_KNOWN_COLUMNS, _MIN_HEADED_COLUMNS = 2, 3
_NAMING_FIELDS = NEEDED_FIELDS - {"reference"}  # `Reference` is also the name of columns of other things
_OF_PUBLICATION = "publicationtitle"
_ROW_HEADING = BARE - 1  # level of a heading between the rows of a table

Row = tuple[int, int, list[str]]  # index of the first line, index after the last, cells


@dataclass
class _TableRows:
    """A delimited table. `columns`: the field of each column, "" if unknown. `header`: its names, if it has one."""

    delimiter: str
    columns: list[str]
    rows: Sequence[Row]
    header: Sequence[str] = ()


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    raw = page.lines[start].raw
    if _NO_ROW.match(raw):
        return None
    for delimiter in DELIMITERS:
        if delimiter in raw:
            block = _read_table(page, start, delimiter)
            if block is not None:
                return block
    return _read_only_titles(page, start)


def _read_only_titles(page: NoteDocument, start: int) -> EntryBlock | None:
    """Read a file with a single column, headed `Title` or the like. All lines of the file are its cells."""
    header = page.lines[start].raw
    is_folder = header.rstrip().endswith("/")  # of a tree of files
    if start or is_folder or not 0 < len(header) <= _MAX_NAME_CHARS or field_of(header) not in _NAMING_FIELDS:
        return None
    spans = [*_cells_of_one_column(page, start + 1)]
    cells = [cell for _, _, cell in spans if cell]
    if not cells or not could_be_titles(cells):
        return None
    first = page.lines[start].number
    entries = [header_entry(page, start, start + 1, [header])]
    for index, end, cell in spans:
        numbers = page.numbers(index, end)
        entries.append(read_field_row(FieldRow(*numbers, (), {"title": cell})) if cell else blank_entry(*numbers))
    return EntryBlock(entries[-1].last - first + 1, entries)


def _cells_of_one_column(page: NoteDocument, start: int) -> Iterator[tuple[int, int, str]]:
    """Yield (first index, index after the last, cell). Only a quoted cell may contain line ends."""
    index = start
    while index < len(page.lines):
        raw = page.lines[index].raw
        end = find_row_end(page.lines, index) if raw.startswith('"') else index + 1
        text = page.raw_text(index, end)
        yield (
            index,
            end,
            (split_cells(text, ",")[0] if text.startswith('"') and text.rstrip().endswith('"') else raw).strip(),
        )
        index = end


def _read_table(page: NoteDocument, index: int, delimiter: str) -> EntryBlock | None:
    raw = page.lines[index].raw
    if len(raw) > MAX_HEADER_CHARS:
        return None
    cells = split_cells(raw, delimiter)
    tried_rows = cast("int", page.format_states.get(_TRIED_ROWS, 0))
    may_be_inferred = tried_rows < _MAX_TRIES * len(page.lines) and _may_be_inferred(page, index, cells, delimiter)
    if _known_columns(cells) is None and not may_be_inferred:
        return None
    rows = [*_rows(page, index, delimiter)]
    below = rows[-1][1] if rows else len(page.lines)
    is_spaced = _step_of_rows(page, index, delimiter) > 1  # then all rows have the same number of cells
    is_cut_off = is_spaced and below < len(page.lines) and delimiter in page.lines[below].raw
    block = None if is_cut_off else read_rows(page, rows, delimiter)
    page.format_states[_TRIED_ROWS] = tried_rows + (len(rows) if block is None else 0)
    return block


def _may_be_inferred(page: NoteDocument, index: int, cells: Sequence[str], delimiter: str) -> bool:
    """Return True if rows of equal width begin here. Only a row with an address may follow other lines directly."""
    has_address = _ADDRESS.search(page.lines[index].raw) is not None and any(map(_is_address, cells))
    step = _step_of_rows(page, index, delimiter)
    is_below_row = step > 1 and index >= step and delimiter in page.text(index - step)
    if not has_address and (page.text(index - 1) or is_below_row):
        return False
    rows_below = page.lines[index + step : index + _MIN_ALIKE * step : step]
    return all(len(split_cells(line.raw, delimiter)) == len(cells) > 1 for line in rows_below)


def _step_of_rows(page: NoteDocument, index: int, delimiter: str) -> int:
    """Return how many lines a row takes: two if a blank line is below each."""
    is_row = (
        index + 2 < len(page.lines) and delimiter in page.lines[index + 2].raw and "://" in page.lines[index + 2].raw
    )
    is_spaced = is_row and not page.text(index + 1)
    return 2 if is_spaced else 1


def read_rows(page: NoteDocument, rows: Sequence[Row], delimiter: str) -> EntryBlock | None:
    """Read the rows of a table, the first of which may be its header. `delimiter`: joins surplus cells."""
    start, end, first_cells = rows[0] if rows else (0, 0, [])
    has_header, columns = infer_columns([cells for _, _, cells in rows], page.lines[start].raw)
    body = rows[1:] if has_header else rows
    if not columns or not body:
        return None
    table = _TableRows(delimiter, columns, body, first_cells if has_header else ())
    header = [header_entry(page, start, end, first_cells)] if has_header else []
    return EntryBlock(body[-1][1] - start, [*header, *_entries(page, table)])


def infer_columns(rows: Sequence[Sequence[str]], first_line: str) -> tuple[bool, list[str]]:
    """Return whether the first row is a header, and the field of each column. [] if these are no papers."""
    first_cells = rows[0] if rows else ()
    columns = without_other_references(_known_columns(first_cells) or [], rows[1:])
    if len({*columns} - {""}) >= _MIN_KNOWN_COLUMNS and "://" not in first_line:
        return True, fill_columns(columns, rows[1:])
    if len(rows) < _MIN_ALIKE:
        return False, []
    return find_columns(_fields_of(first_cells), rows)


def header_entry(page: NoteDocument, start: int, end: int, names: Sequence[str]) -> ParsedEntry:
    """Return the entry of a header. `end`: index after its last line."""
    first, last = page.numbers(start, end)
    title = clean_line(", ".join(filter(None, names)))[:200]
    return ParsedEntry(first, last, 1, "table", title=title, text=page.text(start), reason=TABLE_HEADER)


def _known_columns(names: Sequence[str]) -> list[str] | None:
    """Return the columns of a header line, or None if it is none."""
    columns = _fields_of(names)
    field_names = {name for name in columns if name}
    if not field_names & _NAMING_FIELDS:
        return None
    has_enough_names = len(field_names) * 2 >= len(names) or len(field_names) >= _ENOUGH_KNOWN_NAMES
    return columns if len(field_names) >= _MIN_KNOWN_COLUMNS and has_enough_names else None


def _fields_of(names: Sequence[str]) -> list[str]:
    """Return the field of each column. `Publication Title` is the paper beside `Venue`, else where a paper appeared."""
    keys = [squeeze_name(name) for name in names]
    is_paper = "venue" in keys and not any(key != _OF_PUBLICATION and key.endswith("title") for key in keys)
    return [
        "title" if is_paper and key == _OF_PUBLICATION else field_of(name)
        for key, name in zip(keys, names, strict=True)
    ]


@lru_cache(maxsize=256)
def field_of(name: str) -> str:
    """Return the field of a column by its name, or by a part of it: `Tagung/Zeitschrift`. "" if it is unknown."""
    parts = [name, _BRACKETS.sub("", name), *_PARTS.split(name)] if len(name) <= _MAX_NAME_CHARS else []
    return next((field for part in parts if (field := FIELDS.get(squeeze_name(part)))), "")


def is_header(raw: str) -> bool:
    """Return True if a line is the header of a table."""
    return bool(_header_delimiter(raw))


def is_row(raw: str, header: str) -> bool:
    """Return True if a line begins a row of the table with that header."""
    delimiter = _header_delimiter(header)
    if delimiter not in raw and (not raw.strip() or '"' not in raw):
        return False
    return raw.count('"') != 2 or len(split_cells(raw, delimiter)) > 1


@lru_cache(maxsize=8)
def _header_delimiter(raw: str) -> str:
    if len(raw) > MAX_HEADER_CHARS or "://" in raw or _NO_ROW.match(raw):
        return ""
    is_known = (
        delimiter for delimiter in DELIMITERS if delimiter in raw and _known_columns(split_cells(raw, delimiter))
    )
    return next(is_known, "")


def _is_address(cell: str) -> bool:
    text = cell.strip()
    return " " not in text and is_bare(text, find_links(text))


def _rows(page: NoteDocument, start: int, delimiter: str) -> Iterator[Row]:
    """Yield the rows up to another kind of line. Blank lines between all rows belong to the rows above."""
    is_spaced = _step_of_rows(page, start, delimiter) > 1
    width = len(split_cells(page.lines[start].raw, delimiter))
    index = start
    while index < len(page.lines):
        raw = page.lines[index].raw
        if delimiter not in raw and (not raw.strip() or '"' not in raw):
            return
        end = find_row_end(page.lines, index)
        cells = split_cells(page.raw_text(index, end), delimiter)
        if len(cells) < 2 or (is_spaced and len(cells) != width):
            return
        if is_spaced and end < len(page.lines) and not page.text(end):
            end += 1
        yield index, end, cells
        index = end


def find_row_end(lines: Sequence[TextLine], start: int) -> int:
    """Return the index after the last line of the row. Quoted cells may contain line ends."""
    quotes = lines[start].raw.count('"')
    end = start + 1
    while quotes % 2 and end < min(start + MAX_CELL_LINES, len(lines)):
        quotes += lines[end].raw.count('"')
        end += 1
    return start + 1 if quotes % 2 else end


def split_cells(text: str, delimiter: str) -> list[str]:
    text = text.lstrip("\ufeff").replace("\0", "")
    if '"' not in text:
        return text.split(delimiter)
    try:
        cells = next(csv.reader([text], delimiter=delimiter, skipinitialspace=True, strict=False), [])
    except csv.Error:
        return text.split(delimiter)
    return [text_csv.unescape_cell(cell) for cell in cells]


def _entries(page: NoteDocument, table: _TableRows) -> list[ParsedEntry]:
    if is_readtrack_header(table.header):
        return [read_readtrack_row(table.header, cells, *page.numbers(start, end)) for start, end, cells in table.rows]
    return [
        header_entry(page, start, end, cells)  # repeated, as where files were joined
        if cells == table.header
        else read_row(page, (start, end, cells), table.columns, table.delimiter)
        for start, end, cells in table.rows
    ]


def read_row(page: NoteDocument, row: Row, columns: Sequence[str], delimiter: str) -> ParsedEntry:
    """Return the entry of a row: a paper, a heading for the rows below, or a blank line. `columns`: their fields."""
    start, end, cells = row
    first, last = page.numbers(start, end)
    if not any(map(str.strip, cells)):
        return blank_entry(first, last)
    if heading := _heading_of(cells, columns):
        return _enter_heading(page, heading, first, last)
    return read_field_row(FieldRow(first, last, page.outline.topics, _map_cells(cells, columns, delimiter)))


def _heading_of(cells: Sequence[str], columns: Sequence[str]) -> str:
    """Return the heading that a row consists of: its only filled cell is the first, and names no work."""
    cell = cells[0].strip()
    if any(map(str.strip, cells[1:])) or not any(map(str.isalpha, cell)) or find_links(cell):
        return ""
    is_marked = cell.startswith("#")
    return cell.strip(" #") if is_marked or (len(columns) >= _MIN_HEADED_COLUMNS and columns[0] in _BESIDE) else ""


def _enter_heading(page: NoteDocument, name: str, first: int, last: int) -> ParsedEntry:
    """Open a heading between rows, below those above the table."""
    page.outline.leave(_ROW_HEADING)
    topic, topics = topic_of(name), page.outline.topics
    page.outline.enter(OutlineHeading(_ROW_HEADING, name, topic))
    return build_heading_entry(first, last, name, topic, topics)


def _map_cells(cells: list[str], columns: Sequence[str], delimiter: str) -> dict[str, str]:
    """Return the cells by field, without those of UNUSED columns.

    Surplus cells from unquoted delimiters are joined into the title.
    """
    while len(cells) > len(columns) and not cells[-1].strip():
        cells.pop()
    surplus = len(cells) - len(columns)
    if surplus > 0 and "title" in columns:
        title = columns.index("title")
        cells[title : title + surplus + 1] = [delimiter.join(cells[title : title + surplus + 1])]
    fields: dict[str, str] = {}
    for name, cell in zip(columns, cells, strict=False):
        if not name and cell.lstrip().startswith("http"):
            name = "link"  # noqa: PLW2901 - an address under an unknown header
        if name not in {"", UNUSED} and cell.strip():
            cell = _strip_braces(cell)  # noqa: PLW2901 - exported from BibTeX
            fields[name] = (
                f"{fields[name]}\n{cell}" if name in fields and name in JOINED_FIELDS else fields.get(name, cell)
            )
    return fields


def _strip_braces(cell: str) -> str:
    return cell[1:-1] if cell.startswith("{") and cell.endswith("}") else cell


SHAPE = Shape("delimited", 25, read)
