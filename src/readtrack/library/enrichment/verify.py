"""Whether an answer is about the paper that was meant. A wrong record is worse than none. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from readtrack.infra.text.titles import compare
from readtrack.metadata.types import Metadata

ALIKE = 0.85  # of two titles that may differ in a word or a typo
OLDER = 0.7  # of the title in notes and today's, when the notes have the very link
RENAMED = 0.6  # of two titles of one work, which versions change: then its people must agree too

UNCONFIRMED = "nobody confirms that it is this work"


@dataclass(frozen=True)
class TitleAndAuthors:
    """A title and its authors, as somebody gave them."""

    title: str
    authors: Sequence[str] = ()


@dataclass(frozen=True)
class RequestedPaper:
    """The paper that was asked about. `named`: what notes or a person said of it; `fellows`: the answers that fit.

    `own`: asked by a name that notes or a person gave it; `renamed`: the same service answered before, and that fits.
    """

    named: TitleAndAuthors = TitleAndAuthors("")
    fellows: Sequence[TitleAndAuthors] = ()
    own: bool = False
    renamed: bool = False


def describe_mismatch(said: Metadata, meant: RequestedPaper) -> str:
    """Why it is about another work, in a few words; blank when it fits."""
    if not said.title:
        return "it gives no title"
    if meant.renamed:
        return _people(said, meant.fellows)
    named = meant.named.title
    if named and _title_matches(meant, said):
        return _people(said, meant.fellows if meant.own else (meant.named, *meant.fellows))
    unlike = _describe_title_mismatch(said, meant.fellows)
    if meant.fellows and not (unlike and named and meant.own):  # notes may name one title of a work, a fellow the other
        return unlike
    if named:
        return "another title than in the notes"
    return "" if meant.own else UNCONFIRMED


def _title_matches(meant: RequestedPaper, said: Metadata) -> bool:
    """Notes shorten titles: the beginning up to the colon names the whole. With a link they may have an older one.

    Without a link, the name of a system is no title: many have it, so that somebody must know its people.
    """
    named = meant.named.title
    if compare.is_same_title(named, said.title) or compare.is_title_head(named, said.title):
        return meant.own or compare.is_distinctive(compare.title_letters(named)) or _authors_match(said, meant)
    if meant.own:
        return compare.title_similarity(named, said.title) >= OLDER or _is_title_part(named, said.title)
    return compare.title_similarity(named, said.title) >= ALIKE


def _is_title_part(named: str, title: str) -> bool:
    """A talk goes by its session too, a link by a few telling words of its title."""
    mine, whole = compare.title_letters(named), compare.title_letters(title)
    return compare.is_distinctive(mine) and mine in whole


def _authors_match(said: Metadata, meant: RequestedPaper) -> bool:
    return any(compare.are_same_authors(said.authors, work.authors) for work in (meant.named, *meant.fellows))


def _describe_title_mismatch(said: Metadata, fellows: Sequence[TitleAndAuthors]) -> str:
    """Two titles of one work may differ, as those of a preprint and of the paper do; then the people must not."""
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
