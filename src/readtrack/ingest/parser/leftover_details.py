"""Authors, venue and year of papers whose format found none, from what their lines hold beside title and links.

Formats know where a venue stands in their own kind of line. This last step does not ask where: any part between
separators that is a venue or a year as a whole counts, if nothing contradicts it. The place where most papers of a note
have a known venue tells the unknown ones, too.
"""

import html
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import NamedTuple
from urllib.parse import unquote

from readtrack.infra.text.titles.clean import is_generic
from readtrack.infra.text.titles.dates import YEAR, iso_date
from readtrack.infra.text.titles.marks import status_of
from readtrack.infra.text.titles.vocabulary import CJK_LETTERS, ORGANISATIONS
from readtrack.ingest.parser.citations.venue import find_venue
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.headings.venue_names import VenueName, venue_named
from readtrack.ingest.parser.vocabulary.author_names import (
    is_name,
    names_in,
    read_signature,
    single_name,
    turn_inverted,
)
from readtrack.ingest.parser.vocabulary.journals import named_journal
from readtrack.ingest.parser.vocabulary.venues import full_year, tag_in

_TITLE = "\0"
_MAX_CHARS, _MAX_PART_CHARS, _MAX_LINE_OF_COMMAS = 3000, 160, 400
_BADGE = re.compile(r"!\[(?P<alt>[^\[\]]{0,100})\]\((?P<url>[^()\s]{0,400})[^()]{0,100}\)")
_BADGE_TEXT = re.compile(r"img\.shields\.io/(?:badge/|static/v1\?.*?message=)(?P<text>[^/?&#]{2,100})", re.IGNORECASE)
_TARGET = re.compile(
    r"\]\(\s?<?[^()\s<>]*(?:\([^()\s]*\)[^()\s<>]*)*>?(?:\s[\"'][^\"']{0,200}[\"'])?\s?\)|\[\[?(?:https?|file):[^\[\]\s]+\](?=\[)|\]\[[^\[\]]{0,200}\](?!\()"
)
_PLANNED = re.compile(r"\b(?:CLOSED|SCHEDULED|DEADLINE):\s?[<\[][^<>\[\]\n]{1,60}[>\]]")  # of Org
_ADDRESS = re.compile(
    r"(?:https?://|www\.)[^\s<>()\[\]{}|，。；（）【】「」]+|\bdoi:\s?10\.\S+|(?<!\w)10\.\d{4,9}/\S+|arxiv:\s?\S+|(?<![\w./])\d{4}\.\d{4,5}(?:v\d)?(?!\w)",
    re.IGNORECASE,
)
_TAG_ENDS = re.compile(r"<(?:/?(?:br|td|th|tr|li|p|div|h\d|ul|ol)|/a)\b[^<>]{0,200}>", re.IGNORECASE)
_TAG_OF_ITALICS = re.compile(r"<(?P<name>em|i|cite)>(?P<words>[^<>*_]{1,100})</(?P=name)>", re.IGNORECASE)
_OTHER_TAG = re.compile(r"</?[a-z][a-z\d]{0,10}\b[^<>]{0,500}>|<!--.*?-->", re.IGNORECASE)
_EMPHASIS = re.compile(r"\*{1,3}|~~|(?<![^\W_])_{1,3}|_{1,3}(?![^\W_])|\\(?=[\[\](){}_*|])")
_EMOJI = "[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\u2300-\u23ff\ufe0f\u200d]"
_MARK = re.compile(
    rf"{_TITLE}|\n|[|｜¦·•;；。→⇒]|\s[-–—/~@]{{1,3}}\s|——|{_EMOJI}|:[a-z_]{{3,30}}:|[\[(（【「『〔《<{{`\"“‹]|(?P<close>[\])）】」』〕》>}}\"”›])"
)
_COMMA = re.compile(r"[,，、]\s?|\.\s|[:：]\s?")
_EDGES = " \t\r,，.。:：;；、'’*_~#|-–—+&@/\\"
_LETTER = re.compile(r"[^\W\d_]{2}")
_VOLUME = re.compile(r"\s\d{1,3}\s?\(\d{1,3}\)(?::\s?\d{1,5}[-–]{1,2}\d{1,5})?")  # no year: `IEEE TSE 28(10)`
_SHORT_YEAR_LAST = re.compile(r"(?P<name>[^\d]{3,80})['’‘`]\s?(?P<year>\d\d)")
# GB/T 7714: `Title[J]. Journal, 2020, 14(4): 450-469.`, `Title[C]//Conference. Springer, 2021: 356-366.`
_CODED = re.compile(
    r"\[[JCDMR](?:/OL)?\](?:\.|\s?//)\s?(?P<venue>[^\W\d][^,，.\[\]]{1,150})[,，.](?:[^\[\]]{0,100}?\D)??"
    r"(?P<year>(?:19|20)\d\d)(?!\d)"
)
_CAPITALS = re.compile(r"(?:(?:[A-Z][\w.&-]*|of|the|and|on|in|for|&)\s?){2,10}")
_ITALIC = re.compile(r"(?<![*_\w\\])([*_])(?P<words>[^\s*_\n][^*_\n]{0,100}?)\1(?![*_\w])")
_LABELLED = re.compile(
    r"(?:venue|conference|conf|journal|publication|published(?: in| at)?|publisher|"
    r"booktitle|appeared(?: in| at)?|"
    r"会议|会议/期刊|期刊|期刊/会议|发表于|发表在|发表期刊|出版社|刊物|出处|学会|学会/論文誌|会議|論文誌|掲載|掲載誌|発表|ジャーナル|학회|저널)"
    r"\s?(?:[:：]\s?|\s(?-i:(?=[A-Z])))(?P<value>.{2,120})",
    re.IGNORECASE,
)
_YEAR_LABELLED = re.compile(
    r"(?:year|date|published|年份|年度|年|发表时间|发表日期|時期|発表年|出版年|出版)\s?[:：]?\s?(?P<value>.{4,20})",
    re.IGNORECASE,
)
_INTRODUCED = re.compile(r"(?:[Ii]n:?\s(?:the\s)?(?=[A-Z\d]))|(?:In\s)?Proc(?:\.|eedings)\s")
_GATHERS = re.compile(
    r"(?i:proceedings|proc\.|conference|conf\.|symposium|symp\.|workshop|advances in|journal|transactions|trans\.)"
)
_SIGNED = re.compile(
    rf"(?:(?P<by>[Bb]y:?\s+)|~\s?)(?P<names>[^·\n:{CJK_LETTERS}]{{3,300}}?)(?:(?:\s·\s|\n)(?P<rest>.*))?", re.DOTALL
)
_INITIAL = re.compile(r"(?<!\w)[A-Z]\.")
_NO_PERSON = re.compile(  # `by Next Week`, `~ Half Done`
    r"\b(?:next|last|this|(?:hour|day|week|month|year)s?|\w+day|easter|christmas|accident|end|default|design|hand|very|half|great|good|long|"
    r"short|the|an?|all|my|our)\b",
    re.IGNORECASE,
)
_SAID = re.compile(  # `CVPR2019でAccept`, `ICML 2018 で発表された`
    r"(?P<venue>[A-Za-z][\w&.'’ -]{1,30}?['’]?\d{2,4})\s?で(?:の)?\s?(?:accept|採択|採録|発表|公開|掲載)", re.IGNORECASE
)
_MAX_SAID_CHARS = 40
_SHORT = re.compile(r"[A-Z\d-]{2,4}|Security|Blog|Nature|Science|Cell|Middleware|preprint|arxiv", re.IGNORECASE)
_PREPRINT_BEHIND = re.compile(r"[\W_]{1,6}(?:arXiv preprint )?arXiv:\s?\d{4}\.\d{4,5}", re.IGNORECASE)
_ARXIV_ID = re.compile(r"arxiv:(?P<year>\d\d)(?:0[1-9]|1[0-2])\.\d{4,5}")
_LINES_BELOW = 3
_MIN_KNOWN, _SHARE, _LEARNED_FROM = 4, 0.6, 300
_LETTERS = re.compile(r"[^\W\d_]+")
_ABBREVIATION = re.compile(rf"[A-Z]{{2}}|[a-z][A-Z]|[{CJK_LETTERS}]{{3}}")
_NAME_LIKE = re.compile(rf"[A-Z{CJK_LETTERS}][^!?。]{{1,60}}")


class Part(NamedTuple):
    """Words between two separators. `place`: the mark before, on which side of the title, and how many such before."""

    text: str
    place: tuple[str, bool, int]
    is_framed: bool


@dataclass
class _Leftover:
    """What is left of the lines of one paper."""

    index: int
    entry: ParsedEntry
    parts: list[Part]


def fill_details(entries: list[ParsedEntry], worded_lines: frozenset[int]) -> list[ParsedEntry]:
    """Return the entries with authors, venues and years of papers that lack them.

    `worded_lines`: where entries begin whose lines are words and not the fields of a record.
    """
    result = [_with_authors(entry) if entry.first in worded_lines else entry for entry in entries]
    unknown: list[_Leftover] = []
    for index, raw in _own_texts(entries, worded_lines):
        entry = result[index]
        if entry.venue and entry.year:
            continue
        text = _without_other_works(raw, entry.title)
        if cited := _find_coded(text, entries[index + 1 : index + 1 + _LINES_BELOW], entry.title):
            result[index] = replace(entry, venue=entry.venue or cited.venue, year=entry.year or cited.year)
            continue
        parts = list(_parts_of(text, entry.title))
        result[index] = filled = _fill_from_text(entry, text, parts)
        if not filled.venue and parts:
            unknown.append(_Leftover(index, filled, parts))
    if unknown:
        for index, entry in _by_place(result, unknown, worded_lines):
            result[index] = entry
    return result


def _with_authors(entry: ParsedEntry) -> ParsedEntry:
    """Return the paper with the authors that its remark begins with: `by K. Thompson`, `~ McKusick et al.`."""
    signed = _SIGNED.fullmatch(entry.text) if _is_work(entry) and entry.text and not entry.authors else None
    if signed is None or _NO_PERSON.search(signed["names"]):
        return entry
    text = signed["names"].rstrip(". ")
    names = names_in(text) or (single_name(text) if signed["by"] or _INITIAL.search(text) else ())
    if not names:
        names, is_sure = read_signature(text)
        names = names if is_sure or len(names) > 1 else ()
    return replace(entry, authors=turn_inverted(names), text=signed["rest"] or "") if names else entry


def _without_other_works(text: str, title: str) -> str:
    """Return the lines of a paper without references to others in the remarks below it."""
    first, *below = text.split("\n")
    return "\n".join([first, *(line for line in below if not _CODED.search(line) or _key(title) in _key(line))])


def _is_cited_as_preprint(text: str, title: str) -> bool:
    """Return True if the number of a preprint stands in the place of the venue, right behind the title."""
    start = text.find(title) if "rxiv" in text.casefold() else -1
    return start >= 0 and _PREPRINT_BEHIND.match(text, start + len(title)) is not None


def _fill_from_text(entry: ParsedEntry, text: str, parts: Sequence[Part]) -> ParsedEntry:
    filled = _fill(entry, parts)
    if "\n" in text and not filled.venue:  # a venue may go on in the next line
        filled = _fill(filled, list(_parts_of(text.replace("\n", " "), entry.title)))
    return replace(filled, venue="arXiv") if not filled.venue and _is_cited_as_preprint(text, entry.title) else filled


def _find_coded(text: str, below: Sequence[ParsedEntry], title: str) -> VenueName | None:
    """Return the venue of a reference with a code for its kind, in the text or a remark below with the title."""
    key = _key(title)
    remarks = [entry.raw for entry in below if entry.kind == "snippet" and "]" in entry.raw]
    for line in (text, *(remark for remark in remarks if key in _key(remark))):
        if coded := _CODED.search(line) if "[" in line else None:
            name = coded["venue"].strip()
            return VenueName("arXiv" if name.casefold().startswith("arxiv") else name, int(coded["year"]))
    return None


def _key(text: str) -> str:
    return "".join(filter(str.isalnum, text[:_MAX_CHARS].casefold()))


def _own_texts(entries: Sequence[ParsedEntry], worded_lines: frozenset[int]) -> Iterator[tuple[int, str]]:
    """Yield the index of each paper and the part of its lines that is about it alone."""
    for _, group in groupby(enumerate(entries), key=lambda pair: pair[1].first):
        pairs = list(group)
        papers = [(index, entry) for index, entry in pairs if entry.first in worded_lines and _is_work(entry)]
        if len(pairs) == 1 and papers:
            yield papers[0][0], papers[0][1].raw[:_MAX_CHARS]
        elif papers:
            yield from _shared_line(pairs)


def _is_work(entry: ParsedEntry) -> bool:
    return entry.kind == "paper" and entry.paper_kind in {"paper", "page"} and bool(entry.title)


def _shared_line(pairs: list[tuple[int, ParsedEntry]]) -> Iterator[tuple[int, str]]:
    """Yield the part of a line behind each paper's title or link, up to the next one's."""
    raw = pairs[0][1].raw[:_MAX_CHARS]
    found = [(index, entry, _find(raw, entry)) for index, entry in pairs]
    pairs = [(index, entry) for index, entry, start in found if start >= 0 or _is_work(entry)]
    starts = [start for _, entry, start in found if start >= 0 or _is_work(entry)]
    if -1 in starts or sorted(starts) != starts:
        return
    for (index, entry), start, end in zip(pairs, starts, [*starts[1:], len(raw)], strict=True):
        if _is_work(entry):
            yield index, re.split(r"\n|\||<br|</td", raw[start:end], maxsplit=1)[0]


def _find(raw: str, entry: ParsedEntry) -> int:
    places = [raw.find(entry.title)] if entry.title else []
    places += [raw.casefold().find(name.partition(":")[2].casefold()) for name in entry.identifiers]
    return min((place for place in places if place >= 0), default=-1)


def _parts_of(text: str, title: str) -> Iterator[Part]:
    """Yield the parts of a text without title, addresses and markup."""
    plain = _without_title(_plain(text), title)
    place, is_behind, counts = "", False, Counter[tuple[str, bool]]()
    start = 0
    for mark in _MARK.finditer(plain + "\n"):
        words = plain[start : mark.start()].strip(_EDGES)
        if words and _is_worth(words):
            yield Part(
                words,
                (place, is_behind, counts[place, is_behind]),
                bool(mark["close"]) and place in '[(（【「『〔《<{`"“‹',
            )
            counts[place, is_behind] += 1
        if mark[0] == _TITLE:
            is_behind, place = True, ""
        else:
            place = mark[0].strip() or "\n"
        start = mark.end()


def _is_worth(words: str) -> bool:
    return bool(YEAR.search(words) or (_LETTER.search(words) and not is_generic(words)))


def _plain(text: str) -> str:
    """Return the text without addresses and markup. A badge is its words."""
    if text.startswith(".. ["):  # the key of a citation in reStructuredText
        text = text.partition("]")[2]
    if "ED:" in text or "LINE:" in text:
        text = _PLANNED.sub("", text)
    if "![" in text:
        text = _BADGE.sub(_badge_words, text)
    if "](" in text or "[[" in text or "][" in text:
        text = _TARGET.sub("]", text)
    if "<" in text:
        text = _OTHER_TAG.sub("", _TAG_ENDS.sub("\n", _TAG_OF_ITALICS.sub(r"*\g<words>*", text)))
    if "(" in text:
        text = _VOLUME.sub("", text)
    if "&" in text:
        text = html.unescape(text)
    return _EMPHASIS.sub("", _ITALIC.sub(r"‹\g<words>›", _ADDRESS.sub(" ¦ ", text)))


def _badge_words(match: re.Match[str]) -> str:
    badge = _BADGE_TEXT.search(match["url"])
    words = unquote(badge["text"]).replace("__", "_").replace("--", "\1").rsplit("-", 1)[0] if badge else match["alt"]
    return f"[{re.sub(r'[-_]', ' ', words).replace(chr(1), '-')}]"


def _without_title(text: str, title: str) -> str:
    """Replace the title by a mark. Its punctuation and markup may differ."""
    start = text.find(title)
    if start >= 0:
        return f"{text[:start]}{_TITLE}{text[start + len(title) :]}"
    letters = (
        [(letter, place) for place, letter in enumerate(text.casefold()) if letter.isalnum()]
        if len(text.casefold()) == len(text)
        else []
    )
    key = "".join(letter for letter in title.casefold() if letter.isalnum())
    first = "".join(letter for letter, _ in letters).find(key) if key else -1
    if first < 0:
        return text
    return f"{text[: letters[first][1]]}{_TITLE}{text[letters[first + len(key) - 1][1] + 1 :]}"


def _fill(entry: ParsedEntry, parts: Sequence[Part]) -> ParsedEntry:
    venue, year = entry.venue, entry.year
    if not venue:
        topics = {name.casefold() for name in entry.topics}
        is_dated = bool(year or entry.published or _find_year(entry, parts))
        found = _find_venue([part for part in parts if part.text.casefold() not in topics], is_dated=is_dated)
        if found:
            venue, year = found.venue, year or _possible(entry, found.year)
    if venue and not year and (short := _SHORT_YEAR_LAST.fullmatch(venue)):
        venue, year = short["name"].rstrip(), full_year(short["year"])
    year = year or _find_year(entry, parts)
    if not venue and year:
        venue = _italic_behind(parts)
    if (venue, year) == (entry.venue, entry.year):
        return entry
    return replace(entry, venue=venue, year=year)


def _italic_behind(parts: Sequence[Part]) -> str:
    """Return the only words in italics behind the title of a reference, which has authors before it."""
    italics = [part.text for part in parts if part.is_framed and part.place[:2] == ("‹", True)]
    has_authors = any(_LETTER.search(part.text) for part in parts if not part.place[1] and not part.is_framed)
    return italics[0] if has_authors and len(italics) == 1 and _CAPITALS.fullmatch(italics[0]) else ""


def _find_venue(parts: Sequence[Part], *, is_dated: bool) -> VenueName | None:
    """Return the venue that a part is as a whole; None if several parts are different ones."""
    found = [venue for part in parts if (venue := _venue(part, is_dated=is_dated))]
    if not found:
        found = [venue for part in parts for venue in _comma_venues(part)]
    if not found:
        return None
    dated = [venue for venue in found if venue.year]
    best = (dated or found)[0]
    others = {venue.venue.casefold() for venue in dated or found} - {best.venue.casefold()}
    return None if others else best


def _venue(part: Part, *, is_dated: bool) -> VenueName | None:
    """Return the venue that a part is. An abbreviation alone is one only if the paper has a year."""
    text = part.text
    if said := _SAID.match(text) if "で" in text[:_MAX_SAID_CHARS] else None:
        return _as_venue(said["venue"])
    if len(text) > 2 * _MAX_PART_CHARS:
        return None
    if label := _LABELLED.fullmatch(text):
        named = _as_venue(label["value"]) or VenueName(*_split_year(label["value"]))
        return named if _LETTER.search(named.venue) else None
    found = _as_venue(text)
    if found and not (found.year or is_dated or part.is_framed) and _SHORT.fullmatch(found.venue):
        return None
    return found


def _as_venue(text: str) -> VenueName | None:
    text = text.strip(_EDGES)
    if len(text) <= _MAX_PART_CHARS:
        if tag := tag_in(text):
            return VenueName(tag.venue, tag.year)
        if named := venue_named(text):
            return VenueName(named.venue, named.year)
        if journal := named_journal(text):
            return VenueName(*journal)
    if _INTRODUCED.match(text) and _GATHERS.search(text):
        venue, year = find_venue(text)
        return VenueName(venue, year) if venue else None
    return None


def _comma_venues(part: Part) -> Iterator[VenueName]:
    if len(part.text) > _MAX_LINE_OF_COMMAS:
        return
    for words in _COMMA.split(part.text)[1:]:
        text = words.strip(_EDGES)
        found = _as_venue(text) if 1 < len(text) <= _MAX_PART_CHARS else None
        if found and (found.year or not _SHORT.fullmatch(found.venue)):
            yield found


def _split_year(text: str) -> tuple[str, int | None]:
    year = YEAR.search(text)
    return (text[: year.start()].strip(_EDGES + "([（") or text, int(year[0])) if year else (text.strip(_EDGES), None)


def _find_year(entry: ParsedEntry, parts: Sequence[Part]) -> int | None:
    """Return the year that a part is as a whole, if no other part is another year."""
    years = {year for part in parts for text in _dates(part) if (year := _year_of(entry, text))}
    return _possible(entry, years.pop()) if len(years) == 1 else None


def _dates(part: Part) -> Iterator[str]:
    if len(part.text) > _MAX_LINE_OF_COMMAS or not YEAR.search(part.text):
        return
    yield from (words.strip(_EDGES) for words in [part.text, *_COMMA.split(part.text)[1:]])


def _year_of(entry: ParsedEntry, text: str) -> int | None:
    label = _YEAR_LABELLED.fullmatch(text)
    iso = iso_date(label["value"] if label else text)
    is_of_talk = len(iso or "") > len("2023-05") and entry.raw.startswith("|")  # a column that is not of publications
    if not iso or is_of_talk or (entry.read_on and entry.read_on.startswith(iso[:4])):
        return None
    return int(iso[:4])


def _possible(entry: ParsedEntry, year: int | None) -> int | None:
    """Return the year if it is not before that of the preprint."""
    sent = next((2000 + int(match["year"]) for name in entry.identifiers if (match := _ARXIV_ID.match(name))), 0)
    return year if year and year >= sent else None


def _by_place(
    entries: Sequence[ParsedEntry], unknown: Sequence[_Leftover], worded_lines: frozenset[int]
) -> Iterator[tuple[int, ParsedEntry]]:
    """Yield papers with the words that stand where most other papers of the note have a known venue."""
    known, all_parts = Counter[tuple[str, bool, int]](), Counter[tuple[str, bool, int]]()
    for leftover in unknown[:_LEARNED_FROM]:
        all_parts.update({part.place for part in leftover.parts})
    learned = 0
    for index, text in _own_texts(entries, worded_lines):
        entry = entries[index]
        if not entry.venue or learned >= _LEARNED_FROM:
            continue
        learned += 1
        key = entry.venue.casefold()
        for part in _parts_of(text, entry.title):
            all_parts[part.place] += 1
            known[part.place] += key in part.text.casefold()
    places = {place for place, count in known.items() if count >= _MIN_KNOWN and count >= _SHARE * all_parts[place]}
    if not places:
        return
    for leftover in unknown:
        words = next((part for part in leftover.parts if part.place in places), None)
        entry = leftover.entry
        if words and _may_be_name(words.text, entry):
            venue, year = _split_year(words.text)
            yield leftover.index, replace(entry, venue=venue, year=entry.year or _possible(entry, year))


def _may_be_name(text: str, entry: ParsedEntry) -> bool:
    """Return True for an abbreviation, a name with a year or one of a gathering or journal.

    Dates, statuses, people, organizations, topics and words of the title are none.
    """
    return (
        _NAME_LIKE.fullmatch(text) is not None
        and (_ABBREVIATION.search(text) or YEAR.search(text) or _GATHERS.search(text)) is not None
        and text.casefold() not in {name.casefold() for name in entry.topics}
        and len(text.split()) <= 8
        and text.casefold() not in ORGANISATIONS
        and not set(_LETTERS.findall(text.casefold())) <= set(_LETTERS.findall(entry.title.casefold()))
        and not (status_of(text) or iso_date(text) or names_in(text) or is_name(text))
    )
