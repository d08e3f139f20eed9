"""Limits on what one note of a folder may contain, so that importing a note takes bounded time."""

from collections.abc import Iterator, Sized

from readtrack.infra.errors import Invalid
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.ingest.markdown_folder.front_matter import FolderNote, PaperNote
from readtrack.markdown import MAX_BYTES

MAX_PARTS = 200  # per kind of part: as many relations as a paper's page shows, and more than anyone writes


def refuse_excess(note: FolderNote) -> None:
    """Raise Invalid if the note has too many parts of one kind, or too long an abstract."""
    for kind, count in _count_parts(note):
        if count > MAX_PARTS:
            raise Invalid(
                _("It has {count:,} {kind}, and {most} are the most of one note.").format(
                    count=count, kind=_(kind), most=MAX_PARTS
                )
            )
    if isinstance(note, PaperNote) and len(note.abstract) > MAX_BYTES:
        raise Invalid(_("Its abstract has more than {most:,} characters.").format(most=MAX_BYTES))


def _count_parts(note: FolderNote) -> Iterator[tuple[str, int]]:
    kinds: tuple[tuple[str, Sized], ...]
    if isinstance(note, PaperNote):
        kinds = (
            (N_("identifiers"), note.identifiers),
            (N_("links"), note.links),
            (N_("topics"), {*note.topics, *note.tags}),
            (N_("titles in other languages"), note.translated_titles or {}),
            (N_("summaries"), note.summaries),
            (N_("relations"), note.relations),
        )
    else:
        kinds = ((N_("further names"), note.aliases), (N_("links"), note.links), (N_("tables"), note.tables))
    return ((kind, len(items)) for kind, items in kinds)
