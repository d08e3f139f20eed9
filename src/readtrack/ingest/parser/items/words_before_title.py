"""Words before a linked title or an address: a label, the venue and year, authors, a day or a status."""

import re
from collections.abc import Sequence
from dataclasses import replace

from readtrack.infra.text.titles.clean import clean_title, is_generic
from readtrack.infra.text.titles.dates import YEAR, iso_day, take_date
from readtrack.infra.text.titles.marks import status_of, take_marks
from readtrack.infra.text.titles.vocabulary import CJK, LETTER_OR_DIGIT
from readtrack.ingest.parser.headings.outline import no_topic_reason, topic_of
from readtrack.ingest.parser.headings.vocabulary import squeeze_name
from readtrack.ingest.parser.items.build_entry import ItemText
from readtrack.ingest.parser.items.find_links import TextLink
from readtrack.ingest.parser.items.link_groups import LinkGroup, names_a_form
from readtrack.ingest.parser.items.words_behind_title import (
    VENUE_ALONE,
    YEAR_ALONE,
    read_on_day,
    remark,
    to_item_text,
)
from readtrack.ingest.parser.topic_aliases import is_known_subject
from readtrack.ingest.parser.vocabulary.author_names import is_name, names_in, part_rest, surnames_in
from readtrack.ingest.parser.vocabulary.title_affixes import TitleHead, take_head
from readtrack.ingest.parser.vocabulary.venues import full_year, tag_in, take_tag

_LABEL = re.compile(r"^[*_]{0,2}(?P<label>[^:：*_]{1,40})(?:[:：][*_]{0,2}|[*_]{1,2}[:：])\s*$")
_NAME_LIKE = re.compile(r"[*_\s]{0,3}(?:[A-Z]|[a-z]{1,12}[A-Z])")
_VENUE_BEFORE = re.compile(  # `IEEE CLOUD 2019, [Title](address)`, `Ubicom '16 -- [Title](address)`
    r"(?P<venue>[A-Z](?=\S*\s?(?:[A-Z]|['’]\d))[A-Za-z&/.-]*(?:\s[A-Za-z&/.-]+){0,6}),?\s?"
    r"(?:(?<=\s)(?P<year>(?:19|20)\d\d),|[`'’](?P<short>\d\d)(?:\s?[-–—:,]{1,3})?)"
)
_PRAISE = re.compile(r"\b(?:must|best|top|good|great|paper|read)\b", re.IGNORECASE)
_AROUND_FORM = " *_:：`[]()（）【】"
_OPENERS = " [(（【<"
_LABEL_WORDS, _MIN_NAME_CHARS = 4, 3
KINDS_WITH_VENUE = frozenset({"paper", "page"})


def words_before(group: LinkGroup) -> str:
    """Return the words before the first link, without the bracket that opens it."""
    return group.before.rstrip(_OPENERS).strip()


def topic_before(group: LinkGroup) -> str:
    """Return the topic of a label before several addresses: `Serving: https://… https://…`."""
    label = find_label(words_before(group))
    return topic_of_label(label) if label else ""


def find_label(before: str) -> str:
    """Return the label that the words are, "" if they are none: `Serving:`, `**Serving**:`."""
    match = _LABEL.match(before)
    if not match or len(match["label"].split()) > _LABEL_WORDS or names_a_form(match["label"]):
        return ""
    return match["label"]


def names_work(label: str, group: LinkGroup) -> bool:
    """Return True if a label before a single address is the name of the work there: `ReAct: https://arxiv.org/…`.

    Known subjects, labels that begin or end in lower case and labels of several addresses are topics. So are labels of
    web pages, which write about a subject more often than they have a name.
    """
    link = group.main_link
    if len(group.links) > 1 or is_generic(label) or is_known_subject(label) or no_topic_reason(label):
        return False
    is_short = 1 < len(label.split()) < _LABEL_WORDS
    if is_short and label.rsplit(maxsplit=1)[-1].islower():  # "USP again"
        return False
    if link.paper_kind == "code":
        repository = link.plain.rstrip("/").rpartition("/")[2]
        return len(label) >= _MIN_NAME_CHARS and squeeze_name(label) == squeeze_name(repository)
    return link.paper_kind == "paper" and _NAME_LIKE.match(label) is not None and not CJK.search(label)


def topic_of_label(label: str) -> str:
    """Return the topic that a label names, "" for `Paper` or `2024-03-04 (Ada)`."""
    name = take_date(label).remainder
    return "" if is_generic(label) or name.startswith(("(", "（")) else topic_of(clean_title(name))


def read_before_link(group: LinkGroup, before: str) -> ItemText:
    """Extract the words before a link whose text is the title."""
    if not before:
        return ItemText()
    if stated := _venue_or_year(before):
        return stated
    form = before.strip(_AROUND_FORM)
    head = take_head(f"[{form}]") if names_a_form(form) else take_head_of(before, group)
    item_text = to_item_text(head)
    if names_a_form(form) or not LETTER_OR_DIGIT.search(head.title):
        return item_text
    if read := read_on_day(status_of(head.title), iso_day(head.published)):
        return read
    parts = part_rest(head.title)
    return replace(item_text, authors=parts.authors, text=remark(item_text.text, parts.remainder))


def _venue_or_year(before: str) -> ItemText | None:
    """Read words before a link that are only its venue or year: `IEEE CLOUD 2019, `, `NSDI`, `(2021)`."""
    if year_alone := YEAR_ALONE.fullmatch(before):
        return ItemText(published=year_alone["year"])
    if (venue := _VENUE_BEFORE.fullmatch(before)) and not is_name(venue["venue"]):
        year = full_year(venue["year"] or venue["short"])
        known = take_tag(f"({venue['venue']} {year})")
        return ItemText(venue=known.venue or venue["venue"], year=year)
    alone = VENUE_ALONE.fullmatch(before.strip(_AROUND_FORM))
    return ItemText(venue=alone["venue"]) if alone and tag_in(alone["venue"]) else read_names_and_venue(before)


def read_names_and_venue(before: str) -> ItemText | None:
    """Read authors before the venue and year: `Yarom, Falkner, USENIX '14: [Title](address)`."""
    words, comma, place = before.rstrip(" :：,，-–—").rpartition(", ")
    tag = tag_in(place) if comma else None
    names = (names_in(words) or surnames_in(words)) if tag and tag.year and not _PRAISE.search(words) else ()
    return ItemText(authors=names, venue=tag.venue, year=tag.year) if tag and names else None


def without_day_of_note(around: ItemText, texts_after: Sequence[str]) -> ItemText:
    """Return a day before a title as a remark if a year behind the title is earlier: it is that of the note."""
    day = iso_day(around.published)
    years = (int(year[0]) for text in texts_after for year in YEAR.finditer(text))
    if not day or all(year >= int(day[:4]) - 1 for year in years):
        return around
    return replace(around, published="", text=remark(day, around.text))


def year_of_arxiv_number(link: TextLink) -> str:
    """Return the year in the number of a preprint, which was not published later for the first time."""
    number = link.ref.key if link.ref.scheme == "arxiv" else ""
    return f"20{number[:2]}" if number[:4].isdigit() else ""


def take_head_of(text: str, group: LinkGroup) -> TitleHead:
    """Split the tags from the words.

    Articles and repositories have no venue, so a tag is part of their title, unless it has a year: then the words name
    a paper, and the repository is its code.
    """
    if group.main_link.paper_kind in KINDS_WITH_VENUE or group.main_link.label is not None:
        return take_head(text)
    if group.main_link.paper_kind == "code" and (head := take_head(text)).venue and head.year:
        return head
    marks = take_marks(text)
    return TitleHead(marks.remainder, status=marks.status, rating=marks.rating)
