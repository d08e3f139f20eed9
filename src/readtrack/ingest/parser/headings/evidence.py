"""Evidence that a heading is a paper: its words, its links, and the lines right below."""

import html
import re
from itertools import islice

from readtrack.infra.text.titles.clean import names_a_paper
from readtrack.infra.text.titles.dates import YEAR, iso_day, take_date
from readtrack.infra.text.titles.marks import status_of, take_status
from readtrack.infra.text.titles.vocabulary import CJK, LETTER
from readtrack.ingest.parser.citations.parse_citation import parse_citation
from readtrack.ingest.parser.citations.venue import find_venue
from readtrack.ingest.parser.document import NoteDocument, once_per_note
from readtrack.ingest.parser.headings.headlines import HeadingSection
from readtrack.ingest.parser.headings.lines_below import (
    BULLET,
    PaperDetails,
    parse_label,
    read_details,
    read_scattered_details,
)
from readtrack.ingest.parser.headings.outline import is_session, no_topic_reason
from readtrack.ingest.parser.items.find_links import TextLink, split_around_links
from readtrack.ingest.parser.items.link_roles import STRONG, calls_it_a_paper, has_name, is_own, role_from_label
from readtrack.ingest.parser.items.title_runs import look_like_titles
from readtrack.ingest.parser.items.unlinked import begins_with_authors
from readtrack.ingest.parser.vocabulary.author_names import CitationParts
from readtrack.ingest.parser.vocabulary.title_affixes import take_hashtags
from readtrack.ingest.parser.vocabulary.venues import take_tag

_LIST_WORDS = re.compile(
    r"\b(?:papers?|notes?|lists?|readings?|awesome|collections?|resources|literature|links|bookmarks|wiki|readme)\b|"
    r"论文|論文|笔记|列表|清单|リスト|まとめ|メモ|読書",
    re.IGNORECASE,
)
_FRAMES_TITLE = re.compile(r"[\"“*]\S[^\"“*]{8,}")
_MAX_LINES = 12  # that are looked at for references
_LISTED = re.compile(r"[-*+•・]\s|\d{1,3}[.)]\s|\|")
_WORD = re.compile(r"[^\W_][\w'’-]*")
_ONE = re.compile(
    r"(?:papers?|论文|論文|文献)?\s?(?:info(?:rmation)?|details?|metadata|信息|情報|資訊)?\s?[#＃№.]{0,2}\s?(?:\d{1,3}|[一二三四五六七八九十]{1,3})?"
    r"(?:つ目|本目|件目|番目)?",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"\d{1,3}(?:[.)]\s|\.(?=[^\W\d_]))")
_PART = re.compile(
    r"\b(?:introduction|background|related|methods?|conclusions?|discussion|lecture|session|part|chapter|homework|training|"
    r"evaluation|results|summary)\b|背景|总结|引言|结论|まとめ|結論|実験|实验",
    re.IGNORECASE,
)
_DAY = re.compile(r"(?:(?:19|20)\d\d[-/.])?\d{1,2}[-/.]\d{1,2}")
_RATING_LAST = re.compile(r"\|\s(?P<rating>\d{1,2}(?:\.\d)?\s?(?:[☆★⭐🌟分点]|/\s?\d{1,2})|[☆★⭐🌟]{1,10})\s*$")
_DAY_TITLE_AND_RATING = (2, 3)  # stars are no part of the name of a heading
_YEAR_FIRST = re.compile(r"(?P<year>(?:19|20)\d\d)\s(?P<title>[^\W\d_].{8,300})")
_NO_WORK = re.compile(
    r"\b(?:workshop|conference|symposium|proceedings|meeting|report|goals?|plans?|trip|holidays?)\b", re.IGNORECASE
)
_HEADING_MARK = re.compile(r"#{1,6}\s{1,3}")
_ALL_BOLD = re.compile(r"\*\*(?P<name>[^*]{1,400})\*\*")
_NOT_WORDS = re.compile(r"\b(?:doi|arxiv|url|link|id)\b", re.IGNORECASE)  # beside an identifier
_ADDRESS_KEYS = frozenset({"paper", "link"})
_NAME_LIKE = re.compile(r"[A-Z0-9]")
_FEW, _SHORT_NAME, _LONG_NAME, _MAX_OF_LIST = 2, 3, 4, 3
_MOST_ADDRESSES = 4  # of one work: preprint, publication, page and file


def paper_in(page: NoteDocument, section: HeadingSection) -> bool:
    """Return True if the heading, alone or with the lines below, is clearly a paper."""
    if any(is_own(link) for link in section.links):
        return _is_linked(page, section)
    if not all(role_from_label(link.label or "") for link in section.links) or is_session(section.name):
        return False
    if find_reference(section) or title_between(section) or title_behind_year(page, section)[0]:
        return lists(page, section) < _FEW
    date = take_date(section.name)
    tag = take_tag(date.remainder)
    if no_topic_reason(section.name) or not (_could_name(tag.remainder) or _states_fields(page, section)):
        return _heads_one(page, section) or _is_labeled(page, section)
    is_long_name = word_count(tag.remainder) > _LONG_NAME and not is_list_name(tag.remainder)
    is_plain_name = (
        plainly_names(tag.remainder)
        or (bool(date.iso) and is_long_name)
        or (bool(iso_day(date.iso)) and look_like_titles([tag.remainder]))
    )
    if is_plain_name and (tag.venue or iso_day(date.iso)) and not section.children and lists(page, section) < _FEW:
        return True
    return not lists_references(page, section) and _has_details_below(
        page, section, tag.remainder, is_plain_name=is_plain_name
    )


def title_behind_year(page: NoteDocument, section: HeadingSection) -> tuple[str, int | None]:
    """Return title and year of `2021 The Title of a Paper` above notes on it, "" and None without."""
    dated = _YEAR_FIRST.fullmatch(section.head.text)
    is_title = dated and (":" in dated["title"] or len(dated["title"].split()) > _LONG_NAME + 1)
    if dated is None or not is_title or not plainly_names(dated["title"]) or _NO_WORK.search(dated["title"]):
        return "", None
    is_paper = not lists(page, section) and _has_titles_behind_years(page)
    return (dated["title"], int(dated["year"])) if is_paper else ("", None)


@once_per_note
def _has_titles_behind_years(page: NoteDocument) -> bool:
    """Return True if several headings are a year and a title, each another: `2021 Goals` comes again with 2022."""
    names = (_HEADING_MARK.sub("", line.text) for line in page.lines if line.text.startswith("#"))
    titles = [match["title"] for name in names if (match := _YEAR_FIRST.fullmatch(name))]
    return len(titles) >= _FEW and len(set(titles)) == len(titles)


def title_between(section: HeadingSection) -> str:
    """Return the title in `01-02 | The Title | 6☆`, between a day and a rating, "" without one."""
    parts = section.name.split(" | ")
    if len(parts) not in _DAY_TITLE_AND_RATING or not _DAY.fullmatch(parts[0]) or not rating_behind(section):
        return ""
    return parts[1].strip() if names_a_paper(parts[1]) or look_like_titles([parts[1]]) else ""


def rating_behind(section: HeadingSection) -> str:
    """Return the rating with its sign at the end of a heading, "" without one."""
    rating = _RATING_LAST.search(section.head.text)
    return rating["rating"] if rating else ""


def find_reference(section: HeadingSection) -> CitationParts | None:
    """Return the parts of a heading that is a reference: `Lovelace et al., *Title*, Venue, 1843`."""
    text = bold["name"] if (bold := _ALL_BOLD.fullmatch(section.head.text)) else section.head.text
    text = html.unescape(text) if "&" in text else text
    if section.links or not YEAR.search(text):
        return None
    text = take_hashtags(take_status(text).remainder)[0]
    citation = parse_citation(text)
    if not citation.remainder and (tag := take_tag(text)).venue and tag.year:
        citation = parse_citation(tag.remainder)._replace(remainder=f"{tag.venue}, {tag.year}")
    if not citation.authors:
        return None
    venue, year = find_venue(citation.remainder)
    return citation if begins_with_authors(text, citation) or (venue and year) else None


def is_only_address(section: HeadingSection) -> bool:
    """Return True for a heading that is an address or identifier of a paper and nothing else."""
    links = [link.label for link in section.links if is_own(link)]
    return links == [None] and not LETTER.search(_NOT_WORDS.sub("", section.words_beside))


def _heads_one(page: NoteDocument, section: HeadingSection) -> bool:
    """Return True for `Paper 3`, `論文情報` and the like above the fields of one paper.

    The fields are stored.
    """
    if not _ONE.fullmatch(section.name) or section.children:
        return False
    details = read_details(page, section.body, section.end)
    section.details = details
    return bool(details.title) and bool(details.own or details.authors or details.venue)


def _is_linked(page: NoteDocument, section: HeadingSection) -> bool:
    """Return True if the heading links to a paper.

    A topic that only links a survey and has a list below is not a paper.
    """
    text = "" if status_of(words := take_hashtags(section.words_beside)[0]) else words
    if is_only_address(section):
        return not section.children and lists(page, section) < _FEW
    naming_links = [link for link in section.links if is_own(link) and _is_name_of(link, text)]
    if not naming_links:  # [Short](address): followed by the rest of the title
        return plainly_names(section.name) and not section.children and lists(page, section) < _FEW
    is_short = word_count(text or naming_links[0].label or "") < _SHORT_NAME or naming_links[0].label is None
    return not is_short or lists(page, section) < _FEW


def _has_details_below(page: NoteDocument, section: HeadingSection, name: str, *, is_plain_name: bool) -> bool:
    details = read_details(page, section.body, section.end)
    if _links_several_works(details) or (details.title and _holds_several_titles(page, section)):
        return False
    if _is_labeled(page, section):
        return True
    if details.weight:
        section.details = details
        if _states_fields(page, section) and lists(page, section, details.end) < _FEW:
            return True
        if _describe_paper(page, section, details, name, is_plain_name=is_plain_name):
            return True
    scattered = find_only_address(page, section) if is_plain_name else None
    is_dated = bool(take_date(section.name).iso)  # `The Title (2024)`
    if scattered and (scattered.weight > len(scattered.own) or is_dated or _labels_address(page, section, scattered)):
        section.details = scattered
        return True
    return False


def _states_fields(page: NoteDocument, section: HeadingSection) -> bool:
    """Return True if only a paper has the line right below the heading: `**Venue**: NAACL 2019`, `[paper](address)`."""
    first = next((index for index in range(section.body, section.end) if page.text(index)), section.end)
    if first == section.end:
        return False
    label, links = parse_label(page.text(first)), page.links_at(first)
    names_it = bool(links) and all(link.label and calls_it_a_paper(link.label) for link in links[:1])
    is_whole = names_it and not LETTER.search("".join(split_around_links(page.text(first), links)))
    return is_whole if links else label is not None and label.key in {"venue", "authors"}


def _links_several_works(details: PaperDetails) -> bool:
    """Return True for identifiers of several works, of which one work has only one each, and for many addresses."""
    schemes = [ref.scheme for ref in {link.ref for link in details.own}]
    return len(schemes) > _MOST_ADDRESSES or any(scheme in STRONG and schemes.count(scheme) > 1 for scheme in schemes)


def _holds_several_titles(page: NoteDocument, section: HeadingSection) -> bool:
    """Return True for a topic above the fields of several papers."""
    labels = (parse_label(page.text(index)) for index in range(section.body, section.end))
    return sum(label is not None and label.key == "title" for label in labels) > 1


def _describe_paper(
    page: NoteDocument, section: HeadingSection, details: PaperDetails, name: str, *, is_plain_name: bool
) -> bool:
    """Return True if the lines right below a heading make it a paper."""
    if (
        len(details.own) == details.weight == 1
        and word_count(name) > _LONG_NAME + 1
        and _holds_only(page, section, details)
    ):
        return True
    return _has_enough_details(details, name, is_plain_name=is_plain_name) and lists(page, section, details.end) < _FEW


def find_only_address(page: NoteDocument, section: HeadingSection) -> PaperDetails | None:
    """Return the details of a section with the address of one paper, on a line of its own anywhere in it."""
    if section.children or lists(page, section) > 1:
        return None
    details = read_scattered_details(page, section.body, section.end)
    is_only = len({link.ref for link in details.own}) == 1 and not any(map(has_name, details.own))
    return details if is_only and _has_no_own_link(page, details.end, section.end) else None


def _is_labeled(page: NoteDocument, section: HeadingSection) -> bool:
    """Return True for `### 9. Slot Attention` above `Paper: https://…` and no other paper, in a note of several such.

    The details are stored.
    """
    is_numbered = _NUMBERED.match(section.name) is not None and not _PART.search(section.name)
    if not is_numbered or section.children or not _has_labeled_addresses(page):
        return False
    details = read_scattered_details(page, section.body, section.end)
    is_other = any(link.ref.scheme not in STRONG or has_name(link) for link in details.own)
    is_one = not is_other and len({link.ref for link in details.own}) == 1
    is_labeled = is_one and _has_no_own_link(page, details.end, section.end) and _labels_address(page, section, details)
    section.details = details if is_labeled else section.details
    return is_labeled


@once_per_note
def _has_labeled_addresses(page: NoteDocument) -> bool:
    """Return True for several lines such as `Paper: https://…`."""
    labels = (parse_label(line.text) for line in page.lines if "://" in line.text)
    return sum(label is not None and label.key in _ADDRESS_KEYS for label in labels) > _FEW


def _labels_address(page: NoteDocument, section: HeadingSection, details: PaperDetails) -> bool:
    """Return True if the line with the identifier says that it is the paper: `论文链接：https://arxiv.org/…`."""
    refs = {link.ref for link in details.own if link.ref.scheme in STRONG}
    lines = range(section.body, details.end)
    address = next((line for line in lines if any(link.ref in refs for link in page.links_at(line))), None)
    label = parse_label(page.text(address)) if address is not None else None
    return label is not None and label.key in _ADDRESS_KEYS


def _has_no_own_link(page: NoteDocument, start: int, stop: int) -> bool:
    return not any(is_own(link) for index in range(start, stop) for link in page.links_at(index))


def _holds_only(page: NoteDocument, section: HeadingSection, details: PaperDetails) -> bool:
    """Return True if the section has no addresses after the ones below the heading."""
    return not any(page.links_at(index) for index in range(details.end, section.end))


def _has_enough_details(details: PaperDetails, name: str, *, is_plain_name: bool) -> bool:
    """Return True if the details below the heading make it a paper.

    A lone address may begin a list under a topic; with fields, a venue or authors it belongs to a paper.
    """
    has_more = bool(details.title or details.authors or details.venue) or details.weight > len(details.own)
    if details.own and len({link.ref for link in details.own}) <= _FEW:
        return has_more or is_plain_name or any(link.label for link in details.own)
    return has_more and (
        is_plain_name or bool(details.title) or (bool(details.authors) and len(name.split()) >= _LONG_NAME)
    )


def _is_name_of(link: TextLink, text: str) -> bool:
    """Return True if the link text is the heading's name, or a link word next to it."""
    if link.label is None or role_from_label(link.label):
        return _could_name(text)
    return len(link.label) >= len(text) or (plainly_names(link.label) and word_count(text) <= _LONG_NAME)


def _could_name(name: str) -> bool:
    length = word_count(name) + len(CJK.findall(name)) // 3
    return length >= _SHORT_NAME or (length >= 1 and _NAME_LIKE.search(name, 1) is not None and len(name) > _FEW)


def plainly_names(name: str) -> bool:
    """Return True for names that read like titles: several words, capitals or a colon."""
    length = word_count(name)
    if is_list_name(name) and not (length > 2 * _LONG_NAME and names_a_paper(name)):
        return False
    return (
        (length >= _LONG_NAME and names_a_paper(name))
        or (length > _LONG_NAME and ":" in name)
        or length > 2 * _LONG_NAME
    )


def holds_papers(page: NoteDocument, section: HeadingSection) -> bool:
    """Return True if linked items are listed right below the heading."""
    return lists(page, section) > 0


def lists_anything(page: NoteDocument, section: HeadingSection) -> bool:
    """Return True if a list or table other than a table of contents is right below the heading."""
    items = (page.text(index) for index in range(section.body, section.end) if _LISTED.match(page.text(index)))
    return any("](#" not in text for text in items)


def lists(page: NoteDocument, section: HeadingSection, start: int | None = None) -> int:
    """Count the items below with links of their own, up to _MAX_OF_LIST."""
    count = 0
    for index in range(section.body if start is None else start, section.end):
        links = page.links_at(index) if _LISTED.match(page.text(index)) else []
        count += any(link.label is None or not role_from_label(link.label) for link in links)
        if count >= _MAX_OF_LIST:
            break
    return count


def lists_references(page: NoteDocument, section: HeadingSection) -> bool:
    """Return True for a heading right above references: `- Han, B. (2014). *Psicopolítica*. Herder.` and another."""
    texts = filter(None, map(page.text, range(section.body, section.end)))
    items = (text[mark.end() :] if (mark := BULLET.match(text)) else "" for text in islice(texts, _MAX_LINES))
    if not _is_reference(next(items, "")):
        return False
    return any(map(_is_reference, items))


def _is_reference(item: str) -> bool:
    is_cited = _FRAMES_TITLE.search(item) is not None or YEAR.search(item) is not None
    return is_cited and begins_with_authors(item, parse_citation(item))


def is_list_name(name: str) -> bool:
    """Return True for names of lists, such as Papers, Reading list or Notes."""
    return _LIST_WORDS.search(name) is not None


def word_count(name: str) -> int:
    return len(_WORD.findall(name))
