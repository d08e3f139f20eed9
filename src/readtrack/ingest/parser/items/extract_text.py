"""Text around the links of one paper, split into title, authors, venue, date, label and remark."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from readtrack.infra.text.titles.cjk import CJK
from readtrack.infra.text.titles.clean import clean_title, is_broken_off, is_generic, looks_like_title
from readtrack.infra.text.titles.marks import take_marks
from readtrack.infra.text.titles.vocabulary import VENUES
from readtrack.ingest.parser.headings.outline import topic_of
from readtrack.ingest.parser.items.build_entry import ItemText
from readtrack.ingest.parser.items.find_links import TextLink
from readtrack.ingest.parser.items.link_groups import LinkGroup, names_a_form
from readtrack.ingest.parser.items.link_roles import has_name, is_own
from readtrack.ingest.parser.vocabulary.bylines import split_byline
from readtrack.ingest.parser.vocabulary.citations import parse_citation
from readtrack.ingest.parser.vocabulary.line_kinds import is_task
from readtrack.ingest.parser.vocabulary.person_names import names_in
from readtrack.ingest.parser.vocabulary.title_affixes import TitleHead, take_head
from readtrack.ingest.parser.vocabulary.trailing_names import VENUE_LIKE, CitationParts, part_rest
from readtrack.ingest.parser.vocabulary.venues import take_tag

_LABEL = re.compile(r"^[*_]{0,2}(?P<label>[^:：*_]{1,40})(?:[:：][*_]{0,2}|[*_]{1,2}[:：])\s*$")
_LABEL_WORDS = 4
_KINDS_WITH_VENUE = frozenset({"paper", "page"})
_JOINTS = " \t-–—:：|｜,，;；/·•>[(（【<&+"
_CLOSERS, _OPENERS = " ])）】>", " [(（【<"
_TAB_TITLE = re.compile(r"^\s*(?:[|｜]|[-–—]{1,3}\s)\s*(?P<title>\S.*)$")
_GOES_ON = re.compile(r"^\s*[:：]\s*(?P<rest>[^|｜]{3,400})(?:[|｜](?P<more>.*))?$", re.DOTALL)
_FLOWS_ON = re.compile(r"^\s+(?P<rest>[a-zA-Z0-9(][^|｜]{3,300})(?:[|｜](?P<more>.*))?$", re.DOTALL)
_BY = re.compile(r"^\W{0,4}(?:by|By|作者[:：]?|著者[:：]?|[Aa]uthors?\s?[:：])\s+")
_TALK = re.compile(
    r"(?:see|cf|also|we|i|it|this|that|here|there|and|or|but|with|for|more|check|read|via|source|used|uses|"
    r"(?:a |the )?paper|blog|link)\b",
    re.IGNORECASE,
)
_VENUE_ALONE = re.compile(rf"(?:(?:USENIX|ACM|IEEE)\s)?(?:{VENUES})", re.IGNORECASE)
_YEAR_FIRST = re.compile(r"\W{0,3}(?P<year>(?:19|20)\d\d)(?:[)\]]\s|[)\]]?\s?[-–—,.:|]\s|[)\]]?$)")
_NUMBER = re.compile(r"[(\[（【#]?\d{1,3}[)\]）】.:、]?")
_FEW_LETTERS = 60
_GOES_ON_IN_KANA = re.compile("[\u3041-\u3096、，。]")
_SPACE_AND_MARKS = re.compile(r"^[\s\W_]*$")
_LETTER = re.compile(r"[^\W_]")
_LONGEST = 300
_FEW, _SHORT_NAME, _LONG_NAME = 2, 4, 14
_MOST_SAID = 3000


def extract_text(group: LinkGroup, *, listed: bool) -> ItemText:
    """Extract the text of a group of links.

    `listed`: a list item, where words before a link are usually its title.
    """
    before = group.before.rstrip(_OPENERS).strip()
    if group.title_link is not None:
        return _title_from_link(group, group.title_link, before)
    heading = _short_label(before)
    if heading and group.finds[0].label is None:
        return _add_trailing_text(ItemText(topic=_label_topic(heading)), group, group.behind)
    told = _title_from_words(group, before, listed=listed)
    if told:
        return _add_trailing_text(told, group, group.behind)
    told = _title_after_link(group, before) or ItemText(text=remark(before, group.after))
    form = group.main.label if group.main.paper_kind != "paper" and has_name(group.main) else ""
    return replace(told, title=told.title or form or "")


def remark(*pieces: str) -> str:
    """Join the remaining words without separators left over from removed parts."""
    words = (_trim_brackets(piece) for piece in pieces)
    return " ".join(piece for piece in words if not _SPACE_AND_MARKS.match(piece))


def _trim_brackets(piece: str) -> str:
    """Strip separators and unbalanced brackets."""
    words = piece.strip(_JOINTS + _CLOSERS)
    return f"{words})" if words.count("(") == words.count(")") + 1 and f"{words})" in piece else words


def _title_from_link(group: LinkGroup, link: TextLink, before: str) -> ItemText:
    label, at = link.label or "", group.finds.index(link)
    heading = _short_label(before)
    if not heading and len(label.split()) <= _FEW and (told := _title_from_words(group, before, listed=False)):
        return _add_trailing_text(replace(told, text=remark(told.text, label)), group, group.behind)
    label, after = _join_label(label, group.behind[at].lstrip(_CLOSERS).strip(), group)
    told = _extract_label(group, label)
    if before:
        told = _merge_texts(
            told, ItemText(topic=_label_topic(heading)) if heading else _text_around_link(group, before)
        )
    return _add_trailing_text(told, group, [*group.behind[:at], after, *group.behind[at + 1 :]])


def _join_label(label: str, after: str, group: LinkGroup) -> tuple[str, str]:
    """Join a title split between a link and the text after it.

    Examples: `[Short](url): rest of the title | venue`, `[Short:](url) rest`, `[Ring Attention](url) with
    Transformers`.
    """
    words = label.rstrip(":： ").split()
    open_end = label.rstrip().endswith((":", "："))
    rest = _GOES_ON.match(after if not open_end else f": {after}")
    if (
        not rest
        and is_own(group.main)
        and len(words) <= _SHORT_NAME
        and not VENUE_LIKE.match(after)
        and re.match(r"\s*(?:with|for|in|of|as|via|by|to)\s", after)
    ):
        flows = _FLOWS_ON.match(" " + after) if not part_rest(_BY.sub("", after)).authors else None
        return (f"{label} {flows['rest'].strip()}", flows["more"] or "") if flows else (label, after)
    if not rest or (":" in label.rstrip(": ") and not open_end) or len(words) > _LONG_NAME:
        return label, after
    citation = parse_citation(rest["rest"])
    if not _continues(citation.title, len(words), group):
        return label, after
    behind = ", ".join(each for each in (*citation.authors, citation.rest, rest["more"] or "") if each)
    return f"{' '.join(words)}: {citation.title}", behind


def _continues(words: str, before: int, group: LinkGroup) -> bool:
    plain = words.strip(" .")
    if looks_like_title(plain) and before <= _LONG_NAME:
        return True
    paper = group.main.paper_kind == "paper" or (group.main.paper_kind == "page" and bool(take_tag(group.after).venue))
    return (
        paper
        and before <= _SHORT_NAME
        and _FEW <= len(plain.split()) <= 2 * _LONG_NAME
        and not CJK.search(plain)
        and not _TALK.match(plain)
        and ". " not in plain
    )


def _title_from_words(group: LinkGroup, before: str, *, listed: bool) -> ItemText | None:
    if not _LETTER.search(before) or _NUMBER.fullmatch(before):
        return None
    head = _head(before.rstrip(_JOINTS), group)
    citation = parse_citation(head.rest)
    labelled = group.finds[0].label is not None or group.before.rstrip().endswith(("(", "（"))
    sure = bool(head.venue) and listed and _LETTER.search(citation.title)
    if not sure and not _is_title(citation.title, listed=listed, labelled=labelled):
        return None
    said, title = _head_to_item(head), citation.title
    if citation.authors and not head.venue:  # `A. Author et al, SoCC'16, Title`
        inner = take_head(title)
        said, title = _merge_texts(said, _head_to_item(inner)), inner.rest
    said.title, said.authors = title, citation.authors
    return _merge_texts(said, _text_from_rest(citation.rest)) if citation.rest else said


def _title_after_link(group: LinkGroup, before: str) -> ItemText | None:
    """Extract a title after the link.

    Examples: `[pdf](url) Title`, `url | tab title`, `[Venue'22](url) Title. Authors.`
    """
    at = next((index for index, piece in enumerate(group.behind) if _LETTER.search(piece)), None)
    if at is None or _LETTER.search(_head(before, group).rest) or (group.finds[0].label is None and at):
        return None
    after = group.behind[at].lstrip(_CLOSERS).strip()
    told = _after_link(group, after)
    rest = [*group.behind[:at], *group.behind[at + 1 :]]
    return _add_trailing_text(_merge_texts(told, _text_around_link(group, before)), group, rest) if told else None


def _after_link(group: LinkGroup, after: str) -> ItemText | None:
    if _GOES_ON_IN_KANA.match(after):
        return None
    tab = _TAB_TITLE.match(after)
    if tab and not _SPACE_AND_MARKS.match(tab["title"]):
        return _extract_label(group, tab["title"])
    if group.finds[0].label is None and group.main.paper_kind != "paper":
        return None
    head = _head(after.lstrip(_JOINTS + _CLOSERS), group)
    citation = parse_citation(head.rest)
    if not looks_like_title(citation.title.strip(" .")):
        return None
    return _merge_texts(
        replace(_head_to_item(head), title=citation.title, authors=citation.authors), _text_from_rest(citation.rest)
    )


def _extract_label(group: LinkGroup, label: str) -> ItemText:
    """Extract the title from a link text, without the tags around it."""
    if group.main.paper_kind not in _KINDS_WITH_VENUE:
        marks = take_marks(label)
        return ItemText(marks.rest, status=marks.status, rating=marks.rating)
    head = take_head(label)
    if not _LETTER.search(head.rest):
        return ItemText(label)
    told = _head_to_item(head)
    told.title, names = split_byline(head.rest, dated=bool(head.published or head.year))
    return replace(told, authors=names) if names else told


def _head(words: str, group: LinkGroup) -> TitleHead:
    """Split the tags from the words.

    Articles and repositories have no venue, so a tag is part of their title.
    """
    if group.main.paper_kind in _KINDS_WITH_VENUE or group.main.label is not None:
        return take_head(words)
    marks = take_marks(words)
    return TitleHead(marks.rest, status=marks.status, rating=marks.rating)


def _text_around_link(group: LinkGroup, before: str) -> ItemText:
    """Extract the words before a link whose text is the title."""
    if not before or _NUMBER.fullmatch(before):
        return ItemText()
    form = before.strip(" *_:：`[]()（）【】")
    head = take_head(f"[{form}]") if names_a_form(form) else _head(before, group)
    said = _head_to_item(head)
    if names_a_form(form) or not _LETTER.search(head.rest):
        return said
    parted = part_rest(head.rest)
    return replace(said, authors=parted.authors, text=remark(said.text, parted.rest))


def _add_trailing_text(told: ItemText, group: LinkGroup, pieces: Sequence[str]) -> ItemText:
    """Add the words after the links, each part on its own. A venue in a link text is used last."""
    worded = [piece for piece in pieces if _LETTER.search(piece)]
    if group.main.paper_kind not in _KINDS_WITH_VENUE:
        return _merge_texts(told, ItemText(text=remark(*worded)))
    told = _merge_texts(told, *(_text_from_rest(piece) for piece in worded))
    forms = (each.label for each in group.finds if each.label and names_a_form(each.label)) if not told.venue else ()
    form = next(iter(forms), "")
    return _merge_texts(told, _head_to_item(take_head(f"[{form}]"))) if form else told


def _text_from_rest(words: str) -> ItemText:
    """Extract authors, venue, date and remark from the words after a title."""
    return _text_from_few_words(words) if len(words) <= _FEW_LETTERS else _text_from_words(words)


@lru_cache(maxsize=512)
def _text_from_few_words(words: str) -> ItemText:
    return _text_from_words(words)


def _text_from_words(words: str) -> ItemText:
    if dated := _YEAR_FIRST.match(words):
        return replace(_text_from_rest(words[dated.end() :]), published=dated["year"])
    plain = _trim_brackets(words[:_MOST_SAID])
    if _SPACE_AND_MARKS.match(plain):
        return ItemText()
    head = take_head(plain if plain.count("(") >= plain.count(")") else f"({plain}")
    parted = part_rest(_BY.sub("", head.rest)) if _LETTER.search(head.rest) else CitationParts("")
    tail = take_head(parted.rest) if parted.authors and parted.rest else TitleHead(parted.rest)
    said, more = _head_to_item(head), _head_to_item(tail)
    text = remark(said.text, tail.rest, more.text, words[_MOST_SAID:])
    told = replace(_merge_texts(said, more), authors=parted.authors, text=text)
    return (
        replace(told, venue=text.strip(" ."), text="")
        if not told.venue and _VENUE_ALONE.fullmatch(text.strip(" ."))
        else told
    )


def _head_to_item(head: TitleHead) -> ItemText:
    authors = next((names for tag in head.tags if (names := names_in(tag))), ())
    return ItemText(
        text=" · ".join(tag for tag in head.tags if not tag.isdigit() and not (authors and names_in(tag) == authors)),
        authors=authors,
        venue=head.venue,
        year=head.year,
        status=head.status,
        published=head.published,
        rating=head.rating,
    )


def _merge_texts(first: ItemText, *others: ItemText) -> ItemText:
    """Merge texts: the first value of each field, and all remarks."""
    told = first
    for other in others:
        venue, year = (told.venue, told.year) if told.venue else (other.venue, other.year or told.year)
        told = ItemText(
            title=told.title or other.title,
            text=remark(told.text, other.text) if told.text and other.text else told.text or other.text,
            topic=told.topic or other.topic,
            venue=venue,
            year=year,
            status=told.status or other.status,
            authors=told.authors or other.authors,
            published=told.published or other.published,
            rating=told.rating or other.rating,
        )
    return told


def _short_label(before: str) -> str:
    match = _LABEL.match(before)
    if not match or len(match["label"].split()) > _LABEL_WORDS or names_a_form(match["label"]):
        return ""
    return match["label"]


def _label_topic(label: str) -> str:
    return "" if is_generic(label) else topic_of(clean_title(label))


def _is_title(words: str, *, listed: bool, labelled: bool) -> bool:
    plain = words.strip(_JOINTS + ".")
    if looks_like_title(plain) and (listed or labelled or not CJK.search(plain)):
        return True
    if not listed or not 2 <= len(plain) <= _LONGEST or is_task(plain) or is_broken_off(plain):
        return False
    if labelled:
        return not _TALK.match(plain) and (not CJK.search(plain) or len(plain) <= _LONGEST // 4)
    return len(plain) > _SHORT_NAME and " " in plain and not CJK.search(plain) and not plain[0].islower()
