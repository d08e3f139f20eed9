"""Entries of one piece of a note (a bullet, a line of prose, a cell), from its grouped links."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from readtrack.infra.text import urls
from readtrack.infra.text.titles.clean import clean_title, could_be_title
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.ingest.parser.items.build_entry import (
    ItemContext,
    ItemText,
    build_entry,
    build_unlinked_entry,
    link_to,
)
from readtrack.ingest.parser.items.diary import take_reading
from readtrack.ingest.parser.items.extract_text import extract_text, remark, topic_before
from readtrack.ingest.parser.items.find_links import TextLink, find_links, split_around_links
from readtrack.ingest.parser.items.link_groups import LinkGroup, group_links, has_words, is_extra
from readtrack.ingest.parser.items.link_roles import STRONG, calls_it_a_paper, has_name, is_own, role_from_label
from readtrack.ingest.parser.items.sentence_titles import find_framed_titles
from readtrack.ingest.parser.items.unlinked import begins_with_authors, is_question, read_wordless
from readtrack.ingest.parser.reasons import UNLINKED
from readtrack.ingest.parser.vocabulary.author_names import is_name
from readtrack.ingest.parser.vocabulary.citations import parse_citation

_NOTES_ON_IT = re.compile(
    r"(?:(?:reading|paper|my) )?notes?|paper (?:summary|review)|(?:阅读|论文)?笔记|论文解读|メモ", re.IGNORECASE
)
_ARTIFACT = re.compile(
    r"(?:the )?(?:artifacts?|appendi(?:x|ces)|errata|supp(?:l(?:ement(?:ary|al)?)?)?(?: materials?)?|bib(?:tex)?)",
    re.IGNORECASE,
)
_LOCAL = re.compile(
    r"(?<!!)\[(?:\[(?P<inner>[^\[\]]{0,300})\]|(?P<label>[^\[\]]{0,300}))\]\(\s?(?P<where>(?![a-z]{2,10}:|www\.)[^()\s]{0,500})\s?\)",
    re.IGNORECASE,
)
_EMPTIED = re.compile(r"\s?\[\s{0,2}\](?!\()")
_BREAK = re.compile(r"\s?<br\s?/?>\s?", re.IGNORECASE)
_BADGE = re.compile(r"(?<!\[)!\[[^\[\]]{0,200}\]\([^()\s]{0,1000}\)")
_SHORTCODES = {":star:": "⭐", ":star2:": "🌟", ":fire:": "🔥", ":white_check_mark:": "✅", ":heavy_check_mark:": "✔"}
_LINKED_PERSON = re.compile(
    r"(?P<joint>[(（](?:joint(?:ly)? )?with |,\s|\sand )"
    r"[*_/]{0,2}\[(?P<name>[^\[\]]{4,40})\]\([^()\s]{1,500}\)[*_/]{0,2}"
)
_MAX_SHARED_CHARS = 1000
_SEVERAL = 2
_NEAR_CHARS = 200


def read_piece(
    text: str,
    context: ItemContext,
    *,
    in_list: bool,
    references: bool = False,
    among_papers: bool = False,
    is_title: bool = False,
) -> list[ParsedEntry]:
    """Read a piece of a note into entries.

    `in_list`: a list item, where the words before an address are more often its title than in prose. `among_papers`:
    most items around are papers, so words without an address are a title. `is_title`: the items around are titles too.
    """
    is_paper_item = among_papers or _is_noted(text)
    text = _BREAK.sub(" | ", text) if "<br" in text else text
    text = _LINKED_PERSON.sub(_person, text) if "with " in text else text
    full_text = text
    text = _without_local_links(_with_signs(_BADGE.sub("", text) if "![" in text else text))
    links = _worth_reading(find_links(text))
    if not links:
        content = full_text if "]()" in full_text else text
        entry = read_wordless(
            content,
            context,
            references=references,
            among_papers=is_paper_item,
            in_list=in_list,
            is_title=is_title,
        )
        is_item = in_list or references or is_paper_item or is_title
        return _read_framed_titles(content, entry, context, is_item=is_item) or [entry]
    text, status = take_reading(text)
    if status:
        context, links = replace(context, status=context.status or status), _worth_reading(find_links(text))
    groups = group_links(text, links, in_list=in_list)
    if len(groups) == 1:
        in_list = in_list or _is_reference(groups[0])
        return _numbered(_single(groups[0], context, in_list=in_list))
    full_text = _sentence(text, links)
    if topic := topic_before(groups[0]):
        context = replace(context, topics=tuple(dict.fromkeys([*context.topics, topic])))
    return _numbered([_one_of_many(group, full_text, context, in_list=in_list) for group in groups])


def _read_framed_titles(text: str, entry: ParsedEntry, context: ItemContext, *, is_item: bool) -> list[ParsedEntry]:
    """Read the titles that a sentence names in quotation marks, unless it was read as the only one of them.

    `is_item`: an item of a list, whose quotation marks are more often around a part of it.
    """
    titles = find_framed_titles(text)
    is_read = entry.kind == "paper" and any(clean_title(framed.title) == entry.title for framed in titles)
    if is_read and begins_with_authors(text, parse_citation(text)):
        return []  # a reference, with its venue in italics
    if len(titles) < (_SEVERAL if is_item or is_read else 1):
        return []
    words = text if len(text) <= _MAX_SHARED_CHARS else ""
    texts = (ItemText(framed.title, text=words, venue=framed.venue, year=framed.year) for framed in titles)
    return _numbered([build_unlinked_entry(replace(item, status=entry.status), context) for item in texts])


def merge_links(entry: ParsedEntry, added_links: Sequence[TextLink]) -> ParsedEntry:
    """Add links to a paper: other identifiers of the same work, its code, slides and the like."""
    names = dict.fromkeys(entry.identifiers)
    kind = entry.paper_kind
    schemes = {name.partition(":")[0] for name in names}
    for link in sorted(added_links, key=lambda one: one.ref.scheme not in STRONG):
        is_paper = is_own(link) and (link.paper_kind == "paper" or calls_it_a_paper(link.label or ""))
        if is_paper and (link.ref.scheme not in schemes or link.ref.scheme not in STRONG):
            names[str(link.ref)] = None
            schemes.add(link.ref.scheme)
            kind = "paper"
    links = dict.fromkeys([*entry.links, *(link_to(link) for link in added_links if link.address)])
    reason = "" if names and entry.reason == UNLINKED else entry.reason
    return replace(entry, identifiers=tuple(names), links=tuple(links), paper_kind=kind, reason=reason)


def _is_reference(group: LinkGroup) -> bool:
    """Return True if the words before a generic link are a title, as in a reference.

    Example, anywhere in a text: `Title. Authors. [[pdf]](address)`.
    """
    first = group.links[0]
    has_generic_link = any(link.label and calls_it_a_paper(link.label) for link in group.links if link.ref == first.ref)
    return has_generic_link and has_words(group.before)


def _single(group: LinkGroup, context: ItemContext, *, in_list: bool) -> list[ParsedEntry]:
    item_text = extract_text(group, in_list=in_list)
    if in_list and item_text.title and not has_name(group.main_link) and _is_beside(group.links, item_text):
        return [build_unlinked_entry(item_text, context, group.links)]
    entry = build_entry(group.main_link, item_text, context, group.extras)
    if entry.kind not in {"junk", "paper"} or (entry.kind == "paper" and not entry.title):
        rest = item_text.text
        if entry.kind != "junk" and is_question(rest):
            return [entry, read_wordless(rest, replace(context, parent_text=""))]
    return [entry]


def _is_beside(links: Sequence[TextLink], item_text: ItemText) -> bool:
    """Return True if no link is the paper itself: own notes on it, an artifact, or anything else next to a venue."""
    if item_text.venue:
        return is_extra(links)
    labels = [link.label or "" for link in links]
    return could_be_title(item_text.title) and all(
        _NOTES_ON_IT.fullmatch(label) or _ARTIFACT.fullmatch(label) for label in labels
    )


def _one_of_many(group: LinkGroup, sentence: str, context: ItemContext, *, in_list: bool) -> ParsedEntry:
    item_text = extract_text(group, in_list=False)
    text = sentence or remark(group.before[-_NEAR_CHARS:], group.after[:_NEAR_CHARS])
    if not in_list or not item_text.title:
        item_text = ItemText(item_text.title if group.title_link or in_list else "", text)
    return build_entry(group.main_link, item_text, context, group.extras)


def _worth_reading(links: list[TextLink]) -> list[TextLink]:
    """Return the links without badge images, unless there are no others."""
    if len(links) == 1:
        return links
    useful = [link for link in links if not _is_picture(link)]
    return useful or links


def _is_picture(link: TextLink) -> bool:
    return link.paper_kind == "page" and urls.junk_reason(link.address) == urls.PICTURE


def _with_signs(text: str) -> str:
    """Replace shortcodes such as :star: by their emoji."""
    if text.count(":") > 1:
        for code, sign in _SHORTCODES.items():
            text = text.replace(code, sign)
    return text


def _without_local_links(text: str) -> str:
    """Replace links to anchors and local files by their words, without generic words."""
    if "](" not in text:
        return text
    return _EMPTIED.sub("", _LOCAL.sub(_local_words, text) if _may_link_locally(text) else text)


def _may_link_locally(text: str) -> bool:
    links = text.count("](")
    return links > 0 and links > text.count("](https://") + text.count("](http://")


def _person(link: re.Match[str]) -> str:
    """Replace the link to a person's page by the name, as in `(with [Ada Lovelace](address))`."""
    return f"{link['joint']}{link['name']}" if is_name(link["name"]) else link[0]


def _is_noted(text: str) -> bool:
    """Return True for `Title [[note]](a.md)`: own notes on the paper exist in another file."""
    links = _LOCAL.finditer(text) if _may_link_locally(text) else ()
    return any(_NOTES_ON_IT.fullmatch((link["label"] or link["inner"] or "").strip()) for link in links)


def _local_words(link: re.Match[str]) -> str:
    if link["where"].casefold().partition("#")[0].endswith(".pdf"):
        return link[0]
    if link["where"].startswith("#"):
        return link[0]
    label = link["label"] or link["inner"] or ""
    return "" if role_from_label(label) and link["where"] else link[0] if role_from_label(label) else label


def _sentence(text: str, links: Sequence[TextLink]) -> str:
    """Return the sentence shared by several links, "" if there is none or it is too long."""
    texts = split_around_links(text, list(links))
    if len(text) > _MAX_SHARED_CHARS or not remark(*texts):
        return ""
    labels = [link.label or (text[link.start : link.end] if not link.address else "…") for link in links]
    return "".join(part + name for part, name in zip(texts, [*labels, ""], strict=True)).strip()


def _numbered(entries: Iterable[ParsedEntry]) -> list[ParsedEntry]:
    return [entry if part == 1 else replace(entry, part=part) for part, entry in enumerate(entries, 1)]
