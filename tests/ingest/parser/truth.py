"""What a note says, row by row (the truth tables in `forms`), beside what was made of it: figures in percent."""

import csv
import difflib
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

FORMS = Path(__file__).parent / "forms"
ALIKE = 0.92
WEAK = frozenset({"url", "file", "github", "youtube", "zenn", "zhihu", "wechat", "hf", "speakerdeck"})
Record = dict[str, Any]


@dataclass(frozen=True)
class Row:
    """`kind`: paper, titleonly or other. `also`: links that may be there and need not."""

    line: int
    kind: str
    ids: frozenset[str]
    also: frozenset[str]
    titles: tuple[str, ...]
    topics: tuple[str, ...]
    pseudo: str
    flags: frozenset[str]


@dataclass
class Work:
    """Rows that share an identifier are one paper."""

    rows: list[Row] = field(default_factory=list)

    @property
    def ids(self) -> set[str]:
        return {name for row in self.rows for name in row.ids}


def samples() -> list[tuple[Path, Path]]:
    """(note, truth table) of every form that has both."""
    found = ((_note_of(table), table) for table in sorted(FORMS.glob("*.truth.tsv")))
    return [(note, table) for note, table in found if note is not None]


def rows_of(table: Path) -> list[Row]:
    with table.open(encoding="utf-8", newline="") as lines:
        return [_row(cells) for cells in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)]


def figures(records: Sequence[Record], rows: Sequence[Row]) -> dict[str, float]:
    """Percent of what is right of each thing that the rows tell; `noise` and `dup` are numbers of what is wrong."""
    works = list(_works(rows))
    wanted = {name for work in works for name in work.ids}
    allowed = wanted | {name for row in rows for name in row.also}
    got = {plain(name) for record in records for name in record["identifiers"]}
    by_name: dict[str, list[Record]] = defaultdict(list)
    anywhere: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        for name in record["identifiers"]:
            by_name[plain(name)].append(record)
        for name in (*record["identifiers"], *record["mentions"]):
            anywhere[plain(name)].append(record)
    pairs = [(work, [each for name in sorted(work.ids) for each in by_name[name]]) for work in works]
    found = [(work, records) for work, records in pairs if records]
    strong = {name for name in wanted if _is_strong(name)}
    return {
        "ids found": _percent(name in got for name in strong),
        "ids right": _percent(name in allowed for name in got if _is_strong(name)),
        "links found": _percent(name in got for name in wanted - strong),
        "titles": _percent(_titled(work, found) for work, found in found if any(row.titles for row in work.rows)),
        "title-only": _percent(_named(row, records) for row in rows if row.kind == "titleonly"),
        "headings": _percent(_filed(work, found) for work, found in found if any(row.topics for row in work.rows)),
        "lines": _percent(_in_place(work, [each for name in work.ids for each in anywhere[name]]) for work, _ in found),
        "noise": len(_noise(records, rows, allowed)),
        "dup": sum(len(by_name[name]) > 1 for name in strong),
    }


def plain(name: str) -> str:
    """Addresses are compared without www., escapes and a last slash."""
    scheme, _, key = name.partition(":")
    if scheme not in {"url", "file"}:
        return name
    return f"{scheme}:{unquote(key).removeprefix('www.').removeprefix('./').rstrip('/')}"


def key(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(re.findall(r"[^\W_]+", folded))


def _row(cells: dict[str, str]) -> Row:
    titles = [cells["title"], *cells["alt_titles"].split(" || ")]
    return Row(
        int(cells["line"]),
        cells["kind"],
        frozenset(plain(name) for name in cells["ids"].split()),
        frozenset(plain(name) for name in cells["also"].split()),
        tuple(title for title in titles if title),
        tuple(topic for topic in cells["topics"].split(" > ") if topic),
        cells["pseudo"] or "",
        frozenset(filter(None, (cells["flags"] or "").split(","))),
    )


def _works(rows: Iterable[Row]) -> list[Work]:
    works: list[Work] = []
    by_name: dict[str, Work] = {}
    for row in rows:
        if row.kind != "paper":
            continue
        known = next((by_name[name] for name in row.ids if name in by_name and "shared-url" not in row.flags), None)
        work = known or Work()
        works += [] if known else [work]
        work.rows.append(row)
        by_name |= dict.fromkeys(row.ids, work)
    return works


def _titled(work: Work, found: Sequence[Record]) -> bool:
    titles = [title for row in work.rows for title in row.titles]
    return any(_same(record["title"], title) for record in found for title in titles)


def _named(row: Row, records: Sequence[Record]) -> bool:
    return any(_same(record["title"], title) for record in records if record["title"] for title in row.titles)


def _same(one: str, other: str) -> bool:
    first, second = key(one), key(other)
    if first.replace(" ", "") == second.replace(" ", ""):
        return True
    matcher = difflib.SequenceMatcher(None, first, second, autojunk=False)
    return matcher.real_quick_ratio() >= ALIKE and matcher.quick_ratio() >= ALIKE and matcher.ratio() >= ALIKE


def _filed(work: Work, found: Sequence[Record]) -> bool:
    """Under every nearest heading; a bold line may stand for it."""
    topics = {key(topic) for record in found for topic in record["topics"]}
    nearest = [(key(row.topics[-1]), key(row.pseudo)) for row in work.rows if row.topics]
    return all(any(name in topic for topic in topics) or (pseudo and pseudo in topics) for name, pseudo in nearest)


def _in_place(work: Work, found: Sequence[Record]) -> bool:
    return any(abs(record["lines"][0] - row.line) <= 2 for record in found for row in work.rows)


def _noise(records: Sequence[Record], rows: Sequence[Row], allowed: set[str]) -> list[Record]:
    titles = {key(title) for row in rows if row.kind != "other" for title in row.titles}
    papers = [record for record in records if record["kind"] == "paper"]
    unnamed = [record for record in papers if not {plain(name) for name in record["identifiers"]} & allowed]
    return [record for record in unnamed if key(record["title"]) not in titles]


def _is_strong(name: str) -> bool:
    return name.partition(":")[0] not in WEAK


def _percent(right: Iterable[bool]) -> float:
    told = [*right]
    return 100.0 * sum(map(bool, told)) / len(told) if told else 100.0


def _note_of(table: Path) -> Path | None:
    name = table.name.removesuffix(".truth.tsv")
    return next((path for path in FORMS.glob(f"{name}.*") if not path.name.endswith(".truth.tsv")), None)
