"""What a file says that a work is, a book, a thesis or an article, is kept, and its venue is what fits that."""

import json

from readtrack.ingest import parser
from tests.tables import cases


def read(text):
    [entry] = [entry for entry in parser.parse(text) if entry.kind == "paper"]
    return entry.publication_type, entry.venue


@cases(
    ("kind", "fields", "publication_type", "venue"),
    [
        ("article", "journal={eLife}", "journal_article", "eLife"),
        ("article", "", "journal_article", ""),
        ("article", "journal={CoRR}, volume={abs/1412.6980}", "", "CoRR"),
        ("article", "journal={arXiv preprint arXiv:1412.6980}", "", "arXiv"),
        ("article", "eprint={1412.6980}, archiveprefix={arXiv}", "", ""),
        ("article", "journal={JMLR}, eprint={1412.6980}, archiveprefix={arXiv}", "journal_article", "JMLR"),
        ("inproceedings", "booktitle={OSDI}", "conference_paper", "OSDI"),
        ("conference", "booktitle={OSDI}", "conference_paper", "OSDI"),
        ("book", "publisher={Springer}, series={LNCS}", "book", "Springer"),
        ("proceedings", "publisher={Springer}", "book", "Springer"),
        ("incollection", "booktitle={Handbook of Tea}, publisher={Springer}", "chapter", "Handbook of Tea"),
        ("inbook", "publisher={Springer}, pages={1--9}", "book", "Springer"),
        ("inbook", "booktitle={Handbook of Tea}, publisher={Springer}", "chapter", "Handbook of Tea"),
        ("phdthesis", "school={ETH Zurich}", "thesis", "ETH Zurich"),
        ("mastersthesis", "school={ETH Zurich}", "masters_thesis", "ETH Zurich"),
        ("thesis", "type={phdthesis}, institution={ETH Zurich}", "thesis", "ETH Zurich"),
        ("thesis", "type={mathesis}, institution={ETH Zurich}", "masters_thesis", "ETH Zurich"),
        ("techreport", "institution={Google}, series={TR}", "report", "Google"),
        ("report", "institution={Google}", "report", "Google"),
        ("misc", "publisher={Zenodo}", "", "Zenodo"),
        ("unpublished", "", "", ""),
        ("online", "url={https://example.org/a}", "", ""),
    ],
)
def test_a_bibtex_entry_keeps_its_type(kind, fields, publication_type, venue):
    author = "author={Ada Teapot}, year={2020}"
    assert read(f"@{kind}{{key, title={{Warm Tea in Caches}}, {author}, {fields}}}\n") == (publication_type, venue)


@cases(
    ("kind", "lines", "publication_type", "venue"),
    [
        ("JOUR", ["JO  - eLife"], "journal_article", "eLife"),
        ("MGZN", ["T2  - IEEE Micro"], "journal_article", "IEEE Micro"),
        ("CONF", ["T2  - OSDI"], "conference_paper", "OSDI"),
        ("CPAPER", ["T2  - OSDI"], "conference_paper", "OSDI"),
        ("BOOK", ["T2  - A Series", "PB  - Springer"], "book", "Springer"),
        ("CHAP", ["T2  - Handbook of Tea", "PB  - Springer"], "chapter", "Handbook of Tea"),
        ("THES", ["PB  - ETH Zurich", "M3  - Doctoral dissertation"], "thesis", "ETH Zurich"),
        ("THES", ["PB  - ETH Zurich", "M3  - Master's thesis"], "masters_thesis", "ETH Zurich"),
        ("RPRT", ["PB  - Google"], "report", "Google"),
        ("UNPB", [], "", ""),
        ("GEN", [], "", ""),
    ],
)
def test_a_ris_record_keeps_its_type(kind, lines, publication_type, venue):
    record = [f"TY  - {kind}", "TI  - Warm Tea in Caches", "AU  - Teapot, Ada", "PY  - 2020", *lines, "ER  - ", ""]
    assert read("\n".join(record)) == (publication_type, venue)


@cases(
    ("kind", "lines", "publication_type", "venue"),
    [
        ("Journal Article", ["%J eLife"], "journal_article", "eLife"),
        ("Conference Proceedings", ["%B OSDI"], "conference_paper", "OSDI"),
        ("Book", ["%B A Series", "%I Springer"], "book", "Springer"),
        ("Book Section", ["%B Handbook of Tea", "%I Springer"], "chapter", "Handbook of Tea"),
        ("Thesis", ["%B Physics", "%I ETH Zurich", "%9 Master’s"], "masters_thesis", "ETH Zurich"),
        ("Report", ["%I Google"], "report", "Google"),
    ],
)
def test_an_endnote_record_keeps_its_type(kind, lines, publication_type, venue):
    record = [f"%0 {kind}", "%T Warm Tea in Caches", "%A Teapot, Ada", "%D 2020", *lines, ""]
    assert read("\n".join(record)) == (publication_type, venue)


@cases(
    ("fields", "publication_type", "venue"),
    [
        ({"type": "article-journal", "container-title": "eLife"}, "journal_article", "eLife"),
        ({"type": "article-journal", "container-title": "arXiv"}, "", "arXiv"),
        ({"type": "paper-conference", "container-title": "OSDI"}, "conference_paper", "OSDI"),
        ({"type": "book", "publisher": "Springer"}, "book", "Springer"),
        ({"type": "chapter", "container-title": "Tea", "publisher": "Springer"}, "chapter", "Tea"),
        ({"type": "thesis", "publisher": "ETH Zurich"}, "thesis", "ETH Zurich"),
        ({"type": "thesis", "publisher": "ETH Zurich", "genre": "MSc"}, "masters_thesis", "ETH Zurich"),
        ({"type": "report", "publisher": "Google"}, "report", "Google"),
        ({"type": "article", "publisher": "arXiv"}, "", ""),
    ],
)
def test_a_csl_item_keeps_its_type(fields, publication_type, venue):
    item = {"title": "Warm Tea in Caches", "author": [{"family": "Teapot", "given": "Ada"}], **fields}
    assert read(json.dumps([item])) == (publication_type, venue)


@cases(
    ("item_type", "fields", "publication_type", "venue"),
    [
        ("journalArticle", {"publicationTitle": "eLife"}, "journal_article", "eLife"),
        ("conferencePaper", {"proceedingsTitle": "OSDI"}, "conference_paper", "OSDI"),
        ("book", {"publisher": "Springer"}, "book", "Springer"),
        ("bookSection", {"bookTitle": "Tea", "publisher": "Springer"}, "chapter", "Tea"),
        ("thesis", {"university": "ETH Zurich", "thesisType": "Master's thesis"}, "masters_thesis", "ETH Zurich"),
        ("report", {"institution": "Google"}, "report", "Google"),
        ("preprint", {"repository": "arXiv"}, "", "arXiv"),
    ],
)
def test_an_item_of_zotero_keeps_its_type(item_type, fields, publication_type, venue):
    item = {"itemType": item_type, "title": "Warm Tea in Caches", "date": "2020", **fields}
    library = {"config": {"label": "BetterBibTeX JSON"}, "items": [item]}
    assert read(json.dumps(library, indent=1)) == (publication_type, venue)


def test_a_row_of_a_table_keeps_its_type():
    columns = "Item Type,Title,Author,Publication Title,Publication Year"
    table = f"{columns}\nconferencePaper,Warm Tea in Caches,A. Pot,OSDI,2020\n"
    assert read(table) == ("conference_paper", "OSDI")


def test_a_thesis_without_author_and_year_keeps_its_type_in_csl_json():
    item = {"type": "thesis", "genre": "Master's thesis", "title": "Warm Tea in Caches", "publisher": "ETH Zurich"}
    assert read(json.dumps([item])) == ("masters_thesis", "ETH Zurich")
