"""Titles in running text: in quotation marks or italics, or told by their capitals and by what stands beside them.

Examples: `We read “Title” (OSDI 2006)`, `then came Title (https://…)`, `先看了 Title，不错`, `next: Name: A Title`.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from readtrack.infra.text.titles.clean import is_broken_off, is_generic, looks_like_title, names_a_paper
from readtrack.infra.text.titles.vocabulary import CJK, CJK_LETTERS, LETTER, SMALL, words_of
from readtrack.ingest.parser.headings.date_names import is_date
from readtrack.ingest.parser.items.diary import find_status
from readtrack.ingest.parser.items.title_runs import is_clear_title, is_scholarly, is_talk, may_be_among_titles
from readtrack.ingest.parser.vocabulary.author_names import (
    VENUE_LIKE,
    is_journal_with_volume,
    is_name,
    names_in,
    surnames_in,
)
from readtrack.ingest.parser.vocabulary.venues import Venue, known_tag_in, tag_in, take_tag

_YEAR_BEHIND_NAMES = re.compile(r",\s(?:19|20)\d\d$")
_FRAMED = re.compile(  # begins with a set of characters, so that Python skips all other places at once
    r"[“\"《『「«*_'](?:(?<=“)(?P<curly>[^“”]{8,300})”|(?<![\w\"]\")(?<=\")(?P<straight>[^\"]{8,300})\"|(?<=《)(?P<angle>[^《》]{6,300})》|"
    r"(?<=『)(?P<double_corner>[^『』]{6,300})』|(?<=「)(?P<corner>[^「」]{6,300})」|(?<=«)\s?(?P<guillemets>[^«»]{8,300}?)\s?»|"
    r"(?<![\w*]\*)(?<=\*)(?P<bold>\*?)(?P<stars>[^*\s][^*]{6,300})(?P=bold)\*(?![\w*])|"
    r"(?<![\w_]_)(?<=_)(?P<underscores>[^_\s][^_]{6,300})_(?!\w)|"
    r"(?<![\w']')(?<=')(?P<single>[A-Z](?:[^'\n]|(?<=\w)'(?=\w)){11,300})'(?!\w))"
)
_CJK_FRAMES = ("angle", "double_corner", "corner")
_FRAMES = ("curly", "straight", *_CJK_FRAMES, "guillemets", "stars", "underscores", "single")
_OUTSIDE = re.compile(r"[^\W\d_]{2,}")
_LATIN_WORD = re.compile(r"[A-Za-z][\w'’-]*")
_COINED = re.compile(r"[^\W\d_][\w-]{0,30}: \S")
# What separates titles from the words around them.
_ADDRESS = "\x00"
_BOUNDARY = re.compile(
    rf"[{CJK_LETTERS}]+|{_ADDRESS}+|"
    r"[\n()（）「」『』《》【】\[\]“”\"<>|｜;；：。，、！？→…•·*—\u3000-\u3003\U0001f300-\U0001faff]|\s[-–=~]+>?\s|\s\+\s|"
    r"(?<!\bvs)[.](?=\s|$)|"
    # not within a title, `Attention! What Is It`
    r"[?!](?=\s+(?:[a-z(]|(?:I|It|We|He|She|They|You|That|This|No|Not|Yes|If|And|But|So)\b)|\s*$)"
)
_TOKEN = re.compile(r"(?P<capital>(?=[^\w\s]*(?:[A-ZÀ-ÞΑ-Ω]|\d|[a-z]{1,6}[A-Z\d]|[α-ω]-)))?\S+")
_DIGIT = re.compile(r"\d")
_LEAD_IN = re.compile(
    r"(?:also\s|and\s)?(?:next|related|paper|reading|read|re-?read|today|tomorrow|yesterday|discussion|topic|required|optional|"
    r"recommended|update|fyi|new|title|pdfs?|papers|link|see|todo|note|found|idea|question|and|then|so|now|main|background|later|"
    r"session|presentation|talk|article|re|ps|(?:jan|febr)uary|march|april|may|june|july|august|(?:septem|octo|novem|decem)ber|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day)(?:\s(?:up|paper|one|found|reading|read|week|time|on|discussion))?\s?[:：]\s?",
    re.IGNORECASE,
)
_GATHERING = re.compile(
    r"\b(?:group|seminar|course|team|lab|laboratory|workshop|conference|university|meeting|channel|club|department|"
    r"institute|school|society|newsletter|podcast|street|room|schedule|minutes|syllabus|proceedings|journal|license)s?$",
    re.IGNORECASE,
)
_INSTITUTION = re.compile(  # `University of Nowhere`, `Lovelace, Babbage Institute for Engines and Looms`
    r"(?:[A-Z][\w.'’-]{0,30},?\s){0,4}(?:Universit[^\W\d_]{1,4}|Institute?|Academy|College|School|Department|Cent(?:er|re)|Faculty|"
    r"Laborator(?:y|ies))\s(?:of|for|de|di|da|do)(?:\s(?:the|of|for|and|at|[A-Z][\w.'’-]{0,30},?)){1,6}"
)
_SHORT_BEFORE = re.compile(r"(?P<letters>[A-Z]{2,10})s?\s?[(（]$")
_OF_MEETING = re.compile(  # `Ada Lovelace, Ph.D.`, `2nd part from Chapter four`
    r"\b(?:Ph\.?\s?D|Prof\.|(?:reading|study) group)\b|\b(?:part|rest|half) (?:of|from) [Cc]hapter\b"
)
_VOLUME_LAST = re.compile(
    r",\s\d{1,3}$|^[A-Z]\w+\s\d{1,4}:\s?\d+$"
)  # of a journal: `American Economic Review, 109`, `Science 348: 12`
_INTRODUCED = re.compile(
    r"(?:\b(?:read|reading|re-?read|done|finished|finish|started|began|skimmed|skim|dropped|papers?|presented|presents|called|"
    r"titled|entitled|discussed|suggest|propose|recommend)(?:\s(?:with|on|the|through))?|[^\W\dA-Z][\dA-Z'’]*\s?[:：])\s*$"
)
_TO_ADDRESS = re.compile(
    rf"[\s:：,，、(（\[<—–|\"'*_-]{{0,6}}(?:(?:at|in|via|from|see|は|が|も)\s?)?[\s:：,(（\[<]{{0,3}}{_ADDRESS}"
)
_FROM_ADDRESS = re.compile(rf"{_ADDRESS}[\s:：,，、()（）\]>—–|\"'*_-]{{0,8}}(?:(?:は|is)\s?)?$")
_PREDICATE = re.compile(r"\b(?:is|are|was|were|has|have|had|did|does)\b|['’]s [a-z]+ $")
_ROUND = re.compile(r"\s?[(（](?P<inside>[^()（）\n]{3,80})[)）]")
_BESIDE = re.compile(r"[\s,，、。.;—–-]{1,3}(?:(?:at|in|from|是|は)\s?)?(?P<inside>[^,，、。;()（）\n:：—]{3,60})")
_COINED_NAME = re.compile(r"[a-z0-9][A-Z]|[A-Z]\w*-?[A-Z0-9]|\d")
_CITED = re.compile(r"(?:.*\s)?[A-Z][\w'’-]+,?\s(?:and|&|et)\s[A-Z]?[\w'’-]+\.?")
_YEAR_IN_BRACKETS = re.compile(r"[\w.] \((?P<year>(?:19|20)\d\d)[a-z]?\)")
_YEAR_LAST = re.compile(r"(?:^|[^\d])(?P<year>(?:19|20)\d\d)[a-z]?$")
_CJK_JOURNAL = re.compile(rf"(?P<venue>[{CJK_LETTERS}ー]{{3,20}})[\s，、,]{{0,2}}(?P<year>(?:19|20)\d\d)\s?年?")
_CJK_JOURNAL_BESIDE = re.compile(rf"[，、,]\s?(?P<inside>[{CJK_LETTERS}ー]{{3,20}}[\s，、,]{{0,2}}(?:19|20)\d\d)\s?年?")
_YEAR_IN_CJK = re.compile(r"[、，]\s?(?=(?:19|20)\d\d)|(?<=\d)年")
_SENTENCE_END = re.compile(r"[.!?。！？](?:(?<=[。！？])|(?<=[^\W\d]{2}.)(?=\s))")
_JOINT = re.compile(r"[\s,，、;；/和与及と\x00]*(?:and|or|以及|then)?[\s:：《]*")
_PIECES = re.compile(rf"[|,，、。;；()（）\n:：—<>\x00{CJK_LETTERS}]+|\s-\s")
_ARTICLES = frozenset({"a", "an"})
_JOINING = SMALL | frozenset(words_of("across | against | among | between | beyond | not | versus | without"))
_MIN_WORDS, _SURE_WORDS, _MAX_TAG, _MIN_CJK_LETTERS = 3, 4, 40, 6
_MIN_CHARS, _MAX_CHARS, _NEAR = 4, 300, 20


class FoundTitle(NamedTuple):
    """A title and its place in the text, with the venue and year behind it. `end` is after the tag."""

    start: int
    end: int
    title: str
    venue: str = ""
    year: int | None = None
    is_framed: bool = False
    status: str | None = None


class _Segment(NamedTuple):
    """Words between two separators.

    `is_cjk`: Japanese or Chinese words are around. `is_marked`: a venue, a year or an address is beside it.
    """

    start: int
    text: str
    is_cjk: bool
    is_marked: bool
    touches_address: bool
    begins_line: bool
    venue: str = ""
    year: int | None = None
    end: int = 0


class _Word(NamedTuple):
    start: int
    end: int
    is_capital: bool
    is_small: bool
    has_colon: bool


@lru_cache(maxsize=64)
def find_titles(text: str, addresses: tuple[tuple[int, int], ...] = ()) -> tuple[FoundTitle, ...]:
    """Return the titles in a text in order. `addresses`: their spans, which end titles and show that words are one."""
    parts, position = [], 0
    for start, end in addresses:
        parts += [text[position:start], _ADDRESS * (end - max(start, position))]
        position = end
    text = "".join([*parts, text[position:]])
    framed = [*_find_framed(text)]
    titles = (title for title in [*framed, *_find_plain(text, framed)] if not _names_people(title.title))
    return tuple(_complete(text, sorted(titles)))


def _complete(text: str, titles: Sequence[FoundTitle]) -> Iterator[FoundTitle]:
    """Yield the titles with what their sentence says about them. Titles of an enumeration share it."""
    position, count = 0, 0
    for enumeration in _enumerate(text, titles):
        first, last = enumeration[0], enumeration[-1]
        count += len(enumeration)
        following = titles[count].start if count < len(titles) else len(text)
        before = _SENTENCE_END.split(text[position : first.start])[-1]
        after = _SENTENCE_END.split(text[last.end : following], maxsplit=1)[0]
        status = find_status(before, after)
        written = [*_YEAR_IN_BRACKETS.finditer(before)]
        if len(enumeration) == 1 and len(written) == 1 and not last.year:  # Lovelace (1843) argues in “Title”
            last = last._replace(year=int(written[0]["year"]))
        elif not last.venue and (tag := find_tag_in(after)):
            last = last._replace(venue=tag.venue, year=tag.year)
        for title in (*enumeration[:-1], last):
            yield title._replace(status=status) if status else title
        position = last.end


def _enumerate(text: str, titles: Sequence[FoundTitle]) -> Iterator[list[FoundTitle]]:
    """Yield the titles between which there are only commas and the like."""
    enumeration: list[FoundTitle] = []
    for title in titles:
        if enumeration and not _JOINT.fullmatch(text[enumeration[-1].end : title.start]):
            yield enumeration
            enumeration = []
        enumeration.append(title)
    if enumeration:
        yield enumeration


def is_lead_in(words: str) -> bool:
    """Return True for words before a title that are no part of it: `Next:`, `for the seminar:`, not `Orca:`."""
    is_in_lower_case = any(word[0].islower() and word.rstrip(".:") not in SMALL for word in words.split())
    return is_in_lower_case or _LEAD_IN.fullmatch(words) is not None


def find_tag_in(words: str) -> Venue | None:
    """Return the first venue with a year between the commas of a sentence."""
    pieces = (piece.strip(" '\"”」』》") for piece in _PIECES.split(words[:_MAX_CHARS]) if len(piece) <= _MAX_TAG)
    tags = (tag_in(piece) for piece in pieces if _DIGIT.search(piece))
    return next((tag for tag in tags if tag and tag.year), None)


def _find_framed(text: str) -> Iterator[FoundTitle]:
    """Yield the titles in quotation marks or italics.

    Words in quotation marks are more often a quotation: a title has capitals, a venue, an address, or Latin letters in
    a Japanese or Chinese sentence.
    """
    matches = [*_FRAMED.finditer(text)]
    outside = _FRAMED.sub(" ", text) if matches else ""
    is_sentence = _OUTSIDE.search(outside) is not None or _ADDRESS in outside
    is_cjk = CJK.search(outside) is not None
    for match in matches:
        frame = next(name for name in _FRAMES if match[name])
        tag = _take_dated_tag(match[frame].strip().rstrip(",."))
        title = tag.remainder
        is_alone = match["angle"] or (frame in _CJK_FRAMES and is_scholarly(title) and not is_talk(title))
        if _is_no_title(title, frame) or not (is_sentence or (is_alone and CJK.search(title))):
            continue
        venue, year, end = _find_tag(text, match.end())
        venue, year = venue or tag.venue, year or tag.year
        is_foreign_phrase = is_cjk and frame in _CJK_FRAMES and not CJK.search(title)
        has_words = len(_LATIN_WORD.findall(title)) >= _MIN_WORDS
        is_title = (
            _has_form_of_title(title)
            or (year is not None and (has_words or len(CJK.findall(title)) >= _MIN_CJK_LETTERS))
            or (has_words and title[0].isupper() and (is_foreign_phrase or _touches_address(text, match.start(), end)))
        )
        if is_title and (not match["bold"] or year):  # bold words are more often a term than a title
            yield FoundTitle(match.start(), end, title, venue, year, is_framed=True)


def _is_no_title(words: str, frame: str) -> bool:
    """Return True for an address, a venue, and an enumeration in italics."""
    is_enumeration = frame in {"stars", "underscores"} and words.count(", ") >= _MIN_WORDS
    return _ADDRESS in words or is_enumeration or known_tag_in(words) is not None or is_journal_with_volume(words)


def _take_dated_tag(words: str) -> Venue:
    """Split the venue from a title in quotation marks: `“The Title (OSDI 2020)”`."""
    tag = take_tag(words) if _DIGIT.search(words) else Venue(words)
    return tag if tag.venue and tag.year and tag.remainder else Venue(words)


def _has_form_of_title(title: str) -> bool:
    """Return True for words in a frame that are a title whatever stands beside them."""
    words = len(_LATIN_WORD.findall(title))
    if names_a_paper(title):
        return True
    if is_scholarly(title) and (
        len(CJK.findall(title)) >= _MIN_CJK_LETTERS
        or (words == _MIN_WORDS and title.istitle())
        or (words > _SURE_WORDS and title[0].isupper() and not is_talk(title))
    ):
        return True
    is_coined = _COINED.match(title) is not None and not CJK.search(title)
    return is_coined and words > _SURE_WORDS and title[-1] not in "!。"


def _find_tag(text: str, position: int) -> tuple[str, int | None, int]:
    """Return the venue and year right behind a title, and the position after them."""
    if brackets := _ROUND.match(text, position):
        return _read_brackets(text, brackets) or ("", None, position)
    beside = _BESIDE.match(text, position)
    tag = tag_in(beside["inside"].strip()) if beside else None
    if beside and tag and tag.year:
        return tag.venue, tag.year, beside.end()
    journal = _CJK_JOURNAL_BESIDE.match(text, position)
    tag = _read_cjk_journal(journal["inside"]) if journal else None
    return (tag.venue, tag.year, journal.end()) if journal and tag else ("", None, position)


def _read_brackets(text: str, brackets: re.Match[str]) -> tuple[str, int | None, int] | None:
    """Return the venue, the year and the end of `(OSDI 2006)` or `(2006, address)`; the address is not part of it."""
    inside = _YEAR_IN_CJK.sub(" ", brackets["inside"]).strip(f"{_ADDRESS} ,，;；、")
    tag = next(filter(None, map(tag_in, (inside, *inside.split(", ")))), None) or _read_cjk_journal(inside)
    last = _YEAR_LAST.search(inside)
    if not tag and not last:
        return None
    year = int(last["year"]) if last else None
    end = brackets.end() if _ADDRESS not in brackets[0] else text.index(_ADDRESS, brackets.start())
    return (tag.venue, tag.year or year, end) if tag else ("", year, end)


def _read_cjk_journal(text: str) -> Venue | None:
    match = _CJK_JOURNAL.fullmatch(text.strip())
    return Venue("", match["venue"], int(match["year"])) if match else None


def _touches_address(text: str, start: int, end: int) -> bool:
    """Return True if only punctuation or a few small words are between a title and an address before or after it."""
    return bool(_TO_ADDRESS.match(text, end) or _FROM_ADDRESS.search(text[max(start - _NEAR, 0) : start]))


def _find_plain(text: str, framed: Sequence[FoundTitle]) -> Iterator[FoundTitle]:
    edges = [(0, 0), *((title.start, title.end) for title in framed), (len(text), len(text))]
    for (_, low), (high, _) in pairwise(edges):
        position = low
        for cut in (*_BOUNDARY.finditer(text, low, high), None):
            start, position, end = position, cut.end() if cut else high, cut.start() if cut else high
            if end - start < _MIN_CHARS or len(text[start:end].split()) == 1:
                continue
            segment = _read_segment(text, start, end)
            is_cut_off = cut is not None and cut[0].startswith("…")
            if not is_cut_off and (span := _find_in_segment(segment)) and not _spells_out(text, segment, span):
                yield _as_found(segment, *span)


def _names_people(words: str) -> bool:
    """Return True for `James Mickens` and `Moseley & Marks`."""
    names = _YEAR_BEHIND_NAMES.sub("", words)
    return is_name(names) or bool(names_in(names) or ("&" in names and surnames_in(names)))


def _spells_out(text: str, segment: _Segment, span: tuple[int, int]) -> bool:
    """Return True for words in brackets behind their own initials: `ART (Adaptive Random Testing)`."""
    initials = "".join(word[0] for word in re.findall(r"[^\s-]+", segment.text[slice(*span)]) if word[0].isupper())
    short = _SHORT_BEFORE.search(text, max(segment.start - _NEAR, 0), segment.start)
    return short is not None and short["letters"] == initials


def _as_found(segment: _Segment, start: int, end: int) -> FoundTitle:
    title = segment.text[start:end].strip(" ,:;-–~'’`")
    is_last = not segment.text[end:].strip(" ,.:;?!")
    if segment.text[end : end + 1] == "?":
        title += "?"
    return FoundTitle(
        segment.start + start, segment.end if is_last else segment.start + end, title, segment.venue, segment.year
    )


def _read_segment(text: str, start: int, end: int) -> _Segment:
    words = text[start:end]
    around = text[max(start - 2, 0) : start] + text[end : end + 2]
    is_cjk = CJK.search(around) is not None or any(mark in around for mark in "，。、：（）《》「」")
    venue, year, stop = _find_tag(text, end)
    if year is None and _DIGIT.search(words):
        tag = take_tag(words)
        if not tag.venue and (last := tag_in(words.rpartition(", ")[2])):
            tag = last._replace(remainder=words.rpartition(", ")[0].strip())
        if tag.venue and tag.year and words.strip().startswith(tag.remainder):
            words = words[: len(words) - len(words.lstrip()) + len(tag.remainder)]
            venue, year = tag.venue, tag.year
    begins_line = start == 0 or text[start - 1] == "\n"
    touches_address = _touches_address(text, start, stop)
    is_marked = touches_address or (
        year is not None and (bool(venue) or _CITED.fullmatch(words[-_MAX_TAG:].strip()) is None)
    )
    return _Segment(start, words, is_cjk, is_marked, touches_address, begins_line, venue, year, stop)


@lru_cache(maxsize=256)  # The same words are searched before an address and with it.
def _find_in_segment(segment: _Segment) -> tuple[int, int] | None:
    """Return the limits of the title among the words, None if there is none."""
    words = _read_words(segment.text)
    starts = ((_skip_lead_in(segment.text, words, first, last), last) for first, last in _find_runs(words))
    runs = [(first, _find_last(segment, words, first, last)) for first, last in starts]
    for first, last in _iter_spans(segment, words, runs):
        if _is_certain(segment, words, first, last):
            return words[first].start, words[last].end
    if not runs or len(segment.text) > 2 * _MAX_CHARS:
        return None
    first = runs[0][0]
    title = segment.text[words[first].start :]  # for me: Iris from the ground up: A modular foundation
    is_labeled = first > 0 and words[first - 1].has_colon
    if is_labeled and is_clear_title(title) and not is_talk(title) and _could_be(title):
        return words[first].start, words[-1].end
    return _find_marked(segment, words, runs) if segment.is_marked else None


def _iter_spans(
    segment: _Segment, words: Sequence[_Word], runs: Sequence[tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    """Yield the first and last words of what may be a title by its form, the likeliest first."""
    is_line = segment.begins_line and len(segment.text) <= _MAX_CHARS and len(runs) > 1 and runs[0][0] == 0
    if segment.is_cjk and runs:
        yield runs[0][0], len(words) - 1
    elif is_line and _is_whole(segment.text):
        yield 0, len(words) - 1
    yield from ((first, last) for first, last in runs if last - first >= _MIN_WORDS - 1)


def _is_whole(text: str) -> bool:
    """Return True if almost all words of a line have capitals: `Serving DNNs like Clockwork: Performance …`."""
    name, colon, _ = text.strip().partition(": ")
    is_coined = bool(colon) and name[-30:].split()[-1][0].isupper()
    return names_a_paper(text.strip()) and not is_talk(text) and ", " not in name and is_coined and not _is_lead(name)


def _is_lead(words: str) -> bool:
    """Return True for words that lead to a title: `The classic is of course …`, `Webb's review …`."""
    return _PREDICATE.search(words) is not None


def _find_marked(segment: _Segment, words: Sequence[_Word], runs: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
    """Return the limits of words up to a venue or address: a title with the capitals of a sentence, or a short one."""
    wholes = [(first, len(words) - 1) for first, _ in runs]
    if len(runs) > 1 and _is_lead(segment.text[: words[runs[1][0]].start]):
        wholes.append(wholes.pop(0))
    is_short_too = segment.touches_address or not segment.text[: words[runs[0][0]].start].strip()
    for first, last in [*wholes, *(runs if is_short_too else ())]:
        title = segment.text[words[first].start : words[last].end]
        is_inside = first > 0 and last - first >= _SURE_WORDS
        if first > 0 and segment.text[words[first - 1].start : words[first - 1].end] in _ARTICLES:
            continue  # “an Internet-based artwork (1999)”: a description
        is_long = last - first >= _MIN_WORDS and (is_inside or is_scholarly(title))
        is_line = is_long and first == 0 and segment.begins_line and segment.touches_address
        is_talking = is_talk(title) and not (is_line and may_be_among_titles(title))
        if (is_long or ((first, last) in runs and last > first)) and not is_talking and _could_be(title):
            return words[first].start, words[last].end
    return None


@lru_cache(maxsize=256)  # The same words are searched before an address and with it.
def _read_words(text: str) -> tuple[_Word, ...]:
    words: list[_Word] = []
    for match in _TOKEN.finditer(text):
        token = match[0]
        bare = token.strip(".,:;?!'’\"`()").casefold()
        words.append(
            _Word(
                match.start(),
                match.end(),
                match["capital"] is not None,
                bare in _JOINING or token in {"&", "+", "/", "-", "–"},
                token.endswith(":"),
            )
        )
    return tuple(words)


def _find_runs(words: Sequence[_Word]) -> Iterator[tuple[int, int]]:
    """Yield the first and last word of each run of words with capitals and small words between them."""
    first: int | None = None
    last = 0
    for index, word in enumerate(words):
        if word.is_capital:
            first = index if first is None else first
            last = index
        elif not word.is_small and first is not None:
            yield first, last
            first = None
    if first is not None:
        yield first, last


def _skip_lead_in(text: str, words: Sequence[_Word], first: int, last: int) -> int:
    """Return the first word after `Next:` or `Ada:`, of which the latter has another colon behind it."""
    colons = [index for index in range(first, last + 1) if words[index].has_colon]
    if not colons or colons[0] == last:
        return first
    is_lead_in = _LEAD_IN.fullmatch(text[words[first].start : words[colons[0]].end]) is not None
    return colons[0] + 1 if is_lead_in or len(colons) > 1 else first


def _find_last(segment: _Segment, words: Sequence[_Word], first: int, last: int) -> int:
    """Return the last word of a title: a subtitle may go on without capitals up to the end of the words."""
    colon = next((index for index in range(first, last + 1) if words[index].has_colon), None)
    after_last = len(words) - 1
    if colon is not None and last - colon < _MIN_WORDS and after_last - colon >= _MIN_WORDS:
        subtitle = segment.text[words[colon].end :]
        if len(subtitle) > _MAX_CHARS:
            return last
        is_coined = _COINED_NAME.search(segment.text[words[first].start : words[colon].end]) is not None
        if (segment.is_marked or segment.is_cjk or is_coined) and not is_talk(subtitle):
            return after_last
    return last


def _is_certain(segment: _Segment, words: Sequence[_Word], first: int, last: int) -> bool:
    """Return True if words are a title by their form and the words of their field."""
    title = segment.text[words[first].start : words[last].end]
    if not _could_be(title):
        return False
    count = last - first + 1
    colon = next((index for index in range(first, last + 1) if words[index].has_colon), None)
    has_subtitle = colon is not None and last - colon >= _MIN_WORDS
    has_small = any(word.is_small for word in words[first : last + 1])
    if segment.is_cjk:
        is_like_one = has_subtitle or is_scholarly(title) or (has_small and looks_like_title(title))
        return count >= _MIN_WORDS and (is_like_one or (count > _SURE_WORDS and looks_like_title(title)))
    start = words[first].start
    is_introduced = _INTRODUCED.search(segment.text[max(start - _MAX_TAG, 0) : start]) is not None
    if has_subtitle:
        return is_introduced or has_small or is_scholarly(title)
    if is_introduced and count == _MIN_WORDS:
        return title.istitle() and not is_name(title)
    return count >= _SURE_WORDS and names_a_paper(title) and (segment.is_marked or is_introduced or is_scholarly(title))


def _names_gathering(title: str) -> bool:
    return _GATHERING.search(title, max(len(title) - _NEAR, 0)) is not None


@lru_cache(maxsize=512)
def _could_be(title: str) -> bool:
    return (
        len(title) <= _MAX_CHARS
        and LETTER.search(title) is not None  # no pages: `11, 208-230`
        and not is_date(title.partition(":")[0])
        and not is_broken_off(title)
        and not _VOLUME_LAST.search(title)
        and not _OF_MEETING.search(title)
        and not _names_gathering(title.rstrip(" .,:"))
        and not _INSTITUTION.fullmatch(title.rstrip(" .,:"))
        and not is_generic(title)
        and VENUE_LIKE.fullmatch(title) is None
        and known_tag_in(title) is None
        and not names_in(title)
    )
