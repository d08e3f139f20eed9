"""Headings of a note: their marks in Markdown and HTML, their names without markup, their sections.

A heading may also state a reading status for everything below: "To Read", "Papers I have read ✅", "未読".
"""

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from readtrack.infra.text.titles.clean import is_generic, names_a_paper, without_emphasis
from readtrack.infra.text.titles.marks import status_of, take_status
from readtrack.infra.text.titles.vocabulary import CJK, LETTER_OR_DIGIT, NOT_IN_TEXT
from readtrack.ingest.parser.document import NoteDocument, once_per_note
from readtrack.ingest.parser.headings.date_names import is_day
from readtrack.ingest.parser.headings.lines_below import BULLET, PaperDetails
from readtrack.ingest.parser.headings.outline import ATX_STEP, BARE, BOLD, ITALIC, SUMMARY
from readtrack.ingest.parser.headings.venue_names import is_clearly_venue
from readtrack.ingest.parser.items.find_links import TextLink, split_around_links
from readtrack.ingest.parser.items.link_roles import has_name
from readtrack.ingest.parser.items.title_runs import is_talk
from readtrack.ingest.parser.reasons import IS_STATUS
from readtrack.ingest.parser.vocabulary.author_names import NAMES_AND_YEAR, is_name, is_venue_like, names_in, part_rest
from readtrack.metadata.parsing.latex import decode_latex

_RULE = r"[=*~_-]{3,}\s*\Z"  # comments of YAML and others frame a heading: `# =====`
_ATX = re.compile(rf"(?P<marks>#{{1,6}})(?:\s+(?!{_RULE})(?P<name>\S.*?)|(?P<close>[^\s#!{{][^#]{{0,200}}?))\s*#*")
_EQUALS = re.compile(r"(?P<marks>={1,6})\s+(?P<name>[^\W\d_=].{0,1000}?)(?:\s=+)?")  # of AsciiDoc, Typst and wikis
_UNDERLINE = re.compile(r"(?P<mark>[=~^\"'+*#-])(?P=mark){2,}")
_RULES = frozenset("=~^\"'+*#-")
_LEVELS_OF_MARKDOWN = {"=": 1, "-": 2}
_BOLD = re.compile(
    r"(?P<mark>\*\*\*|\*\*|__)(?P<name>(?!\s)(?:[^*\\]|\\.){1,200}?)(?P=mark)\s?[:：]?(?P<tag>[(\[（][^()\[\]（）]{2,40}\d\d[)\]）])?"
)
_BOLD_WITH_REMARK = re.compile(
    r"(?P<mark>\*\*|__)(?P<name>[^*_\s][^*_]{1,60})(?P=mark)\s?[(（][^()（）]{2,80}[)）][:：]?"
)
_BOLD_DAY = re.compile(r"(?P<mark>\*\*|__)(?P<day>[^*_]{3,60})(?P=mark)[:：]?\s(?P<name>[^\W\d_][^*\[\]\"“]{2,120})")
_NO_SESSION = re.compile(  # a paper with its year, a sentence of a diary, who presents, nothing
    r"(?:19|20)\d\d|['’]\d\d|[.。．!?]$|\b(?:I|we|my|our|was|were|today|finished|read|presenter|speaker|tb[ad]|cancell?ed|no|break|holiday)\b",
    re.IGNORECASE,
)
_ITALIC_LINE = re.compile(r"(?P<mark>[*_])(?P<name>[^*_\s][^*_]{2,200})(?P=mark)\s?[:：]?")
_LABEL = re.compile(r"\*\*\[\d{1,3}\]\s[^*]{1,200}\*\*")
_SUMMARY = re.compile(
    r"(?:<details[^<>]{0,80}>\s?)?<summary[^<>]{0,80}>(?P<name>.{1,400}?)</summary>\s?(?:</?[a-z]{1,10}>\s?){0,3}",
    re.IGNORECASE,
)
_IMAGES = re.compile(r"!\[[^\[\]]{0,200}\]\([^()\s]{0,1000}\)")
_ANCHOR_LINKS = re.compile(r"\[{1,2}(?P<text>[^\[\]]{0,200})\]{1,2}\(\s?#[^()\s]{0,300}\s?\)\]?")
_LINKS = re.compile(r"\[(?P<text>[^\[\]]{0,300})\]\([^()\s]{0,1000}\)")
_TAGS = re.compile(r"</?[A-Za-z][^<>]{0,200}>")
_EMOJI = re.compile(
    "[\U0001f000-\U0001faff\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\ufe0f\u200d\u20e3]+|:[a-z][a-z0-9_+-]{2,30}:"
)
_LATEX = re.compile(
    r"\\(?P<kind>part|chapter|(?:sub){0,2}section)\*?(?:\[[^\[\]]{0,200}\])?\{(?P<name>[^{}]{1,200})\}"
    r"(?:\s?\\label\{[^{}]{0,100}\})?"
)
_LATEX_LEVELS = {"part": 1, "chapter": 2, "section": 3, "subsection": 4, "subsubsection": 5}
_EMPTY_BRACKETS = re.compile(r"[(（\[【]\s{0,3}[)）\]】]")
_FRAME = re.compile(r"[\[【〔]\s?(?P<name>[^\[\]【】〔〕]{2,200}?)\s?[\]】〕]")
_ATTRIBUTES = re.compile(r"\s?\{[#.:][^{}]{0,100}\}\s*$")
_NOTES_ON = re.compile(
    r"(?i:(?:paper|reading)\s)?(?i:notes?|summary)\s?(?:[:：]|\s[-–—])\s?(?=[\"“A-Z])|"
    r"(?:発表|報告|担当|论文|論文|报告|分享|(?i:paper|talk|presentation))\s?[#＃]?\d{1,2}\s?[:：]\s?(?=\S)|"
    r"[【\[（(]?(?:论文|文献|論文|(?i:paper))(?:阅读|閱讀|精读|読み|解读)?(?:笔记|筆記|メモ)?[】\]）)]?\s?[:：|｜—–-]{0,2}\s?"
    r"(?=[\"“A-Z][\x00-\x7f]{12})"
)
_SENTENCE = re.compile(r"[.。．!！;；,，]$")
_MAX_NAME, _MAX_LOOKED_AT = 500, 3000
_WORKS = re.compile(
    r"\b(?:(?:a |the |my )?lists? of|awesome|(?:research )?papers?|articles?|books?|and|"
    r"notes? (?:of|on)|that|i(?:['’]ve| have)?)\b|"
    r"论文|論文|文章|文献|(?<=的)(?:书籍?|書籍?)|"
    r"(?<=\w)(?:まとめ|一覧|リスト|总结|汇总|笔记|清单|列表)|(?<=[读讀看])的|"
    r"(?<=\bto[ -]do)\slist\b|(?<=\btodo)\slist\b|(?<=\bto[ -]read)\slist\b|"
    r"\s?[(（][共全约約]?\s?\d{1,4}\s?(?:[篇本件个個]|papers?|articles?|items?)?(?:[,，、;；][^()（）]{1,30})?[)）]",
    re.IGNORECASE,
)
_WHEN = re.compile(  # `Finished this week`, `Papers read in 2024`, `来週読むもの`, `ざっと読んだ論文`, `下周要读的`
    r"\b(?:(?:this|next|last|coming)\s(?:week|month|term|semester|year)|today|tomorrow|yesterday|soon)\b|"
    r"(?:\bin|(?<=\bread))\s(?:19|20)\d\d\b|"
    r"(?:(?:[今来先翌](?:週|月|年|期|学期)|今日|明日|昨日)(?:末|中|から)?(?:までに|まで|に|の)?|(?:[本上下]个?|这个?)(?:周|月|学期)|今天|明天|昨天)|"
    r"^.{1,12}(?=読んだ(?:論文|文献|もの|本)?$)|(?:論文|文献|もの|の|本|リスト|一覧|的|清单)$",
    re.IGNORECASE,
)
_READ_WHAT = re.compile(  # `読みたいシステム系論文`, `今月読んだ論文・記事まとめ 2021年5月`
    r"(?:最近|[今来先昨]?[週月年日])?(?:に)?"
    r"(?P<status>読みたい|読んだ|読む予定|積読)(?!こと)(?:の|な)?.{0,12}?(?:論文|文献|本|資料|もの)(?:[・と、](?:論文|文献|本|資料|記事))?"
    r"(?:リスト|一覧|まとめ|メモ)?(?:\s?[(（]?(?:19|20)\d\d(?:年|[-/.])?(?:\s?\d{1,2}月?)?[)）]?)?"
)
_REMARK_LAST = re.compile(r"(?<=\w)\s?[(（][^()（）]{1,40}[)）]$")  # or the same in another language
_NOT_ALONE = NOT_IN_TEXT - {"queue", "backlog", "partially", "partly"} | {"inbox", "archive", "new"}
_READING_LIST = re.compile(r"(?:my\s)?reading list", re.IGNORECASE)  # beside another of what was read
_FOR_LATER = frozenset({"someday", "later", "next", "up next", "wishlist", "planned"})
_ALSO_A_NOUN = "reading"  # treated as a noun unless another heading of the note states a status
_MAX_STATUS_CHARS = 60
_YEAR_LINE = re.compile(r"[\[【(（]?(?P<year>19\d\d|20[0-3]\d)年?[\]】)）]?[:：]?")
_MAX_YEAR_LINE = 10


@dataclass(frozen=True, slots=True)
class Headline:
    """A heading.

    `level`: lower is further out. `text`: without the marks. `count`: its number of lines.
    """

    level: int
    text: str
    count: int = 1

    @property
    def is_fold(self) -> bool:
        return self.level == SUMMARY


def strong(page: NoteDocument, index: int) -> Headline | None:
    r"""Match `# Name`, `== Name`, `\section{Name}`, or an underlined line."""
    text = page.text(index)
    if text.startswith("#"):
        atx = _ATX.fullmatch(text[:_MAX_LOOKED_AT])
        if not atx or (atx["close"] and not _is_name(atx)) or _is_address_line(page, index, atx):
            return None
        return Headline(len(atx["marks"]) * ATX_STEP, atx["name"] or atx["close"])
    if text.startswith("=") and (equals := _EQUALS.fullmatch(text)):
        return Headline(len(equals["marks"]) * ATX_STEP, equals["name"])
    if text.startswith("\\") and (latex := _LATEX.fullmatch(page.lines[index].raw.strip())):
        return Headline(_LATEX_LEVELS[latex["kind"]] * ATX_STEP, decode_latex(latex["name"]))
    level = _levels_of_underlines(page).get(page.text(index + 1)[:1], 0)
    return Headline(ATX_STEP * level, text, 2) if level and _is_underlined(page, index) else None


def _is_underlined(page: NoteDocument, index: int) -> bool:
    """Return True for a line above one of marks only; those of reStructuredText are as long as the line."""
    text, rule = page.text(index), page.text(index + 1)
    if rule[:1] not in _RULES or not _UNDERLINE.fullmatch(rule) or not _may_be_underlined(page, index):
        return False
    return rule[0] in _LEVELS_OF_MARKDOWN or len(rule) >= len(text) + len(CJK.findall(text))


@once_per_note
def _levels_of_underlines(page: NoteDocument) -> Mapping[str, int]:
    """Return the levels by the mark: in reStructuredText in the order of their first use, else those of Markdown."""
    underlined = (index for index in range(len(page.lines) - 1) if _is_underlined(page, index))
    marks = [*dict.fromkeys(page.text(index + 1)[0] for index in underlined)]
    has_others = "=" in marks and any(mark not in _LEVELS_OF_MARKDOWN for mark in marks)
    has_atx = any(_ATX.fullmatch(line.text[:_MAX_LOOKED_AT]) for line in page.lines)
    is_restructured = has_others and not has_atx
    return {mark: level for level, mark in enumerate(marks, 1)} if is_restructured else _LEVELS_OF_MARKDOWN


def _is_name(atx: re.Match[str]) -> bool:
    """Return True for `##Training`, a heading without the space; `#tag` is a tag."""
    return len(atx["marks"]) > 1


def _is_address_line(page: NoteDocument, index: int, atx: re.Match[str]) -> bool:
    """Return True for `### [PDF](address)`, which names nothing: it belongs to the heading above."""
    links = page.links_at(index) if "](" in atx[0] else []
    if not links or not all(link.label and is_generic(link.label) for link in links):
        return False
    return not LETTER_OR_DIGIT.search("".join(split_around_links(page.text(index), links)))


def weak(page: NoteDocument, index: int) -> Headline | None:
    """Match a bold line, the summary of a fold, a year alone, or a line in italics above a list of papers.

    All are headings of what follows.
    """
    text = page.text(index)
    if len(text) <= _MAX_YEAR_LINE and (year := _YEAR_LINE.fullmatch(text)) and _stands_alone(page, index):
        return Headline(BARE, year["year"])
    if "<summary" in text[:100].lower() and (summary := _SUMMARY.fullmatch(text)):
        return Headline(SUMMARY, summary["name"].strip())
    if is_label(page, index):
        return None
    if text[:1] in {"*", "_"} and (italic := _ITALIC_LINE.fullmatch(text[:_MAX_LOOKED_AT])):
        is_heading = _is_noun_phrase(italic["name"]) and _lists_named_papers(page, index)
        return Headline(ITALIC, italic["name"]) if is_heading else None
    is_bold = text.startswith(("**", "__")) and len(text) <= _MAX_LOOKED_AT
    if (name := _match_session(text) or _match_with_remark(text) if is_bold else "") and _lists_below(page, index):
        return Headline(BOLD, name)
    bold = _BOLD.fullmatch(text) if is_bold else None
    name = f"{bold['name'].strip()} {bold['tag'] or ''}".strip() if bold else ""
    return Headline(BOLD, name, 2 if _is_translated(page, index) else 1) if name else None


def _stands_alone(page: NoteDocument, index: int) -> bool:
    """Return True for a line with a blank line above, and another or a list below, unless a title leads to it."""
    above, below = page.text(index - 2) if index > 1 else "", page.text(index + 1)
    leads_to_list = BULLET.match(below or page.text(index + 2)) is not None
    is_apart = not (index and page.text(index - 1)) and (not below or leads_to_list)
    return is_apart and (leads_to_list or not above.startswith(("**", "__")))


def _match_session(text: str) -> str:
    """Return the name of a session behind its day in bold: `**February 18th** Building Trust`."""
    session = _BOLD_DAY.fullmatch(text)
    if session is None or not is_day(session["day"]) or _NO_SESSION.search(session["name"]):
        return ""
    return session["name"]


def _match_with_remark(text: str) -> str:
    """Return the name of a section with a remark: `**Inference** (mostly of large models)`."""
    match = _BOLD_WITH_REMARK.fullmatch(text)
    is_other = match and (
        names_a_paper(match["name"])
        or (" " in match["name"] and is_name(match["name"]))
        or is_venue_like(match["name"])
    )
    return match["name"] if match and not is_other else ""


def _is_noun_phrase(name: str) -> bool:
    """Return False for a sentence, a remark, names or a venue."""
    is_remark = name.endswith((".", "。", "!", "！", "?", "？")) or is_talk(name) or " " not in name
    names_people = names_in(name) or is_name(name) or part_rest(name).authors
    return not (is_remark or names_people or is_venue_like(name))


def _lists_named_papers(page: NoteDocument, index: int) -> bool:
    """Return True for two linked names as the first items of a list below a line."""
    first = index + 1 if page.text(index + 1) else index + 2
    items = [page.links_at(item) if BULLET.match(page.text(item)) else [] for item in (first, first + 1)]
    return all(links and has_name(links[0]) for links in items)


def _lists_below(page: NoteDocument, index: int) -> bool:
    """Return True for a list below that does more than give the address of what the line names."""
    first = index + 1 if page.text(index + 1) else index + 2
    links = page.links_at(first)
    is_named = not links or any(link.label and not is_generic(link.label) for link in links)
    return BULLET.match(page.text(first)) is not None and is_named


def is_label(page: NoteDocument, index: int) -> bool:
    """Return True for a bold line with a number above the authors of a reference: `**[2] Colour distances**`."""
    is_numbered = page.text(index).startswith("**[") and _LABEL.fullmatch(page.text(index)) is not None
    return is_numbered and begins_reference(page, index + 1)


def begins_reference(page: NoteDocument, index: int) -> bool:
    """Return True for authors and year alone on a line, above the title, and the journal or publisher in italics."""
    if NAMES_AND_YEAR.fullmatch(page.text(index)) is None:
        return False
    title, source = page.text(index + 1), page.text(index + 2)
    return bool(title and source) and (title.startswith(("*", "_")) or source.startswith(("*", "_")))


def _is_translated(page: NoteDocument, index: int) -> bool:
    """Return True if `**A Title**` is followed by its bold Chinese or Japanese translation."""
    text, next_line = page.text(index), page.text(index + 1)
    return (
        next_line.startswith(("**", "__"))
        and CJK.search(next_line) is not None
        and CJK.search(text) is None
        and _BOLD.fullmatch(next_line[:_MAX_LOOKED_AT]) is not None
    )


def name_of(text: str) -> str:
    """Return the heading without links, markup, images and emoji."""
    name = text[:_MAX_LOOKED_AT]
    if "[" in name:
        name = _IMAGES.sub("", name)
        rest = _ANCHOR_LINKS.sub("", name)
        name = rest if LETTER_OR_DIGIT.search(rest) else _ANCHOR_LINKS.sub(r"\g<text>", name)
        name = _LINKS.sub(r"\g<text>", name)
    name = html.unescape(_ATTRIBUTES.sub("", _TAGS.sub("", name)))
    name = without_emphasis(_EMOJI.sub(" ", name))
    name = without_notes_on(_EMPTY_BRACKETS.sub("", name).strip())
    name = " ".join(name.split()).strip(" *_#¶:：|`~").strip()[:_MAX_NAME]
    return frame["name"] if (frame := _FRAME.fullmatch(name)) else name


def without_notes_on(name: str) -> str:
    """Return the title in `Notes: Title` or `【论文笔记】Title`."""
    return _NOTES_ON.sub("", name, count=1) if _NOTES_ON.match(name) else name


def _may_be_underlined(page: NoteDocument, index: int) -> bool:
    text = page.text(index)
    if (
        not text
        or (page.text(index - 1) and not (index > 1 and _UNDERLINE.fullmatch(page.text(index - 1))))  # a frame
        or len(text) > _MAX_NAME
        or text.startswith(("|", ">", "<", "-", "*", "+", "#", "!"))
    ):
        return False
    return not _SENTENCE.search(text) and "|" not in text


class Role(Enum):
    TOPIC = "topic"
    PAPER = "paper"
    TITLE = "title"
    PART = "part"
    NOISE = "noise"


@dataclass(eq=False)
class HeadingSection:
    """A heading with its section.

    `body`: index of the first line below; `end`: index of the next heading of any level.
    """

    index: int
    head: Headline
    name: str
    end: int
    links: list[TextLink]
    parent: "HeadingSection | None" = None
    children: list["HeadingSection"] = field(default_factory=list)
    role: Role = Role.TOPIC
    details: PaperDetails | None = None
    is_venue: bool = False  # a venue without a year, by the headings around

    @property
    def body(self) -> int:
        return self.index + self.head.count

    @property
    def words_beside(self) -> str:
        """The heading without its links."""
        if not self.links:
            return self.name
        return name_of(" ".join(split_around_links(self.head.text, self.links)))


def stated_status(page: NoteDocument, name: str) -> str | None:
    """Return the status of a heading, or None if its words are ambiguous. It may stand beside a venue."""
    marks = take_status(name)
    if marks.status and is_clearly_venue(marks.remainder):
        return marks.status
    word = _status_word(name)
    if _READING_LIST.fullmatch(name) or word in _FOR_LATER:
        return "to_read" if _states_another_status(page) else None
    if not word or word in _NOT_ALONE or (word == _ALSO_A_NOUN and not _states_another_status(page)):
        return None
    return status_of(word)


def stated_status_reason(name: str) -> str:
    return IS_STATUS.format(name=name)


def _status_word(name: str) -> str:
    if len(name) > _MAX_STATUS_CHARS:
        return ""
    words = name_of(name).strip(" :：").replace("読んでおきたい", "読みたい")
    names = (words, _REMARK_LAST.sub("", words), words.replace("-", " "))
    if word := next(filter(status_of, (_squeeze(pattern, name) for name in names for pattern in (_WORKS, _WHEN))), ""):
        return word
    if read_what := _READ_WHAT.fullmatch(words):
        return read_what["status"]
    return next(filter(status_of, (_squeeze(_WHEN, _squeeze(_WORKS, name)) for name in names)), "")


def _squeeze(pattern: re.Pattern[str], words: str) -> str:
    return " ".join(pattern.sub(" ", words).split()).casefold()


@once_per_note
def _states_another_status(page: NoteDocument) -> bool:
    """Return True if another heading of the note is "To read", "Done" or the like."""
    heads = (text for line in page.lines if (text := line.text).startswith(("#", "*")) or text.endswith((":", "：")))
    words = (_status_word(text.lstrip("#*")) for text in heads)
    return any(word not in _NOT_ALONE | {_ALSO_A_NOUN} and status_of(word) for word in words)
