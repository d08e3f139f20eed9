"""Verification that a record is about the requested paper. A wrong record is worse than none."""

from collections.abc import Sequence
from dataclasses import dataclass

from readtrack.infra.i18n import N_
from readtrack.infra.text.titles import compare
from readtrack.metadata.types import Metadata

MIN_SIMILARITY = 0.85  # similarity of titles that differ by a word or a typo
MIN_SIMILARITY_WITH_LINK = 0.7  # similarity to the title in notes that have the link itself: titles change over time
MIN_SIMILARITY_OF_VERSIONS = 0.6  # similarity of titles of one work between versions, if the authors agree too

UNCONFIRMED = N_("not confirmed to be this work")


@dataclass(frozen=True)
class TitleAndAuthors:
    """A title and its authors from one source."""

    title: str
    authors: Sequence[str] = ()


@dataclass(frozen=True)
class RequestedPaper:
    """The paper a request was about.

    `stated`: according to notes or a person; `agreeing_records`: records that agree; `is_stated_identifier`: requested
    by an identifier that notes or a person gave; `was_renamed`: the same service's earlier record agreed.
    """

    stated: TitleAndAuthors = TitleAndAuthors("")
    agreeing_records: Sequence[TitleAndAuthors] = ()
    is_stated_identifier: bool = False
    was_renamed: bool = False


def describe_mismatch(metadata: Metadata, requested: RequestedPaper) -> str:
    """Return why a record is about another work, or "" if it fits."""
    if not metadata.title:
        return N_("no title")
    if requested.was_renamed:
        return _people(metadata, requested.agreeing_records)
    noted_title = requested.stated.title
    if noted_title and _title_matches(requested, metadata):
        return _people(
            metadata,
            requested.agreeing_records
            if requested.is_stated_identifier
            else (requested.stated, *requested.agreeing_records),
        )
    title_mismatch = _describe_title_mismatch(metadata, requested.agreeing_records)
    if requested.agreeing_records and not (
        title_mismatch and noted_title and requested.is_stated_identifier
    ):  # notes may have another title of the work
        return title_mismatch
    if noted_title:
        return N_("title differs from the notes")
    return "" if requested.is_stated_identifier else UNCONFIRMED


def _title_matches(requested: RequestedPaper, metadata: Metadata) -> bool:
    """Return True if the title fits the one in notes.

    Notes may shorten a title to the part before the colon, or have an older one if they give a link. Without a link, a
    system's name alone is not enough, because many works share it; then the authors must agree.
    """
    noted_title = requested.stated.title
    if compare.is_same_title(noted_title, metadata.title) or compare.is_title_head(noted_title, metadata.title):
        return (
            requested.is_stated_identifier
            or compare.is_distinctive(compare.title_letters(noted_title))
            or _authors_match(metadata, requested)
        )
    if requested.is_stated_identifier:
        return compare.title_similarity(noted_title, metadata.title) >= MIN_SIMILARITY_WITH_LINK or _is_title_part(
            noted_title, metadata.title
        )
    return compare.title_similarity(noted_title, metadata.title) >= MIN_SIMILARITY


def _is_title_part(noted_title: str, title: str) -> bool:
    """Return True if a distinctive part of the title was noted, as for talks and link texts."""
    noted_letters, title_letters = compare.title_letters(noted_title), compare.title_letters(title)
    return compare.is_distinctive(noted_letters) and noted_letters in title_letters


def _authors_match(metadata: Metadata, requested: RequestedPaper) -> bool:
    return any(
        compare.are_same_authors(metadata.authors, work.authors)
        for work in (requested.stated, *requested.agreeing_records)
    )


def _describe_title_mismatch(metadata: Metadata, works: Sequence[TitleAndAuthors]) -> str:
    """Compare with the titles of agreeing records; versions of a work may differ if the authors agree."""
    similar = [work for work in works if _is_similar(metadata, work)]
    if not similar:
        return N_("different title")
    return _people(metadata, similar)


def _is_similar(metadata: Metadata, work: TitleAndAuthors) -> bool:
    likeness = compare.title_similarity(metadata.title, work.title)
    if compare.is_same_title(metadata.title, work.title) or likeness >= MIN_SIMILARITY:
        return True
    is_shortened = compare.is_title_head(metadata.title, work.title) or compare.is_title_head(
        work.title, metadata.title
    )
    return (is_shortened or likeness >= MIN_SIMILARITY_OF_VERSIONS) and compare.are_same_authors(
        metadata.authors, work.authors
    ) is True


def _people(metadata: Metadata, works: Sequence[TitleAndAuthors]) -> str:
    agreements = [compare.are_same_authors(metadata.authors, work.authors) for work in works]
    return N_("different authors") if False in agreements and True not in agreements else ""
