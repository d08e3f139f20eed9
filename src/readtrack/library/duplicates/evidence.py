"""Why two papers may be one. Stored in English, as facts with commas between them, and translated when it is shown."""

from collections.abc import Iterable

from readtrack.infra.i18n import ENGLISH, N_, current_language
from readtrack.infra.i18n import gettext as _
from readtrack.infra.message_templates import MessageTemplates

SAME_TITLE = N_("The same title")
BEGINNING = N_("One title is the beginning of the other")
WITHOUT_NAME = N_("One title is the other without the name before the colon")
OTHER_NAME = N_("The same title but for the name before the colon")
SAME_NAME = N_("The same name before the colon")
ALIKE_TITLES = N_("Titles that are alike by {percent}")
AND_ALIKE_TITLES = N_("titles that are alike by {percent}")
SAME_AUTHORS = N_("the same people")
OTHER_AUTHORS = N_("but other authors")
OTHER_SCRIPT = N_("the authors in other letters")
AUTHORS_OF_ONE = N_("authors are known of one only")
NO_AUTHORS = N_("no authors are known")
SAME_YEAR = N_("both of {year}")
TWO_YEARS = N_("{year} and {other_year}")
PREPRINT = N_("one is a preprint")
PUBLISHED = N_("the other published")
TWO_ARXIV = N_("but two arXiv numbers")
TWO_DOIS = N_("but two DOIs")
TWO_PAGES = N_("but two {venue} pages")
PERHAPS_TWO = N_("so they may be two works")
CLAIMED = N_("{service} lists {label} for both papers.")
CONFIRMED = N_("A member confirmed that both are {label}.")
SPLIT = N_("Split manually")

_facts = MessageTemplates(
    (
        SAME_TITLE, BEGINNING, WITHOUT_NAME, OTHER_NAME, SAME_NAME, ALIKE_TITLES, AND_ALIKE_TITLES, SAME_AUTHORS,
        OTHER_AUTHORS, OTHER_SCRIPT, AUTHORS_OF_ONE, NO_AUTHORS, SAME_YEAR, TWO_YEARS, PREPRINT, PUBLISHED, TWO_ARXIV,
        TWO_DOIS, TWO_PAGES, PERHAPS_TWO,
    )
)  # fmt: skip
_sentences = MessageTemplates((CLAIMED, CONFIRMED, SPLIT))


def format_facts(facts: Iterable[str]) -> str:
    """Return facts as the sentence that is stored."""
    return f"{', '.join(facts)}."


def translate_evidence(evidence: str) -> str:
    """Return stored evidence in the current language."""
    if current_language() == ENGLISH:
        return evidence
    sentence = _sentences.translate(evidence)
    if sentence != evidence:
        return sentence
    facts = evidence.removesuffix(".").split(", ")
    translated = [_facts.translate(fact) for fact in facts]
    return evidence if translated == facts else _("{facts}.").format(facts=_(", ").join(translated))
