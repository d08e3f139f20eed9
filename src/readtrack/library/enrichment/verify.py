"""Verification that a record is about the requested paper. A wrong record is worse than none."""

from collections.abc import Sequence
from dataclasses import dataclass

from readtrack.infra.text.titles import compare
from readtrack.metadata.types import Metadata

ALIKE = 0.85  # similarity of titles that differ by a word or a typo
OLDER = 0.7  # similarity to the title in notes that have the link itself: titles change over time
RENAMED = 0.6  # similarity of titles of one work between versions, if the authors agree too

UNCONFIRMED = "nobody confirms that it is this work"


@dataclass(frozen=True)
class TitleAndAuthors:
    """A title and its authors from one source."""

    title: str
    authors: Sequence[str] = ()


@dataclass(frozen=True)
class RequestedPaper:
    """The paper a request was about.

    `named`: according to notes or a person; `fellows`: records that agree; `own`: requested by an identifier that notes
    or a person gave; `renamed`: the same service's earlier record agreed.
    """

    named: TitleAndAuthors = TitleAndAuthors("")
    fellows: Sequence[TitleAndAuthors] = ()
    own: bool = False
    renamed: bool = False


def describe_mismatch(said: Metadata, meant: RequestedPaper) -> str:
    """Return why a record is about another work, or "" if it fits."""
    if not said.title:
        return "it gives no title"
    if meant.renamed:
        return _people(said, meant.fellows)
    named = meant.named.title
    if named and _title_matches(meant, said):
        return _people(said, meant.fellows if meant.own else (meant.named, *meant.fellows))
    unlike = _describe_title_mismatch(said, meant.fellows)
    if meant.fellows and not (unlike and named and meant.own):  # notes may have another title of the work
        return unlike
    if named:
        return "another title than in the notes"
    return "" if meant.own else UNCONFIRMED


def _title_matches(meant: RequestedPaper, said: Metadata) -> bool:
    """Return True if the title fits the one in notes.

    Notes may shorten a title to the part before the colon, or have an older one if they give a link. Without a link, a
    system's name alone is not enough, because many works share it; then the authors must agree.
    """
    named = meant.named.title
    if compare.is_same_title(named, said.title) or compare.is_title_head(named, said.title):
        return meant.own or compare.is_distinctive(compare.title_letters(named)) or _authors_match(said, meant)
    if meant.own:
        return compare.title_similarity(named, said.title) >= OLDER or _is_title_part(named, said.title)
    return compare.title_similarity(named, said.title) >= ALIKE


def _is_title_part(named: str, title: str) -> bool:
    """Return True if a distinctive part of the title was noted, as for talks and link texts."""
    mine, whole = compare.title_letters(named), compare.title_letters(title)
    return compare.is_distinctive(mine) and mine in whole


def _authors_match(said: Metadata, meant: RequestedPaper) -> bool:
    return any(compare.are_same_authors(said.authors, work.authors) for work in (meant.named, *meant.fellows))


def _describe_title_mismatch(said: Metadata, fellows: Sequence[TitleAndAuthors]) -> str:
    """Compare with the titles of agreeing records; versions of a work may differ if the authors agree."""
    alike = [fellow for fellow in fellows if _is_similar(said, fellow)]
    if not alike:
        return "another title"
    return _people(said, alike)


def _is_similar(said: Metadata, fellow: TitleAndAuthors) -> bool:
    likeness = compare.title_similarity(said.title, fellow.title)
    if compare.is_same_title(said.title, fellow.title) or likeness >= ALIKE:
        return True
    shortened = compare.is_title_head(said.title, fellow.title) or compare.is_title_head(fellow.title, said.title)
    return (shortened or likeness >= RENAMED) and compare.are_same_authors(said.authors, fellow.authors) is True


def _people(said: Metadata, fellows: Sequence[TitleAndAuthors]) -> str:
    judged = [compare.are_same_authors(said.authors, fellow.authors) for fellow in fellows]
    return "other authors" if False in judged and True not in judged else ""
