"""Citations with abstracts as PubMed writes them for people: journal, title, authors and abstract in paragraphs."""

import re
from itertools import groupby

from readtrack.ingest.parser.bibliography.work import BibliographyWork, entry_of, format_published
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape
from readtrack.ingest.parser.items.build_entry import ItemText
from readtrack.ingest.parser.vocabulary.author_names import clean_names, to_given_first

_BEGINS = re.compile(  # `1. Nat Protoc. 2019 Jul;14(7):2152-2176. doi: 10.1038/s41596-019-0176-0.`
    r"\d{1,4}[.:]\s(?P<journal>[A-Z][^.]{1,100})\.\s(?P<year>(?:19|20)\d\d)(?:\s(?P<month>[A-Z][a-z]{2})(?:-[A-Z][a-z]{2})?"
    r"(?:\s(?P<day>\d{1,2}))?)?[;.]\s?\S.*"
)
_NUMBER = re.compile(r"PMID:\s(?P<number>\d{1,9})\b.*")
_DOI = re.compile(r"\bdoi:\s?(?P<doi>10\.\d{4,9}/\S+?)\.?(?=\s|$)", re.IGNORECASE)
_AFFILIATION = re.compile(r"\(\d{1,3}\)|[#*]")
_NO_ABSTRACT = ("Author information:", "DOI:", "PMID:", "©", "Copyright", "Conflict of", "Comment in", "Erratum")
_MAX_LINES, _MIN_PARAGRAPHS = 400, 3


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    begin = _BEGINS.fullmatch(page.text(start)) if page.text(start)[:1].isdigit() else None
    end = _find_number(page, start) if begin else None
    if begin is None or end is None:
        return None
    texts = [page.text(index) for index in range(start, end + 1)]
    paragraphs = [" ".join(lines) for is_text, lines in groupby(texts, bool) if is_text]
    number, doi = _NUMBER.fullmatch(texts[-1]), _DOI.search("\n".join(texts))
    if len(paragraphs) < _MIN_PARAGRAPHS or number is None:
        return None
    title, names, *others = paragraphs[1:]
    address = f"https://pubmed.ncbi.nlm.nih.gov/{number['number']}/"
    work = BibliographyWork(
        title=title.rstrip("."),
        item_text=ItemText(
            venue=begin["journal"],
            authors=clean_names(map(to_given_first, _AFFILIATION.sub("", names).rstrip(".").split(", "))),
            published=format_published(begin["year"], begin["month"] or "", begin["day"] or ""),
            abstract=max((text for text in others if not text.startswith(_NO_ABSTRACT)), key=len, default=""),
        ),
        addresses=(f"doi:{doi['doi']}",) if doi else (address,),
        others=(address,) if doi else (),
        has_credits=True,
    )
    return EntryBlock(end + 1 - start, [entry_of(work, page.context(start, end + 1))])


def _find_number(page: NoteDocument, start: int) -> int | None:
    """Return the index of the line with the record's number, the last one of it."""
    for index in range(start + 1, min(start + _MAX_LINES, len(page.lines))):
        if _NUMBER.fullmatch(page.text(index)):
            return index
        if _BEGINS.fullmatch(page.text(index)):
            return None
    return None


SHAPE = Shape("pubmed_text", 8, read)
