"""Roles of Org headings: a paper, a part of the notes on a paper, or a topic."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from readtrack.infra.text.titles.clean import is_generic, looks_like_title, names_a_paper
from readtrack.ingest.parser.document import NoteDocument
from readtrack.ingest.parser.headings.outline import no_topic_reason, squeeze_name
from readtrack.ingest.parser.headings.vocabulary import PARTS_OF_NOTES
from readtrack.ingest.parser.items.find_links import TextLink, find_links, split_around_links
from readtrack.ingest.parser.org.citations import cited, is_citation, without_citations
from readtrack.ingest.parser.org.outline import OrgNode
from readtrack.ingest.parser.org.properties import OrgProperties, read_fields, read_properties
from readtrack.ingest.parser.vocabulary.line_kinds import is_question, is_task

PAPER, PART, TOPIC = "paper", "part", "topic"
_PARTS = frozenset(map(squeeze_name, PARTS_OF_NOTES)) | {"pdf", "bibtex"}
_APA = re.compile(
    r"(?P<authors>[^()\[\]:]{2,300}?[.,&\w]) ?\((?P<year>(?:19|20)\d\d[a-z]?|n\.d\.|)\)\s?[:.] (?P<title>\S.{3,400})"
)
_INITIAL = re.compile(r", [^\W\d]\.|\bet al\b|&")
_WORDS = re.compile(r"\w+")
_EMPTY_WORDS = _WORDS.findall(
    "link links to the a an paper pdf ps here this article original official full text version source on in arxiv acm "
    "ieee usenix springer openreview download local copy web page site url read doi publisher preprint"
)  # fmt: skip
LOCAL = re.compile(r"\s?\(?\[(?P<label>[^\[\]]{0,300})\]\((?P<target>(?:file:|/|~/|\.{1,2}/)[^()\s]{1,500})\)\)?")
_NEAR, _SENTENCE, _SHORT = 4, 5, 3
_KEY_LABEL = re.compile(
    r"[a-z]{1,40}[-_]?(?:19|20)?\d\d[-_a-z\d]{0,60}|[\w./:~ -]{1,200}\.(?:pdf|epub|djvu|ps)", re.IGNORECASE
)
_REMARK = re.compile(r"\([^()]{1,60}\)$")
_MOSTLY = 0.6
_LETTERS = re.compile(r"[\W_]+")


@dataclass
class OrgHeading:
    """A node with properties that depend on it alone, computed on first use."""

    node: OrgNode
    page: NoteDocument
    role: str = TOPIC

    @property
    def title(self) -> str:
        return self.node.title

    @cached_property
    def facts(self) -> OrgProperties:
        facts = read_properties(self.page, self.node.below, self.node.end)
        read_fields(self.page, facts, self.node.end)
        return facts

    @cached_property
    def title_links(self) -> list[TextLink]:
        return find_links(self.title)

    @cached_property
    def apa(self) -> re.Match[str] | None:
        """Match "Authors (2020): Title", as exporters of bibliographies write headings."""
        found = _APA.fullmatch(self.title)
        return found if found and _INITIAL.search(found["authors"]) else None

    @cached_property
    def body(self) -> int:
        """The index of the first non-blank line below, or the end."""
        at = self.facts.end
        while at < self.node.end and not self.page.text(at):
            at += 1
        return at

    @cached_property
    def keys(self) -> list[str]:
        """Keys cited by the heading, or by a line right below that only cites."""
        return cited(self.cited_in)

    @cached_property
    def cited_in(self) -> str:
        """The text with the citation: a property, the heading or the line below, otherwise ""."""
        raw = self.facts.citing or self._cited_by_a_part or self.page.lines[self.node.at].raw
        below = self.page.lines[self.body].raw if self.body < self.node.end else ""
        return raw if cited(raw) else below if is_citation(below) else ""

    @property
    def _cited_by_a_part(self) -> str:
        parts = (child for child in self.node.children if is_part(child))
        return next(
            (said for child in parts if (said := read_properties(self.page, child.below, child.end).citing)), ""
        )

    @cached_property
    def own_link(self) -> list[TextLink]:
        """The link in a line of its own right below, unless more such lines follow."""
        if self.title_links or self.body >= self.node.end or not _is_link_line(self.page, self.body, self.title):
            return []
        others = [at for at in range(self.body + 1, min(self.body + _NEAR, self.node.end)) if self.page.links_at(at)]
        main = self.page.links_at(self.body)[0]
        listed = any(
            _is_link_line(self.page, at, self.title) and _is_bare_work(self.page.links_at(at)[0]) for at in others
        )
        return [] if listed and _is_bare_work(main) and not self.node.status else self.page.links_at(self.body)

    @cached_property
    def child_links(self) -> list[TextLink]:
        """Links of child headings that are only [pdf] or the like."""
        return [found for child in self.node.children if is_mere_link(child.title) for found in find_links(child.title)]

    @cached_property
    def is_named(self) -> bool:
        """True if the heading has a title of its own instead of a generic word.

        With a status, one word is enough.
        """
        words = len(self.title.split())
        named = bool(words) and not no_topic_reason(self.title) and not is_part(self.node)
        return named and (words > 1 or bool(self.node.status))

    @cached_property
    def is_sure(self) -> bool:
        """True for a paper regardless of its neighbours."""
        if self.has_details or not self.is_named:
            return self.has_details
        sentence = len(self.title.split()) >= _SENTENCE
        return any(map(is_part, self.node.children)) and (sentence or looks_like_title(self.title))

    @cached_property
    def has_details(self) -> bool:
        """True if links, fields or a citation identify a paper."""
        if self.title_links or "[[" in self.title or LOCAL.search(self.title):
            return True
        if not self.is_named:
            return False
        if any(find_links(value) for _, value in self.facts.addresses) or self.facts.describe_a_work:
            return True
        return bool(self.apa or self.keys or self.own_link or self.child_links)

    @cached_property
    def may_be(self) -> bool:
        """True if the heading counts as a paper when its neighbours do."""
        if not self.is_named or is_question(self.title) or is_task(self.title) or self.holds_a_list:
            return False
        long = bool(self.node.status) and len(self.title.split()) >= _SENTENCE
        return long or self._looks_like_title

    @cached_property
    def names_a_paper(self) -> bool:
        return self.may_be and names_a_paper(without_citations(self.title))

    @property
    def seems_one(self) -> bool:
        """True if the heading names a paper, or has a status and looks like a title."""
        return self.names_a_paper or (self.may_be and bool(self.node.status) and self._looks_like_title)

    @cached_property
    def _looks_like_title(self) -> bool:
        stated = bool(self.node.status) and " " in self.title and self.title.istitle()
        return stated or looks_like_title(self.title)

    @property
    def holds_a_list(self) -> bool:
        """True if a list below has links, so that the heading is its topic."""
        lines = range(self.facts.end, min(self.facts.end + 40, self.node.end))
        return any(self.page.links_at(at) and self.page.text(at).startswith(("-", "+", "1")) for at in lines)


def is_part(node: OrgNode) -> bool:
    """Return True for a heading within notes, such as Abstract or Short Summary."""
    words = node.title.split()
    known = squeeze_name(node.title) in _PARTS or (1 < len(words) <= _SHORT and squeeze_name(words[-1]) in _PARTS)
    return known and node.parent is not None


def roles(nodes: Sequence[OrgNode], page: NoteDocument) -> dict[int, OrgHeading]:
    """Return the headings with their roles, by the index of their line."""
    known = {node.at: OrgHeading(node, page) for node in nodes}
    for heading in known.values():
        heading.role = PAPER if heading.is_sure else TOPIC
    for heading in known.values():
        if heading.role == PAPER and _only_links(heading) and _holds_papers(heading.node, known):
            heading.role = TOPIC
    groups: dict[int | None, list[OrgHeading]] = {}
    for heading in known.values():
        parent = heading.node.parent
        groups.setdefault(parent.at if parent else None, []).append(heading)
    for group in groups.values():
        _judge(group, known)
    for heading in known.values():  # parents come before their children
        weak = heading.role == TOPIC or is_mere_link(heading.title) or (heading.is_sure and not heading.has_details)
        if weak and _under_paper(heading, known):
            heading.role = PART
    return known


def _judge(group: Sequence[OrgHeading], known: dict[int, OrgHeading]) -> None:
    """Make possible papers among siblings papers if most of the siblings are."""
    sure = sum(each.role == PAPER for each in group)
    named = sum(each.role != PAPER and each.seems_one for each in group)
    by_link, by_name = sure >= _MOSTLY * len(group), sure + named >= max(2, _MOSTLY * len(group))
    for each in group:
        if each.role == PAPER or not each.may_be or _holds_papers(each.node, known):
            continue
        alone = each.node.status and each.names_a_paper
        if (
            alone
            or (by_name and (each.seems_one or looks_like_title(each.title)))
            or (by_link and (sure > 1 or each.node.status))
        ):
            each.role = PAPER


def _holds_papers(node: OrgNode, known: dict[int, OrgHeading]) -> bool:
    """Return True if papers or lists of links are anywhere below, so that the heading is a topic."""
    return any(
        known[child.at].is_sure or known[child.at].holds_a_list or _holds_papers(child, known)
        for child in node.children
    )


def _only_links(heading: OrgHeading) -> bool:
    """Return True if the heading only links web pages, which may be about a topic as well."""
    found = heading.title_links or heading.own_link
    return bool(found) and all(each.paper_kind != "paper" for each in found) and not heading.node.status


def _under_paper(heading: OrgHeading, known: dict[int, OrgHeading]) -> bool:
    parent = heading.node.parent
    return parent is not None and known[parent.at].role in {PAPER, PART}


def _is_link_line(page: NoteDocument, at: int, title: str) -> bool:
    """Return True for a line with only a link, whose text is generic or repeats the heading.

    A role word such as "Code:" may come first.
    """
    found = page.links_at(at)
    if not found or len(page.text(at)) > 1500:
        return False
    if page.text(at).startswith(("-", "+")) and len(title.split()) < 3:
        return False
    if len(found) == 1 and found[0].label and _same(found[0].label, title):
        return True  # a citation of the work, linked by its title
    rest = _REMARK.sub("", " ".join(split_around_links(page.text(at), found)).strip(" -–—:：|,;[]")).strip("() ")
    if not says_nothing(rest):
        return False
    return all(each.label is None or is_key(each.label) or has_similar_titles(each.label, title) for each in found[:3])


def is_key(label: str | None) -> bool:
    """Return True for a link text that is a citation key, a file name or generic."""
    return label is not None and (_KEY_LABEL.fullmatch(label) is not None or says_nothing(label))


def says_nothing(label: str) -> bool:
    """Return True for a link text without a name, such as [pdf] or [Link to paper here]."""
    return is_generic(label) or all(word in _EMPTY_WORDS for word in _LETTERS.sub(" ", label.casefold()).split())


def is_mere_link(title: str) -> bool:
    found = find_links(title) if title.startswith(("[", "http")) else []
    rest = "".join(split_around_links(title, found)).strip(" ,;|()")
    return bool(found) and not rest and all(each.label is not None and says_nothing(each.label) for each in found)


def has_similar_titles(one: str, other: str) -> bool:
    short, long = sorted((_LETTERS.sub("", one.casefold()), _LETTERS.sub("", other.casefold())), key=len)
    return len(short) >= 4 and short in long


def _same(one: str, other: str) -> bool:
    return _LETTERS.sub("", one.casefold()) == _LETTERS.sub("", other.casefold()) and len(other.split()) >= _SHORT


def _is_bare_work(found: TextLink) -> bool:
    return found.paper_kind == "paper" and found.label is None
