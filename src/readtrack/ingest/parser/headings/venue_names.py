"""Headings that are venues: `OSDI '23`, `ACM SIGMOD 2021 (Best papers)`, `第37回人工知能学会全国大会`."""

import re
from functools import lru_cache
from typing import NamedTuple

from readtrack.infra.text.titles.dates import iso_day
from readtrack.infra.text.titles.marks import take_status
from readtrack.infra.text.titles.vocabulary import CJK_LETTERS, VENUE_WORDS
from readtrack.ingest.parser.headings.date_names import is_date
from readtrack.ingest.parser.vocabulary.venues import known_tag_in, may_name_venue

_IN_BRACKETS = re.compile(r"\A[\[【〔(（]\s?(?P<inside>[^\[\]【】〔〕()（）]{2,60})\s?[\]】〕)）]\Z")  # `【SOSP'21】`
_BRACKETS = re.compile(r"\s?[(（\[【](?P<inside>[^()（）\[\]【】]{1,60})[)）\]】]")
_ABOUT_THE_LIST = re.compile(
    r"(?<![^\W_])(?:accepted|best|notable|selected|interesting|award|full|long|short|main|track|proceedings|papers?|"
    r"publications?|sessions?|(?:paper\s|reading\s)?(?:lists?|groups?)|readings?|notes?|memos?|summar(?:y|ies)|orals?|spotlights?|posters?)(?![^\W_])|"
    r"(?:(?:收录|录用|接收|精选)?(?:论文|論文|文献)|阅读|閱讀|列表|清单|笔记|筆記|汇总|总结|整理|合集|リスト|一覧|まとめ|メモ)+|"
    r"の(?=論文)|(?:論文)?(?:読み会|読書会|輪読会|勉強会)",
    re.IGNORECASE,
)
_JOINED_FIRST = re.compile(r"(?:(?:from|in|at|of|the)\s)+", re.IGNORECASE)
_BEFORE_NAMES = re.compile(
    r"ACM|IEEE(?:/ACM)?|USENIX|Findings|of|In|the|Annual|International|\d{1,2}(?:st|nd|rd|th)|['’]?\d{2,4}|-",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<!\d)(?P<year>(?:19|20)\d\d)\s?年?度?(?!\d)")
_NOT_LETTERS = re.compile(r"[\W\d_]+")
_NUMBERED_MEETING = re.compile(r"第\s?\d{1,3}\s?[回届]")
_MEETING = re.compile(
    rf"[{CJK_LETTERS}A-Za-z\d\s・ー]{{2,40}}(?:学会|学术会议|研究会|全国大会|大会|シンポジウム|国際会議|年会)"
)
_MAY_BE_MEETING = re.compile(rf"{VENUE_WORDS}|会|シンポジウム")
# `ICML 2020, Vienna, Austria`, `32nd NeurIPS (2018), Montréal`. One word alone may be a subject.
_PLACE_LAST = re.compile(
    r"(?<=\d)(?:,\s[A-Z][^\W\d_]{2,20}(?:,\s[A-Z][A-Za-z ]{1,20}|\s?(?:→|->|/)\s?[^\W\d_]{2,20})|"
    r":\s[A-Z][^\W\d_]{2,20}(?:,\s[A-Z][A-Za-z ]{1,20}){2})$"
)
_HELD = re.compile(  # `27th USENIX Security Symposium, Baltimore, MD, USA, August 15-17, 2018`
    r"(?P<venue>[^,:]{4,80}),\s(?:[A-Z][A-Za-z .]{1,24},\s){1,4}[A-Z][a-z]{2,8}\s\d[^,]{0,20},\s"
    r"(?P<year>(?:19|20)\d\d)\.?"
)
_DATE_LAST = re.compile(r"(?P<venue>[^,]{2,40}?(?:(?:19|20)\d\d|['’]\d\d))[\s,:：(（]{1,3}(?P<date>[^,].{3,40})")
_ORDINAL_AND_PLACE = re.compile(
    r"\d{1,2}(?:st|nd|rd|th)\s(?P<venue>[A-Z][^,]{1,60}\d[)]?)(?:,\s[A-Z][^\W\d_]{2,20})?(?=$)"
)
_SHORT_AND_LONG = re.compile(  # `S&P: IEEE Symposium on Security and Privacy`, `USENIX Conference (ATC)`
    r"(?P<short>[^:：()（）]{2,24}?)(?:\s?[:：]\s?|\s[-–—]\s)(?P<long>[^:：]{8,120})|"
    r"(?P<name>[^:：()（）]{8,120}?)\s?[(（](?P<abbreviation>[^()（）]{2,24})[)）]"
)
_LONG_NAME = re.compile(
    r"\b(?:Conference|Symposium|Workshop|Transactions|Journal|Proceedings|Letters)s?(?:$|\s(?:on|of|for|in)\s)"
)
_SEVERAL = re.compile(r"\s?[&＆,，、+/]\s?|\sand\s")
_NO_VENUE = re.compile(r"blog|preprint|proceedings|journals?|conferences?|workshops?|.*\bvol\b.*", re.IGNORECASE)
_QUOTED = re.compile(r"[「『《“\"]")  # a reference, with the venue of its title
_MAX_CHARS = 160


class VenueName(NamedTuple):
    """The venue that a heading names, with its year if that is in the heading."""

    venue: str
    year: int | None = None


@lru_cache(maxsize=1024)
def venue_named(name: str) -> VenueName | None:
    """Return the venue if a heading is only a venue, possibly without a year, and a status or words about the list.

    Words of a subject make it a topic: `NeurIPS 2023: diffusion models`.
    """
    name = take_status(_IN_BRACKETS.sub(r"\g<inside>", name)).remainder
    if len(name) > _MAX_CHARS or _QUOTED.search(name) or not (may_name_venue(name) or _MAY_BE_MEETING.search(name)):
        return None
    name = _drop_date(name)
    return _meeting(name) or _short_and_long(name) or _western_venue(name)


def _drop_date(name: str) -> str:
    """Return a dated venue without the day on which it was held: `OSDI 2020 Nov 4, 2020`."""
    match = _DATE_LAST.fullmatch(name)
    is_day = match is not None and (is_date(match["date"]) or bool(iso_day(match["date"])))
    return match["venue"] if match and is_day else name


def is_clearly_venue(name: str) -> bool:
    """Return True for a venue with its year or long name, a meeting with its number, or several venues of a year."""
    found = venue_named(name)
    if found is not None:
        return bool(found.year or _NUMBERED_MEETING.match(name) or _short_and_long(name))
    venues = [venue_named(part) for part in _SEVERAL.split(name)] if len(name) <= _MAX_CHARS else []
    return len(venues) > 1 and all(venues) and any(venue and venue.year for venue in venues)


def _meeting(name: str) -> VenueName | None:
    """Read a Japanese or Chinese meeting. Without a number or year, its name is a subject as well."""
    year = _YEAR.search(name)
    text = _BRACKETS.sub("", _YEAR.sub(" ", name)).strip()
    if not _MEETING.fullmatch(text) or not (year or _NUMBERED_MEETING.match(text)):
        return None
    return VenueName(text, int(year["year"]) if year else None)


def _short_and_long(name: str) -> VenueName | None:
    match = _SHORT_AND_LONG.fullmatch(name)
    if match is None or not _LONG_NAME.search(match["long"] or match["name"]):
        return None
    return _only_venue(match["short"] or match["abbreviation"])


def _western_venue(name: str) -> VenueName | None:
    name = _HELD.sub(r"\g<venue> \g<year>", name)
    name = _ORDINAL_AND_PLACE.sub(r"\g<venue>", _PLACE_LAST.sub("", name))
    plain = _BRACKETS.sub(_year_in_brackets, name)
    rest = " ".join(_ABOUT_THE_LIST.sub(" ", plain).split()).strip(" :：-–—,|")
    return _only_venue(" ".join(plain.split())) or _only_venue(_JOINED_FIRST.sub("", rest, count=1))


def _only_venue(text: str) -> VenueName | None:
    """Return the venue if the text has no other words, such as a subject before it."""
    found = known_tag_in(text) if text else None
    if found is None or _NO_VENUE.fullmatch(found.venue) or _letters(text) != _letters(found.venue):
        return None
    return None if _has_subject(text, found.year) else VenueName(found.venue, found.year)


def _has_subject(text: str, year: int | None) -> bool:
    """Return True for words before a venue that is complete without them."""
    words = text.split()
    for index in range(1, len(words)):
        inner, before = known_tag_in(" ".join(words[index:])), " ".join(words[:index])
        if inner and inner.year == year and not known_tag_in(before):
            return not all(map(_BEFORE_NAMES.fullmatch, words[:index]))
    return False


def _year_in_brackets(match: re.Match[str]) -> str:
    return f" {match['inside']}" if _YEAR.fullmatch(match["inside"]) else " "


def _letters(text: str) -> str:
    return _NOT_LETTERS.sub("", text.casefold()).rstrip("s")
