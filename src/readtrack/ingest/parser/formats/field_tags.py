"""Records of PubMed ("PMID- 31452104") and of the Web of Science ("PT J"), as these sites export them."""

import re
from itertools import takewhile

from readtrack.ingest.parser.bibliography.publication_types import parse_publication_type
from readtrack.ingest.parser.bibliography.work import BibliographyWork, entry_of, format_published
from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape
from readtrack.ingest.parser.formats.ris import TaggedRecord
from readtrack.ingest.parser.items.build_entry import ItemText
from readtrack.ingest.parser.reasons import NO_END
from readtrack.ingest.parser.vocabulary.author_names import clean_names, to_given_first

_PUBMED_BEGINS = re.compile(r"PMID-\s?\d{1,9}")
_PUBMED_FIELD = re.compile(r"(?P<tag>[A-Z]{2,4})\s{0,2}-(?:\s(?P<value>.*))?")
_WOS_BEGINS = re.compile(r"FN\s.*(?:Web of Science|Clarivate|ISI).*|PT\s[A-Z]")
_WOS_FIELD = re.compile(r"(?P<tag>[A-Z][A-Z0-9])(?:\s(?P<value>.*))?")
_ID = re.compile(r"(?P<id>\S+) \[doi\]")
_LISTS = frozenset({"AU", "AF", "CR"})  # of the Web of Science: each line a name or a reference
_MIN_TAGS, _MAX_LINES = 3, 3000


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    text = page.text(start)
    if text.startswith("PMID-") and _PUBMED_BEGINS.fullmatch(text):
        record, to_work = _read_pubmed(page, start), _work_of_pubmed
    elif text.startswith(("FN ", "PT ")) and _WOS_BEGINS.fullmatch(text):
        record, to_work = _read_web_of_science(page, start), _work_of_web_of_science
    else:
        return None
    if len(record.values) < _MIN_TAGS or not record.first("TI"):
        return None
    return EntryBlock(record.count, [entry_of(to_work(record), page.context(start, start + record.count))])


def _read_pubmed(page: NoteDocument, start: int) -> TaggedRecord:
    """Read up to a blank line."""
    record = TaggedRecord(closed=True)
    for line in takewhile(lambda line: line.text, page.lines[start : start + _MAX_LINES]):
        field = None if line.indent else _PUBMED_FIELD.fullmatch(line.text)
        if field:
            record.add(field["tag"], field["value"] or "")
        else:
            record.continue_value(line.text)
        record.count += 1
    return record


def _read_web_of_science(page: NoteDocument, start: int) -> TaggedRecord:
    """Read up to ER, with the lines of the file before the first record and behind the last one."""
    record = TaggedRecord()
    for line in page.lines[start : start + _MAX_LINES]:
        field = None if line.indent else _WOS_FIELD.fullmatch(line.text)
        record.count += 1
        if field and field["tag"] == "ER":
            record.closed = True
            break
        if field:
            record.add(field["tag"], field["value"] or "")
        elif line.text and record.last_tag in _LISTS:
            record.add(record.last_tag, line.text)
        elif line.text and record.last_tag:
            record.continue_value(line.text)
    end = start + record.count
    last = next((index for index in range(end, min(end + 2, len(page.lines))) if page.text(index) == "EF"), end - 1)
    record.count = last + 1 - start
    return record


def _work_of_pubmed(record: TaggedRecord) -> BibliographyWork:
    dois = [match["id"] for value in record.every("LID", "AID") if (match := _ID.fullmatch(value))]
    page = f"https://pubmed.ncbi.nlm.nih.gov/{record.first('PMID')}/"
    year, month, day, *_ = [*record.first("DP").split(), "", "", ""]
    return BibliographyWork(
        title=record.first("TI").rstrip("."),
        item_text=ItemText(
            venue=record.first("JT", "TA"),
            authors=clean_names(to_given_first(name) for name in record.every("FAU") or record.every("AU")),
            published=format_published(year, month, day),
            abstract=record.first("AB"),
        ),
        addresses=tuple(f"doi:{doi}" for doi in dois[:1]) or (page,),
        others=(page,) if dois else (),
        topics=tuple(value.strip("* ") for value in record.every("OT")),
        publication_type=next(filter(None, map(parse_publication_type, record.every("PT"))), ""),
        language=record.first("LA"),
        has_credits=True,
    )


def _work_of_web_of_science(record: TaggedRecord) -> BibliographyWork:
    month, day, *_ = [*record.first("PD").split(), "", ""]
    names = record.every("AF") or record.every("AU")
    return BibliographyWork(
        title=record.first("TI"),
        item_text=ItemText(
            venue=record.first("SO"),
            authors=clean_names(map(to_given_first, names)),
            published=format_published(record.first("PY"), month.partition("-")[0], day),
            abstract=record.first("AB"),
        ),
        addresses=tuple(f"doi:{doi}" for doi in record.every("DI", "D2")[:1]),
        topics=tuple(filter(None, map(str.strip, record.first("DE").split(";")))),
        publication_type=parse_publication_type(record.first("DT").partition(";")[0]),
        has_credits=True,
        error="" if record.closed else NO_END,
    )


SHAPE = Shape("field_tags", 8, read)
