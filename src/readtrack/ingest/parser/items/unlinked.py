"""Texts without an address: a question, a topic to study, a paper known by its title, a remark, or nothing."""

import re
from dataclasses import replace

from readtrack.infra.text.titles.clean import clean_title, is_broken_off, names_a_paper
from readtrack.infra.text.titles.dates import MONTH_NAME, take_date
from readtrack.infra.text.titles.marks import status_of
from readtrack.infra.text.titles.vocabulary import CJK, CJK_LETTERS, LETTER_OR_DIGIT
from readtrack.ingest.parser.citations.cited_names import only_cites
from readtrack.ingest.parser.citations.cjk_references import cite_book, cite_cjk_reference
from readtrack.ingest.parser.citations.parse_citation import parse_citation, parse_cited_title
from readtrack.ingest.parser.citations.patterns import SURNAME, WORD
from readtrack.ingest.parser.citations.separators import cite_book_between_commas
from readtrack.ingest.parser.citations.venue import PUBLISHERS, find_venue, has_small_word, says_more
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.items.build_entry import ItemContext, ItemText, build_unlinked_entry, join_texts
from readtrack.ingest.parser.items.citing_labels import read_citing_label
from readtrack.ingest.parser.items.diary import DiaryReading, find_reading, is_chore, is_post
from readtrack.ingest.parser.items.link_roles import role_from_label
from readtrack.ingest.parser.items.subjects import TALK, is_question, is_task, subject
from readtrack.ingest.parser.reasons import CONTENTS, DIARY_ITEM, NESTED, NO_TEXT, SECOND_HAND, UNLINKED
from readtrack.ingest.parser.vocabulary.author_names import CitationParts, is_name
from readtrack.ingest.parser.vocabulary.author_tags import may_be_surname
from readtrack.ingest.parser.vocabulary.bylines import split_byline
from readtrack.ingest.parser.vocabulary.file_names import read_file_name
from readtrack.ingest.parser.vocabulary.journals import is_journal_name
from readtrack.ingest.parser.vocabulary.title_affixes import TitleHead, split_remark, take_head
from readtrack.ingest.parser.vocabulary.venues import full_year

_SAID = re.compile(  # 小刘，我建议先看《An English Title》
    rf"(?P<words>[{CJK_LETTERS}，、,：:\s]{{2,40}})[《『「](?P<title>[A-Z][^{CJK_LETTERS}《》『』「」]{{8,300}})[》』」]"
)
_ANCHOR = re.compile(
    r"\[(?:[^\[\]]|\\\]|\[[^\[\]]{0,100}\]){0,300}\]\(\s?#[^()\n]{0,300}(?:\([^()\n]{0,100}\)[^()\n]{0,100})?\)"
)
# The number of a section or of its papers.
_NUMBER = re.compile(
    r"[\s:：–-]{0,3}[(\[（]?\d{1,5}(?:\.\d{1,3}){0,4}\.?(?:\s?(?:papers?|篇|本|件))?[)\]）]?", re.IGNORECASE
)
_SEE_ALSO = re.compile(r"\[[^\[\]]{0,60}\[[^\[\]]{0,100}\]\(\s?#[^()\s]{0,300}\)[^\[\]]{0,60}\]")
_PICTURE = re.compile(r"!\[[^\[\]]{0,300}\]\([^()\s]{0,1000}\)")
_LOCAL = re.compile(r"\[{1,2}([^\[\]]{0,300})\]{1,2}\(\s?[^()]{0,500}\)\]?")
_FIELD = re.compile(
    r"[*_]{0,2}(?:authors?|by|venue|conference|journal|published|publication|date|year|keywords?|tags?|作者|著者|会议|会議|期刊|日期|时间)[*_]{0,2}\s?[:：]",
    re.IGNORECASE,
)
_NAMED_NOWHERE = re.compile(r"\[(?P<name>(?:\[[A-Z][^\[\]]{0,30}\d\d\])?[^\[\]]{8,300})\]\(\s?\)")
_BRACKETED = re.compile(r"\[(?P<name>[A-Z][^\[\]\s]{0,40}(?:\s[^\[\]\s]{1,40}){4,40})\]")
_QUOTED_LAST = re.compile(r"[”\"][\s.,;]{0,3}$")
_CITES_QUOTED = re.compile(  # Lovelace and Babbage, “Title”
    r"[^\W\d_][^“\"]{2,300}[“\"]\W?[^\W_a-z].*[”\"][\s.,;]{0,3}$"
)
_PDF_FIRST = re.compile(rf"[^\w\s]{{0,3}}\s?[(\[（](?:pdf|PDF)[)\]）]\s(?:[A-Z]|(?=.{{0,40}}[{CJK_LETTERS}]{{6}}))")
_SURVEY = re.compile(
    r"[a-z]: (?:[Aa] )?(?:[Cc]omprehensive |[Ss]ystematic |[Bb]rief )?"
    r"(?:[Ss]urvey|[Rr]eview|[Oo]verview|[Tt]utorial)$"
)
_COINED = re.compile(r"[A-Z][a-z]{1,20}[A-Z][A-Za-z0-9]{1,20}: [A-Za-z][^\s.,;:]{2,30}(?:\s[^\s.,;:]{1,30}){3,15}")
_SHORT_TITLE = re.compile(  # subjects begin with no article
    r"(?:The|A|An|On|Towards?|Rethinking|Revisiting|Understanding)(?:\s(?:[a-z]{1,4}\s)?[A-Z][\w'’-]{1,30}){2,4}"
)
_OTHER_FORM = re.compile(  # `Talk: …`, `CS 736 @ …`: the first word says that it is no paper
    r"(?i:talk|course|lecture|book|blog|video|podcast)\s?[:：]\s|[A-Z]{2,5}\s?\d{2,4}[a-z]?\s?[@:]\s"
)
_DESCRIBED = re.compile(  # `a paper on disk failures by …`, `…についての論文`
    r"(?:an?|the|another|some|that|one)\s(?:[a-z-]{1,20}\s){0,2}(?:paper|article|work|survey|talk|report|thesis|study|post)s?"
    r"\s(?:on|about|by|from|that|which|where|of|in)\b|introduces\s|.{2,80}(?:についての|に関する)(?:論文|記事)$|"
    r"(?:一篇|那篇|某篇)?(?:关于|讲).{2,60}的(?:论文|文章)$"
)
_WIKI = re.compile(r"\[\[([^\[\]|]{1,300})(?:\|[^\[\]]{0,300})?\]\]")
_CAPITAL = re.compile(r"[A-Z0-9]")
_MANY_WORDS, _MANY_CJK_LETTERS = 5, 12
_YEARED = re.compile(
    r"\s?[(（](?P<venue>(?=[^()（）]{0,58}[A-Za-z])[^()（）a-z][^()（）]{1,60}?)[\s,'’]{0,2}"
    r"(?P<year>(?:19|20)\d\d|(?<=[\s'’])\d\d)[)）]\.?$"
)
_MONTH = re.compile(MONTH_NAME, re.IGNORECASE)
_FILE = re.compile(r"(?P<name>[^/]{1,300}\.pdf)(?:\s{1,3}(?P<remark>`[^`]{1,200}`))?", re.IGNORECASE)
_GLOSSED = re.compile(
    rf"(?P<title>[^{CJK_LETTERS}（）]{{20,300}}?)\.?\s?[（(]"
    r"(?:(?P<when>(?:[A-Z][A-Za-z]{1,12}\s?['’]?)?(?:19|20)\d\d)[，,]\s?)?"
    rf"(?P<remark>[^（）{CJK_LETTERS}]*(?:[{CJK_LETTERS}][^（）{CJK_LETTERS}]*){{3,400}})[)）]"
)
_STRUCK = re.compile(r"~~(?P<struck>[^~]{1,400})~~\s?(?P<remark>.{0,200})")
_PUBLISHED = re.compile(r"出版|書店|书店|書房|书局|\b(?:19|20)\d\d\b")
_DIGITS = re.compile(r"\d\d")
_BY_OTHERS = re.compile(  # `NICE - Dinh et al.`, `Spanner, Corbett et al. 2012`
    r"(?=[A-Z\d])[^.?!]{2,150}(?:\s[-–—]|,)\s[^-–—]{3,80}?\bet\.?\s?al\.?(?:[\s,(]{1,2}(?:19|20)\d\d\)?)?\.?"
)
_INVERTED_FIRST = re.compile(  # `Gurung, B., Mendelsohn, R. …`, which only a reference begins with
    rf"(?:{SURNAME},\s(?:[A-Z]\.[\s-]?){{1,4}}(?:,|&|,?\s&|,?\sand)\s?){SURNAME},\s[A-Z]\."
)
_LABELS_LAST = re.compile(  # `[Paper] [Code]`, copied from a page without the addresses
    r"(?<=\S)(?:\s?\[(?:paper|pdf|code|github|project(?: page)?|website|slides|video|poster|demo|dataset)\]){1,6}\s*$",
    re.IGNORECASE,
)
_QUOTES = ('"', "“")
_BOLD_QUOTED = re.compile(
    r"\*\*[\"“](?P<name>[^\"“”*\s]+(?:\s[^\"“”*\s]+){4,60})[\"”]\*\*(?=\s?[(（][^()（）]{0,40}\d)"
)
_BOOK_MARKS = re.compile(r"《(?P<title>[^《》]{8,300})》\s?(?:[【(（][^【】()（）]{1,100}[】)）])?")
_MAX_TITLE, _EDGE = 400, 90
_MIN_WORDS, _LONG_TITLE_WORDS = 2, 7


def as_diary_line(entry: ParsedEntry) -> ParsedEntry:
    """Return a topic as a remark: below a date, a line says what was done, not what to study."""
    if entry.kind != "topic":
        return entry
    return replace(entry, kind="snippet", title="", reason=DIARY_ITEM)


def read_wordless(
    text: str,
    context: ItemContext,
    *,
    references: bool = False,
    among_papers: bool = False,
    in_list: bool = False,
    is_title: bool = False,
) -> ParsedEntry:
    """Read a text without links.

    `references`: under a heading of references, where a line names or describes a work. `among_papers`: the line is a
    title. `in_list`: a list item, which may be only a title. `is_title`: the lines around show that it is a title.
    """
    if in_list and (paper := _read_glossed(text, context, among_papers=among_papers, is_title=is_title)):
        return paper
    if name := _name_in_brackets(text, in_list=in_list):
        is_title = is_title or _NAMED_NOWHERE.fullmatch(text.strip()) is not None
        among_papers, text = True, name
    is_title = is_title or (in_list and _BOLD_QUOTED.match(text.strip()) is not None)
    visible_text = _without_markup(text) if "[" in text else text
    reading = find_reading(visible_text)
    if entry := _read_diary_line(reading, context) if reading else _read_file(visible_text, context, in_list=in_list):
        return entry
    if not LETTER_OR_DIGIT.search(visible_text) or (_NUMBER.fullmatch(visible_text) and _ANCHOR.search(text)):
        return _build_blank_entry(text, context)
    if only_cites(visible_text):
        return _build_entry("snippet", context, text=visible_text)
    among_papers = (
        among_papers
        or is_title
        or cite_book(visible_text) is not None
        or _is_in_book_marks(visible_text)
        or (visible_text != text and _linked_nowhere(text))
        or (in_list and _is_item_of_paper(visible_text))
    )
    has_words_of_title = in_list and visible_text.count(" ") >= _MIN_WORDS
    may_cite = references or _DIGITS.search(visible_text) or _CITES_QUOTED.match(visible_text)
    if among_papers or has_words_of_title or may_cite:
        paper = _read_paper(visible_text, context, among_papers=among_papers, in_list=in_list, is_title=is_title)
        if paper and (is_title or paper.venue or not is_question(visible_text) or names_a_paper(paper.title)):
            return paper
    return _read_words(visible_text, context, references=references)


def _is_item_of_paper(text: str) -> bool:
    """Return True for `(pdf) A Title`, `_A Title_ - Author` and `NICE - Dinh et al.`"""
    return bool(_PDF_FIRST.match(text) or _is_signed_in_italics(text) or _BY_OTHERS.fullmatch(text))


def _is_in_book_marks(text: str) -> bool:
    """Return True for `《The Title of a Paper》【remark】`: in Chinese, only works stand in these marks."""
    match = _BOOK_MARKS.fullmatch(text.strip())
    title = match["title"].strip(" *_.") if match else ""
    return names_a_paper(title) and (":" in title or len(title.split()) >= _LONG_TITLE_WORDS)


def _name_in_brackets(text: str, *, in_list: bool) -> str:
    """Return the title in `[Title]()`, where the address is missing, or in an item `[A title of several words]`."""
    empty_link = _NAMED_NOWHERE.search(text) if "](" in text else None
    is_title = empty_link and not (is_task(empty_link["name"]) or is_chore(empty_link["name"]))
    if empty_link and is_title and not role_from_label(empty_link["name"]):
        return empty_link["name"]
    bracketed = _BRACKETED.fullmatch(text.strip()) if in_list else None
    return bracketed["name"] if bracketed else ""


def _read_words(text: str, context: ItemContext, *, references: bool) -> ParsedEntry:
    """Read a text that is no paper: a question, words about a work, a topic or a remark."""
    if is_question(text):
        return _build_entry("question", context, title=clean_title(text), text=text)
    if references and len(text) > 1:
        return _build_entry("lead", context, text=text, reason=SECOND_HAND)
    name = subject(text)
    return _build_entry("topic" if name else "snippet", context, title=name, text=text)


def _read_glossed(text: str, context: ItemContext, *, among_papers: bool, is_title: bool) -> ParsedEntry | None:
    """Read `The Title（2020，笔记）`, a title with a remark in another language."""
    glossed = _GLOSSED.fullmatch(text)
    if glossed is None or not (glossed["when"] or names_a_paper(glossed["title"])):
        return None
    title = f"{glossed['title']} ({glossed['when']})" if glossed["when"] else glossed["title"]
    entry = read_wordless(title, context, in_list=True, among_papers=among_papers, is_title=is_title)
    return replace(entry, text=join_texts(entry.text, glossed["remark"])) if entry.kind == "paper" else None


def _read_file(text: str, context: ItemContext, *, in_list: bool) -> ParsedEntry | None:
    """Read an item of a list that is the name of a file, such as `[x] Fast Paxos.pdf`, also a struck one.

    A single word may be any file, unless it is marked as read or to read.
    """
    if not in_list or ".pdf" not in text:
        return None
    head = take_head(text)
    struck = _STRUCK.fullmatch(head.title)
    file = _FILE.fullmatch(struck["struck"].strip() if struck else head.title)
    if file is None or role_from_label(file["name"].partition(":")[0]) or is_task(file["name"]):
        return None
    found = read_file_name(file["name"])
    if found is None and not (head.status or context.status):
        return None
    title, venue, year = found or (file["name"][: -len(".pdf")], "", None)
    remark = " ".join(filter(None, (file["remark"], struck and struck["remark"])))
    item_text = _build_item_text(head, title, head.authors, remark)
    status = "dropped" if struck and head.status != "read" else head.status
    return build_unlinked_entry(replace(item_text, venue=venue, year=year or item_text.year, status=status), context)


def _is_signed_in_italics(text: str) -> bool:
    """Return True for a title in italics with its authors: `_The Title_ - Author: remark`."""
    return text[:1] in "*_" and text[1:2].isalnum() and bool(parse_citation(text).authors)


def _read_diary_line(reading: DiaryReading, context: ItemContext) -> ParsedEntry:
    head = take_head(reading.title)
    item_text = _build_item_text(head, head.title, head.authors, reading.remark)
    entry = build_unlinked_entry(replace(item_text, status=context.status or reading.status), context)
    return entry if reading.is_sure or head.venue else replace(entry, kind="lead", paper_kind="", reason=UNLINKED)


def _without_markup(text: str) -> str:
    """Replace local links by their text, and remove images and anchors."""
    stripped = _ANCHOR.sub("", _SEE_ALSO.sub("", _PICTURE.sub("", text)))
    return _WIKI.sub(r"\1", _LOCAL.sub(_label, stripped)).strip()


def _label(link: re.Match[str]) -> str:
    return "" if role_from_label(link[1]) else link[1]


def _linked_nowhere(text: str) -> bool:
    """Return True for `Title [[pdf]()]`, where the address of a paper is missing."""
    return any(role_from_label(link[1]) == "own" for link in _LOCAL.finditer(text) if link[1].strip(" []"))


def _build_blank_entry(text: str, context: ItemContext) -> ParsedEntry:
    kind, reason = ("junk", CONTENTS) if _ANCHOR.search(text) else ("blank", NO_TEXT)
    return ParsedEntry(context.first, context.last, 1, kind, decision="skip", reason=reason)


def _read_paper(
    text: str, context: ItemContext, *, among_papers: bool, in_list: bool, is_title: bool
) -> ParsedEntry | None:
    """Return a paper for a clear title, a lead for a possible one, or None.

    A title is clear with a venue, in a list of papers or in a list of titles, which counts as one of papers, too.
    """
    text, final_remark = split_remark(_LABELS_LAST.sub("", text))
    head = _with_odd_venue(take_head(text)) if among_papers else take_head(text)
    if _FIELD.match(text) or not head.title:
        return None
    citation = _cite(text, head)
    if among_papers and not citation.authors and (head.year or head.published):
        words, names = split_byline(citation.title, has_date=True)
        citation = citation._replace(title=words, authors=names)
    if citation.authors or head.authors or (in_list and not head.venue and all(find_venue(citation.remainder))):
        head = _with_cited_venue(head, citation, text)
    title = clean_title(citation.title)
    if not title or len(title) > _MAX_TITLE or is_broken_off(title):
        return None
    has_authors_first = in_list and _has_authors_first(text, citation)
    is_cited = _is_cited(text, head, citation, in_list=in_list) or (has_authors_first and names_a_paper(title))
    is_named = is_cited or has_authors_first or names_a_paper(title) or _is_survey(title)
    if not is_named and not ((is_title or _could_be_one(title)) and (head.venue or among_papers)):
        return None
    rest = citation.remainder if says_more(citation.remainder, head.venue, head.year or head.published[:4]) else ""
    item_text = _build_item_text(head, title, citation.authors or head.authors, join_texts(rest, final_remark))
    entry = build_unlinked_entry(item_text, context)
    if _DESCRIBED.match(title):
        return replace(entry, kind="lead", paper_kind="", title="", text=text, reason=SECOND_HAND)
    is_noted = names_a_paper(title) and bool(head.status or context.status) and _could_be_one(title)
    is_listed = among_papers and (is_named or _has_many_words(title))
    if (head.venue or is_cited or is_title or is_noted or is_listed) and not _OTHER_FORM.match(text):
        return entry
    return replace(entry, kind="lead", paper_kind="", reason=UNLINKED)


def _is_cited(text: str, head: TitleHead, citation: CitationParts, *, in_list: bool) -> bool:
    """Return True for a text that tells the authors of its title as references do."""
    is_dated = bool(head.year or head.published)
    return (
        (is_dated and (bool(head.authors) or begins_with_authors(text, citation)))
        or (is_dated and bool(citation.authors) and text.startswith(_QUOTES))
        or (bool(citation.authors) and _QUOTED_LAST.search(text) is not None)
        or (_INVERTED_FIRST.match(text) is not None and begins_with_authors(text, citation))
        or cite_book(text) is not None
        or _is_book_between_commas(text)
        or (in_list and (_is_signed(text, citation) or _BY_OTHERS.fullmatch(text) is not None))
    )


def _is_book_between_commas(text: str) -> bool:
    """Return True for a book with its edition. In Japanese or Chinese, anything may have one: `报告, 草稿, 第2版`."""
    book = cite_book_between_commas(text)
    return book is not None and (not CJK.search(book.title) or _PUBLISHED.search(book.remainder) is not None)


def _cite(text: str, head: TitleHead) -> CitationParts:
    """Split the title of the head, or the whole text where its year makes the authors sure: `Kuhn, T. Title (1962)`."""
    citation = parse_cited_title(head.title) if head.venue else parse_citation(head.title)
    if said := _SAID.fullmatch(citation.title):
        words = head.title.partition(said[0])[0] + said["words"]
        return CitationParts(said["title"], (), join_texts(words, citation.remainder))
    if not citation.authors and text.startswith(_QUOTES):  # `"The Title", Ackers 1958`
        signed = read_citing_label(citation.remainder.strip(" ,."))
        if (
            signed.authors
            and all(map(may_be_surname, signed.authors))
            and (signed.published or head.published or head.year)
        ):
            return citation._replace(authors=signed.authors, remainder=signed.published)
    if citation.authors or not (head.year or head.published):
        return citation
    if reference := cite_cjk_reference(text):
        return reference
    whole = parse_citation(text)
    are_sure = begins_with_authors(text, whole) and not CJK.search(whole.authors[0])  # any few characters may be a name
    return whole if are_sure else citation


def _with_cited_venue(head: TitleHead, citation: CitationParts, text: str) -> TitleHead:
    """Return the head with the venue and year of the reference if it has none, or only names who published it."""
    if head.venue and head.year and head.venue.casefold() not in PUBLISHERS:
        return head
    venue, year = find_venue(citation.remainder)
    name = citation.remainder.strip(" .*_")
    is_name_alone = is_journal_name(name) or text.rstrip(" .").endswith((f". *{name}*", f". _{name}_"))
    is_name_alone = is_name_alone and not status_of(name) and not has_small_word(name)
    if not venue and citation.authors and name and is_name_alone:
        venue = name
    if venue and head.venue.casefold() in PUBLISHERS:
        return head._replace(venue=venue, year=year or head.year)
    return head._replace(venue=head.venue or venue, year=head.year or year)


def _is_signed(text: str, citation: CitationParts) -> bool:
    """Return True for a title and nothing but two or more authors behind it: `Title, Ada Lovelace, Charles Babbage`."""
    title = citation.title
    is_apart = CJK.search(title) is not None or not is_name(" ".join(title.split()[-2:]))
    is_first = text.startswith(title) and len(citation.authors) > 1 and not citation.remainder
    return is_first and is_apart and (CJK.search(title) is not None or names_a_paper(title))


def _has_authors_first(text: str, citation: CitationParts) -> bool:
    """Return True for full names and nothing but a title: `Ada Lovelace, Charles Babbage. A story of cached wires`."""
    names, title = citation.authors, citation.title
    if not names or not text.startswith(names[0]) or citation.remainder:
        return False
    are_full = all(" " in name for name in names) and (len(names) > 2 or "." in names[0])
    return are_full and len(title.split()) >= _MANY_WORDS and title[:1].isupper() and _could_be_one(title)


def begins_with_authors(text: str, citation: CitationParts) -> bool:
    """Return True for a text that begins with its authors, as references do, and goes on after the title."""
    if not citation.title:
        return False
    first = citation.authors[0].split()[0].strip(",.") if citation.authors else ""
    begins_with_names = bool(first) and first in text[:_EDGE].split(citation.title[:_EDGE], maxsplit=1)[0]
    words = len(citation.title.split()) + len(CJK.findall(citation.title)) // 2
    goes_on = citation.remainder or text.partition(citation.title)[2].strip(" .")
    is_title = words >= _MIN_WORDS or any(f"{mark}{citation.title}" in text for mark in "*_")  # a book in italics
    return begins_with_names and bool(goes_on) and is_title


def _has_many_words(title: str) -> bool:
    return len(title.split()) >= _MANY_WORDS or len(CJK.findall(title)) >= _MANY_CJK_LETTERS


def _with_odd_venue(head: TitleHead) -> TitleHead:
    """Use brackets with a year at the end as the venue, even if it is unknown.

    Only for lists of papers.
    """
    match = _YEARED.search(head.title, max(0, len(head.title) - _EDGE)) if not head.venue else None
    if not match or not match.start() or take_date(match["venue"]).iso or _MONTH.fullmatch(match["venue"].strip()):
        return head
    return head._replace(title=head.title[: match.start()], venue=match["venue"].strip(), year=full_year(match["year"]))


def _is_survey(title: str) -> bool:
    """Return True for titles that have few words or no capitals.

    Examples: `Mobile cloud computing: A survey`, `TurboAttention: efficient attention for many`, `The Google File
    System`.
    """
    patterns = (_SURVEY.search(title), _COINED.fullmatch(title), _SHORT_TITLE.fullmatch(title))
    return any(patterns) and not is_question(title)


def _could_be_one(title: str) -> bool:
    """Return True for a name or several words that are no task and no sentence."""
    if CJK.search(title):
        return len(title) > 2 and "。" not in title and "，" not in title
    if is_task(title) or is_chore(title) or is_post(title) or TALK.match(title):
        return False
    return _CAPITAL.search(title.partition(" ")[0]) is not None or len(WORD.findall(title)) >= _MANY_WORDS


def _build_item_text(head: TitleHead, title: str, authors: tuple[str, ...], rest: str) -> ItemText:
    return ItemText(
        title,
        text=join_texts(*head.tags, rest),
        venue=head.venue,
        year=head.year,
        status=head.status,
        authors=authors,
        published=head.published,
        rating=head.rating,
    )


def _build_entry(kind: str, context: ItemContext, *, title: str = "", text: str = "", reason: str = "") -> ParsedEntry:
    return ParsedEntry(
        context.first,
        context.last,
        1,
        kind,
        title=title,
        topics=context.topics,
        text=text,
        reason=reason or (NESTED.format(text=context.parent_text[:100]) if context.parent_text else ""),
    )
