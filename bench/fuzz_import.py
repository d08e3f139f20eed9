"""Feeds the importer with notes of all forms, cut, glued and broken: `python -m bench.fuzz_import 600 [seed]`.

Every note is decoded, parsed and held against the laws; what breaks one is printed with its seed, and written down.
"""

import argparse
import random
import re
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from pathlib import Path

from bench.import_forms import FORMS, written
from readtrack.ingest import parser as ingest_parser
from tests.ingest.parser import truth
from tests.ingest.parser.test_limits import NAMES, hostile

ENCODINGS = ("utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp932", "euc_jp", "gb18030", "big5")
ENDS = ("\n", "\n", "\n", "\r\n", "\r", "\n\n")
MARKS = (
    "[", "]", "](", ")", "|", "`", "```", "~~~", "**", "*", "_", "<", ">", "<!--", "-->", "#", "## ", "- ", "1. ", "\t",
    "    ", '"', ",", ";", "{", "}", "@article{", "TY  - ", "ER  - ", "<DL><p>", "</DL>", "<A HREF=", "<outline ", "/>",
    "<td>", "<details>", "<summary>", "[^1]", "[[", "]]", "「", "」", "｜", "：", "、", "¶", "✅", "⭐", "$", "\\",
    "&amp;", "---", "\x00", "\ufeff", "\ufffc", "\u202e", "\u2028", "\ud800", "2305.15778", "https://", "10.1145/", "?",
    "。", "* TODO ",
)  # fmt: skip
SLOW = 5.0  # processor seconds a megabyte may take before it is a finding
MEGABYTE = 1_000_000
KINDS = frozenset({"paper", "mention", "topic", "question", "lead", "snippet", "table", "junk", "blank"})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("seconds", type=float)
    parser.add_argument("seed", type=int, nargs="?", help="only this one")
    asked = parser.parse_args()
    pool = _pool()
    ingest_parser.parse(written("bullets", 10))  # what is read once for all takes its time, too
    if asked.seed is not None:
        print(_finding(_note(random.Random(asked.seed), pool)) or "No finding.")
        return
    until, seed, findings = time.monotonic() + asked.seconds, int(time.time()), 0
    first = seed
    while time.monotonic() < until:
        findings += _tried(seed, pool)
        seed += 1
    print(f"{seed - first:,} notes (seeds {first} to {seed - 1}), {findings} findings.")
    sys.exit(1 if findings else 0)


def _tried(seed: int, pool: list[list[str]]) -> int:
    data = _note(random.Random(seed), pool)
    finding = _finding(data)
    if not finding:
        return 0
    path = Path(tempfile.gettempdir()) / f"readtrack-fuzz-{seed}.txt"
    path.write_bytes(data)
    print(f"seed {seed}, {len(data):,} bytes in {path}: {finding}", flush=True)
    return 1


def _finding(data: bytes) -> str:
    """What is wrong, as a sentence; "" when all laws hold."""
    started = time.process_time()
    try:
        text = ingest_parser.decode(data)
        entries = ingest_parser.parse(text)
        records = ingest_parser.preview_json(entries, "fuzz")
    except Exception:  # noqa: BLE001 - any at all is a finding
        return traceback.format_exc(limit=-4)
    spent = time.process_time() - started
    if spent > SLOW * max(len(data) / MEGABYTE, 0.05):
        return f"slow: {spent:.2f} s"
    return next((said for said, holds in LAWS if not holds(text, entries, records)), "")


Law = Callable[[str, list[ingest_parser.ParsedEntry], list[dict[str, object]]], bool]


def _tiles(text: str, entries: list[ingest_parser.ParsedEntry], _records: list[dict[str, object]]) -> bool:
    lines = re.split(r"\r\n|\r|\n", text)
    count = len(lines) - (lines[-1] == "")
    spans = [number for each in entries if each.part == 1 for number in range(each.first, each.last + 1)]
    return spans == list(range(1, count + 1))


def _ordered(_text: str, entries: list[ingest_parser.ParsedEntry], _records: list[dict[str, object]]) -> bool:
    places = [(each.first, each.part) for each in entries]
    return places == sorted(set(places)) and all(each.kind in KINDS for each in entries)


def _once(_text: str, _entries: list[ingest_parser.ParsedEntry], records: list[dict[str, object]]) -> bool:
    told = [str(name) for each in records for name in each["identifiers"]]  # type: ignore[attr-defined]
    names = [name for name in told if not name.startswith(("url:", "file:"))]
    return len(names) == len(set(names))


def _storable(_text: str, entries: list[ingest_parser.ParsedEntry], _records: list[dict[str, object]]) -> bool:
    shown = "\n".join(
        part
        for each in entries
        for part in (each.title, each.text, each.venue, *each.topics, *each.authors, *each.identifiers)
    )
    return not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]", shown)


def _same_again(text: str, entries: list[ingest_parser.ParsedEntry], _records: list[dict[str, object]]) -> bool:
    return ingest_parser.parse(text) == entries


LAWS: tuple[tuple[str, Law], ...] = (
    ("a line is in no entry, or in two", _tiles),
    ("entries are out of order, or of no known kind", _ordered),
    ("an identifier of a work stands in two records", _once),
    ("something cannot be shown or stored", _storable),
    ("reading again gives something else", _same_again),
)


def _pool() -> list[list[str]]:
    """Lines of every form that we have, form by form."""
    forms = [written(form, 200) for form in FORMS] + [hostile(name, 300) for name in NAMES]
    kept = [note.read_bytes().decode("utf-8", errors="replace") for note, _ in truth.samples()]
    return [text.splitlines() for text in (*forms, *kept)]


def _note(chance: random.Random, pool: list[list[str]]) -> bytes:
    """Pieces of some forms, one behind the other, with some of their letters broken."""
    lines: list[str] = []
    for _ in range(chance.randint(1, 6)):
        form = chance.choice(pool)
        start = chance.randrange(max(len(form), 1))
        lines += form[start : start + chance.randint(1, 40)]
    if chance.random() < 0.3:
        chance.shuffle(lines)
    text = chance.choice(ENDS).join(lines)
    for _ in range(chance.choice((0, 1, 3, 20, 100))):
        text = _broken(chance, text)
    data = text.encode(chance.choice(ENCODINGS), errors="replace")
    return _mutated(chance, data) if chance.random() < 0.2 else data


def _broken(chance: random.Random, text: str) -> str:
    place = chance.randint(0, len(text))
    what = chance.random()
    if what < 0.5:
        return text[:place] + chance.choice(MARKS) * chance.choice((1, 1, 2, 50)) + text[place:]
    if what < 0.8:
        return text[:place] + text[place + chance.choice((1, 2, 10, 200)) :]
    other = chance.randint(0, len(text))
    return text[:place] + text[other : other + chance.randint(1, 60)] + text[place:]


def _mutated(chance: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.randint(1, 30)):
        if changed:
            changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


if __name__ == "__main__":
    main()
