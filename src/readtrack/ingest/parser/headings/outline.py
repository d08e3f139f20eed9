"""The outline: the headings open at a line, and the topics they name."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache

from readtrack.infra.text.titles.dates import iso_date
from readtrack.infra.text.titles.vocabulary import NO_TOPIC, REFERENCES
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.headings.date_names import is_date, without_day
from readtrack.ingest.parser.headings.venue_names import VenueName, is_clearly_venue, venue_named
from readtrack.ingest.parser.headings.vocabulary import PARTS_OF_NOTES, squeeze_name
from readtrack.ingest.parser.reasons import IS_ABOUT_LIST, IS_DATE, IS_VENUE, NO_WORDS

_NUMBERED = re.compile(
    r"\A\s{0,3}(?:\d{1,3}(?:\.\d{1,3}){0,4}(?:[.)、:：]\s{0,3}(?=\D)|\s+)|[(（]\d{1,3}[)）]\s{0,3}|[IVX]{1,5}\.\s+|"
    r"(?i:phase|part|section|chapter|stage)\s(?:\d{1,2}|[IVX]{1,5})\s?[:：.–—]\s{1,3}(?=\S)|"
    r"[一二三四五六七八九十]{1,3}[、.]\s{0,3}|第[一二三四五六七八九十\d]{1,3}[章节節部]\s{0,3})"
)
_NO_TOPIC = frozenset(map(squeeze_name, NO_TOPIC))
_PARTS_OF_NOTES = frozenset(map(squeeze_name, PARTS_OF_NOTES))
_REFERENCES = frozenset(map(squeeze_name, REFERENCES))
_PARTS = re.compile(r"[()（）/／|｜&]")
# `My reading list`, `Paper-Reading-Notes`, `论文阅读笔记`
_WORDS_OF_LISTS = re.compile(
    r"(?:(?:my|our|the|a|an|personal|of|for|some|lists?|papers?|articles?|research|scientific|academic|literature|"
    r"readings?)[\s_-]{1,3}){1,7}(?:lists?|notes?|log|papers|articles|bookmarks|collection|summaries|readings)|"
    r"(?:我的|论文|論文|文献|文獻|阅读|閱讀|读书|読書|の|的){1,5}(?:列表|清单|清單|目录|目錄|汇总|总结|笔记|筆記|整理|记录|記錄|"
    r"计划|計畫|計画|記録|リスト|メモ|まとめ|一覧)",
    re.IGNORECASE,
)
# `Journal articles`, `Submitted / under review`, `査読付き論文`, as on the pages of researchers
_KIND_OF_PUBLICATION = (
    r"(?:(?:selected|recent|refereed|peer[ -]?reviewed|international|domestic|my|our|list of)\s){0,2}"
    r"(?:publications?|preprints?|manuscripts?|(?:journal|conference|workshop|working)\s(?:articles?|papers?|proceedings)|"
    r"book chapters?|technical reports?|theses|dissertations?|submitted|(?:under|in) review|in press|accepted|"
    r"to appear|forthcoming|in preparation)|"
    r"(?:査読付き?|国際|国内|学術)?(?:会議|雑誌|学会)(?:論文|発表)?|(?:発表|査読付き?|学術|博士|修士|卒業)論文|"
    r"(?:期刊|会议|学位)论文|投稿中|预印本"
)
_KINDS_OF_PUBLICATIONS = re.compile(
    rf"(?:{_KIND_OF_PUBLICATION})(?:(?:\s?[/,&、・]\s?|\sand\s)(?:{_KIND_OF_PUBLICATION})){{0,3}}", re.IGNORECASE
)
_DATE = re.compile(r"^(?:before|after|since|until)?\s*#?\d[\d\s./:,()年月日週周第~–-]*$", re.IGNORECASE)
_COUNT = r"\d{1,3}(?:\s[^\W\d]{2,12}|[本件篇冊編])"
_COUNT_LAST = re.compile(r"\s?[(（](?:\d{1,3}\s?[^\W\d]{1,12}|\*\s?\w{1,20})[)）]$")
_SEVERAL_NUMBERS = re.compile(r"\d[-./~–年月]\d")  # `12.30-1.5进度`, but not `100日计划`
_WHAT_OF_DATE = re.compile(r"(?<=[\d年月日周週])の?(?:进度|進度|进展|周报|週報|总结|小结|计划|安排|记录|まとめ|記録)$")
_COUNTS_LAST = re.compile(  # `(2 Researches, 1 Short)`
    rf"\s?[(（](?:{_COUNT}(?:[,、]\s?{_COUNT}){{1,5}}|略|省略)[)）]$"
)
_PAPERS_LAST = re.compile(r"\s?[(（\[【]\d{1,4}\s?(?:papers?|articles?|entries|篇|本|件|편)[)）\]】]$", re.IGNORECASE)
_RANGE_LAST = re.compile(r"\s?[(（](?:[^\W\d]{1,12}\s)?\d{1,3}\s?[-–~～]\s?\d{1,3}[)）]$")  # `(Papers 1-3)`
_SINCE_LAST = re.compile(
    r"\s(?:[-–—]\s?|[(（])(?:from|since|as of)\s[^()（）]{0,24}\d{4}[)）]?$", re.IGNORECASE
)  # `AI - from May 2025`
_YEARS = re.compile(
    r"(?:papers?|publications?|论文|論文)?\s?(?:in|of|from)?\s?['’]?(?:19|20)\d\d\s?年?度?\s?"
    r"(?:papers?|publications?|论文|の?論文)?\s?(?:[(（\[]\s?\d{1,4}\s?(?:papers?|篇|件)?\s?[)）\]])?",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?:19|20)\d\d")
# Headings for the rest of the topic above them.
_REST = frozenset(
    ["general", "misc", "miscellaneous", "miscellanea", "other", "others", "その他", "其他", "其它", "杂项", "雑多"]
)
_MEETING = re.compile(
    r"(?:(?:meeting|lecture|class|session)\s?#?\d{1,3}|第\s?\d{1,3}\s?[讲課课講回次])(?:\s?[:：(（,，–-]\s?(?P<day>[^()（）]{3,40})[)）]?)?",
    re.IGNORECASE,
)
_PART_OF_MEETING = re.compile(
    r"(?:due|presenters?|speakers?|slides|videos?|homework|assignments?|agenda|notes|discussions?|questions|summary|links)[:：]?",
    re.IGNORECASE,
)
WHOLE_NOTE = 0  # what the front matter or the properties at the top of the note describe
ATX_STEP, CHAPTER, PILCROW, SUMMARY, BOLD, ITALIC, BOLD_PAPER, BARE = 10, 65, 70, 75, 80, 82, 85, 90
_SESSION = re.compile(
    r"(?:weeks?|lectures?|sessions?|class(?:es)?|units?|modules?|meetings?|days?)\s(?:#\s?)?\d{1,3}(?:\s?[-–]\s?\d{1,3})?"
    r"[\s,:(（–-]{1,3}(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}\.?,?\s)?"
    r"(?:(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?\s\d|\d{1,4}[-/.月]\d)",
    re.IGNORECASE,
)
_NAMES_WORKS = re.compile(
    r"\b(?:papers?|articles?|books?)\b|论文|論文|文献|논문|[だむい]本|的[书書]|书籍|書籍", re.IGNORECASE
)
_LIST_OF_WORKS = re.compile(
    r"\W*(?:(?:my|our|the|weekly|to|want|i|\d{1,4})\s)*(?:papers|articles|books|(?:papers?\s)?reading(?:\s(?:lists?|plan|queue|log))?|read)"
    r"(?:\s(?:to|i|we|want|read|list|plan|queue|this|next|week|month|\d{4}))*(?:\s\([^()]{1,30}\))?\W*|"
    r".{0,4}(?:(?:论文|論文|文献)(?:阅读|閱讀)?|阅读|閱讀|读书)(?:清单|列表|计划|書單)?\W*|.{0,4}読(?:みたい|む)(?:論文|本|もの)?(?:リスト|一覧)?\W*|"
    r"論文(?:リスト|一覧)\W*|논문(?:\s?읽기)?(?:\s?(?:목록|리스트))?\W*",
    re.IGNORECASE,
)
_WEAK = frozenset({BOLD, ITALIC, BOLD_PAPER, BARE})


@dataclass(frozen=True)
class OutlineHeading:
    """An open heading.

    `level`: lower is further out. `topic`: its name as a topic, "" if it names none.
    """

    level: int
    name: str
    topic: str = ""
    references: bool = False
    nearest_only: bool = False  # the title of the note: files only entries without another topic
    paper: str = ""  # the paper that the lines below are notes on
    read_on: str = ""  # the reading date of the entries below
    status: str | None = None  # the status of all entries below
    fold: bool = False
    is_closed_below: bool = False  # a fold with an end tag: headings inside do not close it, whatever their level
    indent: int = 0  # of a weak heading: it ends at a line further out
    is_of_siblings: bool = False  # `Topic: Privacy`, of the headings beside it too


@dataclass
class Outline:
    """The open headings while a note is parsed."""

    open: list[OutlineHeading] = field(default_factory=list)
    folds: int = 0  # open <details>
    is_closed_below: bool = False  # whether the innermost fold has an end tag

    def enter(self, heading: OutlineHeading) -> None:
        self.leave(heading.level)
        if not _is_mere_label(heading.name):
            self.open = [outer for outer in self.open if not (outer.is_of_siblings and outer.level == heading.level)]
        self.open.append(heading)

    def leave(self, level: int) -> None:
        """Close headings of that level and deeper, in the innermost fold that has an end."""
        while self.open and self.open[-1].level >= level and not self.open[-1].is_closed_below:
            if self.open[-1].is_of_siblings and self.open[-1].level == level:
                return
            self.open.pop()

    def enter_fold(self, heading: OutlineHeading) -> None:
        """Open a fold's summary below the current headings.

        Headings in the fold are below the summary.
        """
        while sum(open_heading.fold for open_heading in self.open) >= max(self.folds, 1):
            self._leave_innermost_fold()
        self.leave(SUMMARY)
        level = self.open[-1].level + 1 if self.open else 1
        self.enter(replace(heading, level=level, fold=True, is_closed_below=self.is_closed_below))

    def open_fold(self, *, is_closed_below: bool) -> None:
        self.folds += 1
        self.is_closed_below = is_closed_below

    def close_fold(self) -> None:
        self.folds = max(0, self.folds - 1)
        if sum(heading.fold for heading in self.open) > self.folds:
            self._leave_innermost_fold()

    def _leave_innermost_fold(self) -> None:
        while not self.open.pop().fold:
            pass

    def leave_bare(self) -> None:
        """Close bare-line headings, which end at a wide gap."""
        self.leave(BARE)

    def leave_weak(self) -> None:
        """Close bold and bare lines, which end where lines of another shape begin."""
        while self.open and self.open[-1].level in _WEAK:
            self.open.pop()

    def leave_indented(self, indent: int) -> None:
        """Close weak headings that are further in than a line."""
        while self.open and self.open[-1].level in _WEAK and self.open[-1].indent > indent:
            self.open.pop()

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics, outermost first, without duplicates."""
        headings = [heading for heading in self.open if heading.topic]
        inner = [heading for heading in headings if not heading.nearest_only]
        return tuple(dict.fromkeys(heading.topic for heading in inner or headings))

    @property
    def is_of_date(self) -> bool:
        """True if the innermost heading is a date, so that the lines below are events more often than subjects."""
        return bool(self.open) and not self.open[-1].topic and names_date(self.open[-1].name)

    @property
    def title(self) -> str:
        """The title of the note if it files entries without another topic."""
        return next((heading.topic for heading in self.open if heading.nearest_only), "")

    @property
    def status(self) -> str | None:
        return next((heading.status for heading in reversed(self.open) if heading.status), None)

    @property
    def names_works(self) -> bool:
        """True below `Papers read`, `Books to read` or the like: the items there are titles, whatever their form."""
        heading = self.open[-1] if self.open else None
        return bool(heading and heading.status and _NAMES_WORKS.search(heading.name))

    @property
    def lists_works(self) -> bool:
        """True below `Papers`, `论文阅读计划` or the like."""
        name = self.open[-1].name if self.open else ""
        return is_list_of_works(name) and _NAMES_WORKS.search(name) is not None

    @property
    def unfiled(self) -> tuple[str, ...]:
        """Open headings that name no topic, such as "Papers", outermost first.

        They are shown as a paper's context, unless they are dates or venues: those are fields of the paper. The title
        of the note is included only if it is the only open heading.
        """
        headings = [
            without_number(heading.name)
            for heading in self.open
            if not (heading.topic or heading.paper or heading.status) and heading.level < PILCROW
        ]
        generic = [name for name in headings if no_topic_reason(name) or venue_named(name)]
        names = generic or ([] if self.topics else headings)
        return tuple(name for name in names if not (names_date(name) or year_named(name) or venue_named(name)))

    @property
    def venue(self) -> VenueName | None:
        """The venue of the innermost open heading that names one, with the year of another heading if it has none."""
        if self.references:
            return None
        names = [heading.name for heading in reversed(self.open) if not heading.topic and not heading.paper]
        venue = next((venue for name in names if (venue := venue_named(without_number(name)))), None)
        if venue is None or venue.year:
            return venue
        return VenueName(venue.venue, next((int(year[0]) for name in names if (year := year_named(name))), None))

    @property
    def year(self) -> int | None:
        """The year that an open heading consists of: when the papers below appeared, or when they were read."""
        years = (year_named(heading.name) for heading in reversed(self.open))
        return next((int(year[0]) for year in years if year), None)

    @property
    def references(self) -> bool:
        return any(heading.references for heading in self.open)

    @property
    def paper(self) -> str:
        """The title of the paper that the lines here are notes on."""
        return next((heading.paper for heading in reversed(self.open) if heading.paper), "")

    @property
    def reading_date(self) -> str:
        return next((heading.read_on for heading in reversed(self.open) if heading.read_on), "")


def is_session(name: str) -> bool:
    """Return True for a session of a course or group with its date: `Week 2 (Sept 2): Data & Bias`.

    `Week 3: Attention Is All You Need` may name the paper of that week.
    """
    return _SESSION.match(name) is not None


def is_list_of_works(name: str) -> bool:
    """Return True for `Papers`, `Reading list`, `论文阅读计划` and the like, and nothing else."""
    return _LIST_OF_WORKS.fullmatch(name) is not None


def names_rest(name: str) -> bool:
    """Return True for a heading such as "Others"."""
    return squeeze_name(without_number(name)) in _REST


def topic_below(topics: tuple[str, ...], name: str) -> str:
    """Return the topic of a heading. "Others" and the like are named after the outer topic."""
    if names_rest(name) and topics:
        return f"{topics[-1]}: {without_number(name)}"
    return topic_of(name)


def without_number(name: str) -> str:
    return _RANGE_LAST.sub("", _NUMBERED.sub("", name)).strip() or name


def topic_of(name: str) -> str:
    """Return the topic of a heading without number, count or date, "" for References, Others, years and the like."""
    if no_topic_reason(name):
        return ""
    name = without_day(name)
    return _SINCE_LAST.sub("", _PAPERS_LAST.sub("", _COUNTS_LAST.sub("", without_number(name)))).strip() or name


def build_heading_entry(
    first: int, last: int, name: str, topic: str, topics: tuple[str, ...], reason: str = ""
) -> ParsedEntry:
    """Return the entry of a heading: its topic, or without one why. `topics`: those above it."""
    if topic:
        return ParsedEntry(first, last, 1, "topic", title=topic, topics=topics)
    reason = reason or no_topic_reason(name)
    return ParsedEntry(first, last, 1, "junk", title=name, topics=topics, decision="skip", reason=reason)


def topics_of(names: Iterable[str]) -> tuple[str, ...]:
    """Return the topics of headings, tags or collections, without those that name none."""
    return tuple(filter(None, map(topic_of, names)))


@lru_cache(maxsize=1024)
def no_topic_reason(name: str) -> str:
    """Return a sentence why a heading names no topic, or "" if it does."""
    if _YEARS.fullmatch(name) or names_date(name) or _names_meeting(name):
        return IS_DATE.format(name=name)
    name = without_day(name)
    key = squeeze_name(without_number(name))
    if not key:
        return NO_WORDS
    if is_clearly_venue(without_number(name)):
        return venue_reason(name)
    if key.startswith("awesome") or _says_only_what_kind(name):
        return IS_ABOUT_LIST.format(name=name)
    return ""


def names_date(name: str) -> bool:
    """Return True for a date, also with the number of its entries: `6/23 (15 papers)`."""
    name = _COUNT_LAST.sub("", name)
    name = _WHAT_OF_DATE.sub("", name) if _SEVERAL_NUMBERS.search(name) else name
    return bool(_DATE.match(name.strip(" #*()（）【】[]")) or iso_date(name) or is_date(name))


def _names_meeting(name: str) -> bool:
    """Return True for only the number of a meeting or lecture, with its day or without: `Meeting 1: Aug. 27`."""
    meeting = _MEETING.fullmatch(name)
    return meeting is not None and (not meeting["day"] or names_date(meeting["day"]))


def year_named(name: str) -> re.Match[str] | None:
    """Match the year in a heading that is only a year, such as `2023` or `2023年の論文`."""
    return _YEAR.search(name) if _YEARS.fullmatch(name) else None


def venue_reason(name: str) -> str:
    return IS_VENUE.format(name=name)


def _says_only_what_kind(name: str) -> bool:
    """Return True for a generic word, or the same in two languages: 目录(TOC)."""
    if _WORDS_OF_LISTS.fullmatch(name.strip()) or _KINDS_OF_PUBLICATIONS.fullmatch(without_number(name)):
        return True
    parts = [key for part in _PARTS.split(without_number(name)) if (key := squeeze_name(part))]
    return squeeze_name(without_number(name)) in _NO_TOPIC or (
        len(parts) > 1 and all(part in _NO_TOPIC for part in parts)
    )


def _is_mere_label(name: str) -> bool:
    """Return True for a part of what a topic heads, such as `Required Readings` or `Slides`, but not for the rest."""
    is_part = is_part_of_notes(name) or _PART_OF_MEETING.fullmatch(name) is not None
    return is_part or (_says_only_what_kind(name) and not names_rest(name))


def is_part_of_notes(name: str) -> bool:
    """Return True for a part that many notes on papers have, such as `Abstract` or `背景`."""
    return squeeze_name(name) in _PARTS_OF_NOTES


def lists_references(name: str) -> bool:
    """Return True if plain lines under the heading name or describe works."""
    return squeeze_name(without_number(name)) in _REFERENCES
