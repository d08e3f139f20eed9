"""Prefixes and suffixes of titles: numbers, marks, dates, venues and short tags."""

import re
from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple

from readtrack.infra.text.titles.clean import clean_title, names_a_paper
from readtrack.infra.text.titles.dates import MONTH_NAME, iso_date, iso_day, take_date
from readtrack.infra.text.titles.marks import may_be_marked, status_of, take_marks
from readtrack.infra.text.titles.prefix_tree import prefix_tree
from readtrack.infra.text.titles.vocabulary import CJK_LETTERS, LETTER, LETTER_OR_DIGIT, VENUES, VENUES_IN_ANY_CASE
from readtrack.ingest.parser.vocabulary.author_names import names_in
from readtrack.ingest.parser.vocabulary.author_tags import take_author_tag
from readtrack.ingest.parser.vocabulary.journals import take_dated_journal
from readtrack.ingest.parser.vocabulary.venues import Venue, full_year, match_venue, tag_in, take_tag

_AS_WRITTEN = prefix_tree(VENUES, any_case=False)
_ORDER = rf"(?P<venue>(?:(?:USENIX|ACM|IEEE)\s)?{VENUES_IN_ANY_CASE})"
_NO_COINED_NAME = (  # `OSDI 2022 Orca: …` begins with a title, `OSDI 2022 Best: …` does not
    r"(?!\s(?!oral|spotlight|poster|highlight|best|award|workshop|session|demo|short|long|full|findings|industry|tutorial|"
    r"keynote|track|main)(?-i:[A-Z])[\w+-]*[:：])"
)
_FIRST = (
    re.compile(
        rf"[*_`]{{0,3}}{_ORDER}[\s-]?['’‘`]?\s?"
        r"(?P<when>(?:(?:19|20)\d\d|\d\d)(?:[./-](?:1[0-2]|0?[1-9])|,(?:1[0-2]|0[1-9])(?=,))?)(?!\d)[*_`]{0,3}"
        rf"{_NO_COINED_NAME}(?P<more>(?:\s(?![-–—])[^,，:：|｜\[\]()（）\d`]{{0,50}})?(?:\([^()]{{0,40}}\)\s?)?)"
        r"(?:[,，:：|｜]\s{0,2}|\.\s{1,2})(?=\S)",
        re.IGNORECASE,
    ),
    re.compile(
        r"[*_`]{0,3}(?P<venue>[A-Z][A-Za-z&+-]{0,14}[A-Z][A-Za-z]{0,8}|[A-Z][a-z]{2,14}(?:\s[A-Z][a-z]{2,14}){1,3})"
        r"[,，]?\s(?P<when>(?:19|20)\d\d)[*_`]{0,3}"
        r"(?P<more>\s[^,，:：|｜\[\]()（）\d`]{0,50}(?:\([^()]{0,40}\)\s?)?|)[,，]\s{1,2}(?=\S{1,40}\s+\S)"
    ),
    re.compile(rf"(?P<when>\d\d|(?:19|20)\d\d)\s?[-_–]\s?{_ORDER}\s?[-_–:]\s?(?=\S)(?P<more>)", re.IGNORECASE),
    re.compile(
        rf"[*_`]{{0,3}}{_ORDER}\s?['’`]{{0,2}}\s?(?P<when>\d\d|(?:19|20)\d\d)[*_`]{{0,3}}\s?[-–—]{{1,3}}\s{{1,2}}(?=\S)(?P<more>)",
        re.IGNORECASE,
    ),
    re.compile(rf"[*_`]{{0,3}}{_ORDER}\s?['’](?P<when>\d\d)[*_`]{{0,3}}\s?[-–—]\s?(?=\S)(?P<more>)", re.IGNORECASE),
    re.compile(rf"(?P<when>(?:19|20)\d\d)\s?[|｜,，]\s?{_ORDER}\s?[|｜,，]\s?(?=\S)(?P<more>)", re.IGNORECASE),
    re.compile(  # `2018.ISCA-45.3AP3.Title`, as files are named: the number of the meeting, the session and its paper
        rf"(?:[A-Z][\w-]{{1,20}}(?:\(\d\))?\.)?(?P<when>(?:19|20)\d\d)\.(?P<venue>{VENUES_IN_ANY_CASE}|[A-Z]{{2,9}})(?:-\d{{1,2}})?\."
        r"(?:(?P<more>[A-Z]?\d[A-Z]{1,3}\d{1,2})\.)?(?=[A-Z]\S*\s)"
    ),
    re.compile(  # `(22 SP) Title`; other words behind a number may be a unit or a month
        rf"[(\[]['’]?(?P<when>(?:19|20)?\d\d)\s(?P<venue>{VENUES}|SP|USENIX)[)\]]\s{{0,2}}(?=\w)(?P<more>)"
    ),
)
_TAG = re.compile(
    r"(?:\[(?P<square>[^\[\]]{1,60})\]|【(?P<lens>[^【】]{1,60})】|(?P<ticks>`{1,2})(?P<code>[^`]{1,60})(?P=ticks))(?![(\[])\s{0,3}[-:：]?\s{0,3}"
)
_BOLD_TAG = re.compile(r"(\*\*|__)(?P<tag>\[[^\[\]]{1,60}\]|【[^【】]{1,60}】)\1:?")
_BOLD_ROUND_TAG = re.compile(r"(\*\*|__)(?P<tag>\[[^\[\]]{1,60}\]|【[^【】]{1,60}】)\s?(?=[^\s*_][^*]{1,400}\1)")
_ALL_BOLD = re.compile(r"(\*{2,3}|__)(?P<inside>[^*]{1,1000})\1")
_EMOJI = re.compile(
    "(?:[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\ufe0f\u200d\u20e3]|:[a-z0-9_+-]{2,40}:)\\s{0,2}"
)
_FORM = re.compile(
    r"(?P<venue>[A-Za-z][\w&@.+ -]{1,40}?)[\s,'’‘-]{1,3}(?P<year>(?:19|20)\d\d|(?<=['’‘])\d\d)(?:\s[\w-]{1,20}){0,3}"
)
_BEFORE_SLASH = re.compile(
    rf"[*_`]{{0,3}}(?P<venue>(?:(?:USENIX|ACM|IEEE)\s)?(?:{VENUES_IN_ANY_CASE}|journal|workshop))(?:\s?['’]?\s?(?P<when>(?:19|20)\d\d|\d\d))?[*_`]{{0,3}}\s[/|｜]\s(?=\S)",
    re.IGNORECASE,
)
_ALIAS_LAST = re.compile(
    r"\s?[(（]\s?(?:`(?P<code>[^`()]{1,40})`|\*\*(?P<bold>[^*()]{1,60}(?:\([^()]{1,40}\))?)\s?\*\*)\s?[)）]\.?$"
)
_TRAILING = re.compile(
    rf"[\s,.;-]\s?(?P<venue>(?:(?:USENIX|ACM|IEEE)\s)?{_AS_WRITTEN})(?:\s?['’‘`]\s?(?P<year>(?:19|20)\d\d|\d\d)|\s(?P<full>(?:19|20)\d\d))\s?\.?$"
)
_YEAR_THEN_VENUE = re.compile(
    rf",\s(?P<year>(?:19|20)\d\d),\s(?P<venue>(?:USENIX|ACM|IEEE)\s[A-Z][A-Za-z ]{{1,30}}|{VENUES}|[A-Z]{{3,9}})\.?$"
)
_YEAR_AND_VENUE_LAST = re.compile(
    rf"\s[(\[](?P<year>(?:19|20)\d\d)[)\]],?\s(?P<venue>(?:(?:USENIX|ACM|IEEE)\s)?{_AS_WRITTEN})\.?$"
)
_TAG_BEFORE_REMARK = re.compile(r"\s[(\[（](?P<tag>[^()\[\]（）]{3,60})[)\]）](?:\s?[:：]\s|\s[-–—]{1,2}\s)(?=\S)")
_SHORT_LAST = re.compile(r",\s(?P<venue>[A-Z]{3,9})(?:,\s|\s)(?P<year>(?:19|20)\d\d)\.?$")
_ARXIV = re.compile(r"(?:arxiv:)?\d{4}\.\d{4,5}(?:v\d{1,2})?", re.IGNORECASE)
_PRIZE_FIRST = re.compile(
    r"(?:oral|spotlight|poster|highlight|best (?:student )?paper(?: award)?|workshop|demo|journal)[.,:]\s{1,2}(?=\S)",
    re.IGNORECASE,
)
_PRIZE_LAST = re.compile(
    r"\s?[(\[](?P<prize>(?:oral|spotlight|highlight|poster|(?:best|outstanding|distinguished) (?:student )?paper|"
    r"(?:journal|conference|research|full|short|tool|demo|practice|industry)(?: paper)?|paper|article|"
    r"(?:ph\.?d )?thesis)"
    r"(?: (?:award|presentation|runner-up|honou?rable mention))?)[)\]]$",
    re.IGNORECASE,
)
_REMARK_LAST = re.compile(
    r"\s(?<=[\w?!.]\s)\((?P<remark>(?!(?:the|an|and|or)\s[^()A-Z]*[A-Z])[a-z]{2,}[,:]?\s[^()]{2,80}|[a-z]|[!?]{1,3})\)$"
)
_PLAN_LAST = re.compile(
    r"(?:\s[-–—]\s|[\s,;(（\[]|^)\s?(?P<plan>(?:due|deadline|by|until|before|📅|⏳|期限|締切|締め切り|截止)(?:\s(?:on|by))?\s?[:：]?\s?"
    r"(?:19|20)\d\d[-/.]\d{1,2}[-/.]\d{1,2})[)）\]]?$",
    re.IGNORECASE,
)
_SPEAKER_FIRST = re.compile(r"[(（](?P<who>[^()（）\d]{2,40})[)）]\s?[:：]\s{0,2}(?=\S)")
SPEAKER_LAST = re.compile(r"(?<=\w)\s\((?P<who>[A-Z][a-z]{1,20}(?:\s[A-Z][\w.]{0,20})?)\)$")
_PRESENTED_BY = re.compile(
    r"(?P<who>[A-Z][\w'’.-]*(?:\s(?:and|&|[A-Z][\w'’.-]*)){0,6})\s(?:will\spresent|presents|presented|leads|led|discusses|"
    r"discussed)\s?:\s{1,2}(?=\S)"
)
_YEAR_FIRST = re.compile(r"(?P<year>(?:19|20)\d\d)(?:(?:[,:]|\s[-–—])\s{1,2}(?=\S)|\.\s?(?=[A-Z]\S+\s\S))")
_YEAR_AND_FRAME = re.compile(  # `2013 *IEEE*《Title》`, `2002_《Title》`, `2010-ViDE: Title`
    r"(?P<year>(?:19|20)\d\d)年?[\s_\\-]{0,3}(?:[*_](?P<venue>[^*_《》]{2,30})[*_]\s?)?(?:(?=[《『「])|(?<=\d[_-])(?=[A-Z]\S+\s\S))"
)
_ZERO_FIRST = re.compile(r"^[*_]{0,3}(?:0\d\s?[.．]\s?(?=\w)|\[\d{1,4}\][*_]{1,3}\s*)")
_LAB_LAST = re.compile(
    rf",\s(?P<when>{MONTH_NAME}\s(?:19|20)\d\d),\s"
    r"(?P<lab>[A-Z][\w&/.-]{1,30}(?:\s[A-Z][\w&/.-]{1,30}){0,2})$"
)
_DIGITS = re.compile(r"\d\d")
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9 ,:;'’&/+–—-]*[A-Za-z0-9]")  # words with nothing to remove
_MAY_BE_TAKEN = re.compile(r"\d\d|\d\s?/|\s[-–—:/]{1,2}\s|^no\W", re.IGNORECASE)  # years, scores, separators, numbers
# Plain words followed by a dated tag, to which no other rule below applies
_PLAINLY_TAGGED = re.compile(
    r"(?P<title>[A-Za-z][A-Za-z ,:;'’&/+–—-]*[A-Za-z])\s?(?:\((?P<round>{0})\)|\[(?P<square>{0})\])".replace(
        "{0}", r"[A-Za-z][A-Za-z ]{1,20}[ '’-]{0,2}\d{2,4}"
    )
)
_MAY_HOLD_MORE = re.compile(r"^[^A-Za-z\u3040-\u9fff]|[^\w.?!]$|\d\d")
_REMARKED = re.compile(  # `An English Title，很有意思`, `An English Title 英語の題`, `Short: A Title Short: 题目`
    rf"(?P<title>[A-Z0-9][^{CJK_LETTERS}，。、；]{{8,300}}?)(?:\s?[，。、；]\s?(?P<remark>[{CJK_LETTERS}].{{0,1000}})|"
    rf"(?P<translation>\s(?:\S{{1,40}}[:：]\s?)?(?![\u3041-\u3096]|\d{{1,4}}\s?[年月])[^\s{CJK_LETTERS}]{{0,20}}[{CJK_LETTERS}].{{5,1000}}))"
)
_MAX_ROUNDS = 6
_EDGE_CHARS = 50
_ISSUE = re.compile(r"\(\d{1,3}\)")  # `CACM 34(10): 78-92`, no year
_SHORT_YEAR = 2
_HASHTAG = re.compile(r"#[^\W\d][\w/-]{1,40}")


class TitleHead(NamedTuple):
    """A title without its prefixes and suffixes.

    `title`: the remaining words. `tags`: unknown short words in brackets.
    """

    title: str
    venue: str = ""
    year: int | None = None
    published: str = ""
    status: str | None = None
    rating: str = ""
    tags: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()


@lru_cache(maxsize=256)  # The same text is split several times while a line is parsed.
def take_head(text: str) -> TitleHead:
    """Split numbers, marks, dates, venues and tags from a title: `1. [x] Title (OSDI'22)`."""
    return _take_plain_head(text) or _plainly_tagged(text) or take_apart(text)


def take_apart(text: str) -> TitleHead:
    """Split any text, by applying all rules repeatedly."""
    if text[:3] in {"**[", "**【", "__["}:  # **[ICML] Title** Authors
        text = _BOLD_ROUND_TAG.sub(r"\g<tag> \1", text, count=1)
    bold_match = _ALL_BOLD.fullmatch(text.strip()) if text[:2] in {"**", "__"} else None
    head = TitleHead(bold_match["inside"] if bold_match else text.strip())
    for _ in range(_MAX_ROUNDS):
        before = head.title
        for take in _TAKERS:
            head = take(head)
        if head.title == before or not _MAY_HOLD_MORE.search(head.title):
            break
    return head


def take_hashtags(text: str) -> tuple[str, tuple[str, ...]]:
    """Split the tags at the beginning and end of an item: `The Title https://… #nlp #to-read`. A status stays."""
    if "#" not in text:
        return text, ()
    words = text.split()
    first = sum(1 for _ in takewhile(_HASHTAG.fullmatch, words))
    last = sum(1 for _ in takewhile(_HASHTAG.fullmatch, reversed(words[first:])))
    leading, trailing = words[:first], words[len(words) - last :]
    inner = text
    for word in leading:
        inner = inner.lstrip().removeprefix(word)
    for word in reversed(trailing):
        inner = inner.rstrip().removesuffix(word)
    if not (leading or trailing) or not LETTER.search(inner):
        return text, ()
    statuses = [word for word in (*leading, *trailing) if status_of(word[1:])]
    tags = tuple(word[1:] for word in (*leading, *trailing) if word not in statuses)
    return " ".join([inner.strip(), *statuses]), tags


def split_remark(text: str) -> tuple[str, str]:
    """Split a Chinese or Japanese remark or translation from the end of an English title.

    A title goes on in words that begin with a Japanese particle, such as `Deep Learning を用いた…`.
    """
    match = _REMARKED.fullmatch(text) if not text.isascii() else None
    is_whole = match and match["title"].count("(") == match["title"].count(")")
    if match and is_whole and names_a_paper(clean_title(take_head(match["title"]).title)):
        return match["title"], match["remark"] or match["translation"].strip()
    return text, ""


def _take_plain_head(text: str) -> TitleHead | None:
    """Return `Short: A Title of Mere Words` unchanged, as there is nothing to split."""
    if not _PLAIN.fullmatch(text) or _MAY_BE_TAKEN.search(text) or may_be_marked(text):
        return None
    return TitleHead(text)


def _plainly_tagged(text: str) -> TitleHead | None:
    """Split the frequent form `Title (OSDI'22)` in one step, with the same result as the rules."""
    match = _PLAINLY_TAGGED.fullmatch(text)
    title = match["title"] if match else ""
    if not match or " / " in title or may_be_marked(title):
        return None
    tag = tag_in(match["round"] or match["square"])
    return TitleHead(title, tag.venue, tag.year) if tag and tag.venue else None


def _take_marks(head: TitleHead) -> TitleHead:
    marks = take_marks(_ZERO_FIRST.sub("", head.title) if head.title[:1] in {"0", "*", "_"} else head.title)
    rating = f"{head.rating} {marks.rating}".strip()
    return head._replace(title=marks.remainder, status=head.status or marks.status, rating=rating)


def _take_pictures(head: TitleHead) -> TitleHead:
    title = head.title
    while match := _EMOJI.match(title):
        title = title[match.end() :]
    return head._replace(title=title)


def _take_plan(head: TitleHead) -> TitleHead:
    """Split the day by which to read a paper, which is not that of its publication: `Title (due 2025-03-01)`."""
    plan = _PLAN_LAST.search(head.title, max(0, len(head.title) - _EDGE_CHARS)) if head.title[-2:-1].isdigit() else None
    if plan is None:
        return head
    return head._replace(title=head.title[: plan.start()].rstrip(), tags=(*head.tags, plan["plan"]))


def _take_venue(head: TitleHead) -> TitleHead:
    if head.venue:
        return head
    if any(mark in head.title for mark in "/|｜") and (slash := _BEFORE_SLASH.match(head.title)):
        year = full_year(slash["when"]) if slash["when"] else None
        return head._replace(title=head.title[slash.end() :], venue=slash["venue"], year=year)
    if not _DIGITS.search(head.title):
        return head
    first = next((match for pattern in _FIRST if (match := pattern.match(head.title))), None)
    if first and not (len(first["when"]) == _SHORT_YEAR and _ISSUE.fullmatch((first["more"] or "").strip(" :*_"))):
        return _take_first(head, first)
    return _take_dated_venue(head)


def _take_dated_venue(head: TitleHead) -> TitleHead:
    """Split a venue from `Title (OSDI'22)`, `Title OSDI'22` or `Title, 2022, OSDI`.

    A year before the title is split off too.
    """
    edge = max(0, len(head.title) - _EDGE_CHARS)
    patterns = (_YEAR_THEN_VENUE, _SHORT_LAST, _YEAR_AND_VENUE_LAST)
    match = next((match for pattern in patterns if (match := pattern.search(head.title, edge))), None)
    if match and match.start() > 0:
        return head._replace(title=head.title[: match.start()], venue=match["venue"], year=int(match["year"]))
    if (journal := take_dated_journal(head.title)) and not names_in(journal[0]):
        title, venue, year = journal
        return head._replace(title=title, venue=venue, year=year)
    framed = _YEAR_AND_FRAME.match(head.title)
    if framed and framed["venue"]:
        return head._replace(title=head.title[framed.end() :], venue=framed["venue"], year=int(framed["year"]))
    if year_first := _YEAR_FIRST.match(head.title) or framed:
        published = head.published or year_first["year"]
        head = head._replace(title=head.title[year_first.end() :], published=published)
    return _take_tagged_venue(head)


def _take_tagged_venue(head: TitleHead) -> TitleHead:
    """Split a venue from `Title (OSDI'22)`, `Title (OSDI'22): remark` or `Title OSDI'22`."""
    tag = take_tag(head.title)
    if tag.venue and tag.remainder.count("*") % 2 == 0:  # not the end of text in italics
        return head._replace(title=tag.remainder, venue=tag.venue, year=tag.year)
    inside = _TAG_BEFORE_REMARK.search(head.title)
    if inside and inside.start() and (dated := _dated_tag(inside["tag"])):
        title, remark = head.title[: inside.start()], head.title[inside.end() :]
        return head._replace(title=title, venue=dated.venue, year=dated.year, tags=(*head.tags, remark))
    last = _TRAILING.search(head.title, max(0, len(head.title) - _EDGE_CHARS))
    if last and last.start() > 0:
        year = full_year(last["year"] or last["full"])
        return head._replace(title=head.title[: last.start()], venue=last["venue"], year=year)
    return head


def _dated_tag(content: str) -> Venue | None:
    tag = tag_in(content)
    return tag if tag and tag.year else None


def _take_first(head: TitleHead, match: re.Match[str]) -> TitleHead:
    """Split `arXiv 2023.10, Title`, `ICLR 2024 spotlight: Title` or `19-NSDI-Title`."""
    digits, _, month = re.sub("[/,-]", ".", match["when"]).partition(".")
    year = full_year(digits)
    published = head.published or (iso_date(f"{year}-{int(month):02}") if month else "")
    title, label = head.title[match.end() :], (match["more"] or "").strip(" *_`()-")
    tags = (*head.tags, label) if label else head.tags
    if prize := _PRIZE_FIRST.match(title):
        title, tags = title[prize.end() :], (*tags, prize[0].strip(" .,:"))
    return head._replace(title=title, venue=match["venue"], year=year, published=published, tags=tags)


def _take_alias(head: TitleHead) -> TitleHead:
    """Split the short name from `Title (`PAI`)`."""
    if not head.title.endswith((")", "）", ").")):
        return head
    last = _ALIAS_LAST.search(head.title, max(0, len(head.title) - 2 * _EDGE_CHARS))
    if last is None or not LETTER_OR_DIGIT.search(head.title[: last.start()]):
        return head
    return head._replace(title=head.title[: last.start()], tags=(*head.tags, (last["code"] or last["bold"]).strip()))


def _take_authors(head: TitleHead) -> TitleHead:
    """Split authors and year: `Title (Lovelace et al., 2022)`, `[Babbage+ VLDB'21] Title`."""
    if head.authors or not (tag := take_author_tag(head.title)) or not LETTER_OR_DIGIT.search(tag.remainder):
        return head
    tags = (*head.tags, tag.more) if tag.more else head.tags
    head = head._replace(title=tag.remainder, authors=tag.authors, tags=tags)
    if tag.venue and not head.venue:
        return head._replace(venue=tag.venue, year=tag.year)
    if tag.year and not head.year:
        return head._replace(published=head.published or str(tag.year))
    return head


def _take_tag(head: TitleHead) -> TitleHead:
    """Split a tag from `[Survey] Title`, `【入门】Title` or `` `ICML` Title``, if a title remains."""
    text = _BOLD_TAG.sub(r"\g<tag>", head.title) if head.title[:3] in {"**[", "**【", "__["} else head.title
    match = _TAG.match(text) if text[:1] in {"[", "【", "`"} else None
    if not match:
        return head
    content, rest = match["square"] or match["lens"] or match["code"], text[match.end() :]
    if match["code"] and match[0].rstrip().endswith(("-", ":", "：")):  # `Short` - the rest of the title
        return head._replace(title=f"{content} - {rest}")
    if not LETTER_OR_DIGIT.search(rest) and not iso_date(content) and not match_venue(content):
        return head
    return _add_tag(head._replace(title=rest), content)


def _add_tag(head: TitleHead, content: str) -> TitleHead:
    """Add what a tag says: a date, a venue, or other words."""
    if date := iso_date(content):
        return head._replace(published=head.published or date)
    if venue := match_venue(content):
        return head._replace(venue=head.venue or venue.venue, year=head.year or venue.year)
    if not head.venue and (form := _FORM.fullmatch(content)):
        return head._replace(venue=form["venue"].strip(), year=full_year(form["year"]))
    return head if _ARXIV.fullmatch(content) else head._replace(tags=(*head.tags, content.strip()))


def _take_date(head: TitleHead) -> TitleHead:
    if head.published:
        return head
    lab = _LAB_LAST.search(head.title, max(0, len(head.title) - 2 * _EDGE_CHARS))  # `Title, dec 2015, Google`
    if lab and (date := take_date(lab["when"]).iso):
        return head._replace(title=head.title[: lab.start()], published=date, tags=(*head.tags, lab["lab"]))
    parts = take_date(head.title) if _DIGITS.search(head.title) else None
    if parts and parts.iso and LETTER_OR_DIGIT.search(parts.remainder):
        return head._replace(title=parts.remainder, published=parts.iso)
    return head


def _take_speaker(head: TitleHead) -> TitleHead:
    """Split who presents a paper: `Ada presented: Title`, or `(Ada): Title` and `Title (Ada)` behind a day."""
    is_dated = head.published and head.title[:1] in {"(", "（"}
    if first := (_SPEAKER_FIRST if is_dated else _PRESENTED_BY).match(head.title):
        return head._replace(title=head.title[first.end() :], tags=(*head.tags, first["who"].strip()))
    last = SPEAKER_LAST.search(head.title) if iso_day(head.published) else None
    if last and not tag_in(last["who"]):
        return head._replace(title=head.title[: last.start()], tags=(*head.tags, last["who"]))
    return head


def _take_remark(head: TitleHead) -> TitleHead:
    """Split a remark in lower case from the end of a title: `(copy from Ada)`, `(no, that was 2015)`."""
    last = _REMARK_LAST.search(head.title, max(0, len(head.title) - 2 * _EDGE_CHARS))
    if last is None or not LETTER_OR_DIGIT.search(head.title[: last.start()]):
        return head
    return head._replace(title=head.title[: last.start()], tags=(*head.tags, last["remark"]))


def _take_prize(head: TitleHead) -> TitleHead:
    """Split `(Best Paper)`, `[oral]` or `(journal)` from the end of a title."""
    prize = _PRIZE_LAST.search(head.title, max(0, len(head.title) - _EDGE_CHARS)) if head.title[-1:] in ")]" else None
    if prize is None or not prize.start():
        return head
    return head._replace(title=head.title[: prize.start()], tags=(*head.tags, prize["prize"]))


_TAKERS = (
    _take_marks,
    _take_plan,
    _take_pictures,
    _take_authors,
    _take_venue,
    _take_alias,
    _take_tag,
    _take_prize,
    _take_remark,
    _take_date,
    _take_speaker,
)
