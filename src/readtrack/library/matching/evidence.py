"""Why a found work may be the one that is wanted: a sentence, stored in English and translated when it is shown."""

from readtrack.infra.i18n import N_
from readtrack.infra.message_templates import MessageTemplates
from readtrack.infra.text.titles import compare
from readtrack.library.matching.lookups import LIBRARY
from readtrack.library.matching.scoring import LikelyMatch, WantedWork
from readtrack.metadata import sources

# By how much of the title and what else agrees. Each ends with the venue in parentheses, or without.
_FOUND = {
    ("exact", "authors"): N_("{service} has a paper with this exact title, with authors from the notes{venue}."),
    ("exact", "venue"): N_("{service} has a paper with this exact title, at the venue from the notes{venue}."),
    ("exact", ""): N_("{service} has a paper with this exact title{venue}."),
    ("start", "authors"): N_("{service} has a paper whose title starts like this, with authors from the notes{venue}."),
    ("start", "venue"): N_("{service} has a paper whose title starts like this, at the venue from the notes{venue}."),
    ("start", ""): N_("{service} has a paper whose title starts like this{venue}."),
    ("similar", "authors"): N_("{service} has a paper with a similar title, with authors from the notes{venue}."),
    ("similar", "venue"): N_("{service} has a paper with a similar title, at the venue from the notes{venue}."),
    ("similar", ""): N_("{service} has a paper with a similar title{venue}."),
}
_DISCUSSED = N_("The title names {work}. {found}")
_templates = MessageTemplates((_DISCUSSED, *_FOUND.values()), lists={"service", "found"})


def format_evidence(kind: str, wanted_work: WantedWork, work: LikelyMatch) -> str:
    """Return the evidence of a match as a sentence."""
    matching_fields = () if kind == "discusses" else work.matching_fields
    agreement = next((name for name in ("authors", "venue") if name in matching_fields), "")
    found = _FOUND[_compare_title(wanted_work, work.metadata.title), agreement].format(
        service=format_service_name(work.metadata.service or work.metadata.ref.scheme),
        venue=f" ({work.metadata.venue})" if work.metadata.venue else "",
    )
    return _DISCUSSED.format(work=_format_work(wanted_work), found=found) if kind == "discusses" else found


def format_service_name(service: str) -> str:
    """Return the display name of a service."""
    if service == LIBRARY:
        return N_("This library")
    label = next((label.label for label in sources.all_services() if label.name == service), None)
    return label or service


def translate_match_evidence(evidence: str) -> str:
    """Return stored evidence of a match in the current language."""
    return _templates.translate(evidence)


def _format_work(wanted_work: WantedWork) -> str:
    venue_and_year = " ".join(filter(None, (wanted_work.venue, str(wanted_work.year or ""))))
    return f"“{wanted_work.title}”" + (f" ({venue_and_year})" if venue_and_year else "")


def _compare_title(wanted_work: WantedWork, title: str) -> str:
    if compare.title_letters(wanted_work.title) == compare.title_letters(title):
        return "exact"
    if wanted_work.is_truncated or compare.is_title_head(wanted_work.title, title):
        return "start"
    return "similar"
