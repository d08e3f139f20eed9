"""Publication types by the names that BibTeX, RIS, EndNote, CSL-JSON, Zotero and spreadsheets have for them."""

import re
from dataclasses import replace

from readtrack.infra.text.titles.vocabulary import words_of
from readtrack.ingest.parser.entry import ParsedEntry
from readtrack.workspace.export.formats import IN_PUBLICATIONS, is_repository

# In lower case, without spaces and punctuation. Plain "article" is a journal article in BibTeX only.
_TYPES = {
    name: publication_type
    for publication_type, names in {
        "journal_article": """
journalarticle | articlejournal | magazinearticle | articlemagazine | electronicarticle | journal | jour | ejour | mgzn
inpr""",
        "conference_paper": """
conferencepaper | paperconference | conferenceproceedings | proceedingsarticle | inproceedings | conference | conf
cpaper""",
        "book": """
book | mvbook | collection | mvcollection | proceedings | mvproceedings | reference | mvreference | monograph
editedbook | electronicbook | referencebook | ebook | edbook""",
        "chapter": """
chapter | bookchapter | booksection | bookpart | incollection | inbook | bookinbook | suppbook | suppcollection
inreference | entry | entryencyclopedia | entrydictionary | encyclopediaarticle | dictionaryentry
electronicbooksection | chap | echap""",
        "thesis": "thesis | phdthesis | doctoralthesis | dissertation | thes",
        "masters_thesis": "mastersthesis | masterthesis | mathesis",
        "report": "report | techreport | technicalreport | governmentdocument | rprt | govdoc",
    }.items()
    for name in words_of(names)
}
_SIGNS = re.compile(r"[\W_]")
_MASTERS = re.compile(r"\bmaster|\bm\.?\s?(?:sc|a|phil)\b|\bmathesis\b|\bdiplom|修士|硕士|碩士", re.IGNORECASE)


def parse_publication_type(name: str, detail: str = "") -> str:
    """Return the publication type, or "" if it is unknown. `detail`: what kind of thesis it is."""
    publication_type = _TYPES.get(_SIGNS.sub("", name).casefold(), "")
    return "masters_thesis" if publication_type == "thesis" and _MASTERS.search(detail) else publication_type


def with_publication_type(entry: ParsedEntry, publication_type: str) -> ParsedEntry:
    """Set the publication type of a paper, unless it is a preprint: many files call one a journal article."""
    has_arxiv = any(name.startswith("arxiv:") for name in entry.identifiers)
    is_preprint = is_repository(entry.venue) or (has_arxiv and not entry.venue)
    if entry.kind != "paper" or (is_preprint and publication_type in IN_PUBLICATIONS):
        return entry
    return replace(entry, publication_type=publication_type)
