"""Each publication type is exported as the type that a format has for it, with its venue in the right field."""

import json
import re

from readtrack.infra.text.titles.vocabulary import words_of
from readtrack.workspace.export.formats import ExportPaper, all_exports
from readtrack.workspace.export.journals import is_journal
from tests.tables import cases


def paper(publication_type="", venue="Somewhere", **fields):
    return ExportPaper(
        id=1, kind="paper", title="Tea", year=2020, venue=venue, publication_type=publication_type, **fields
    )


def exported(name, *papers):
    return all_exports()[name].render_document(papers)


@cases(
    ("publication_type", "bibtex", "bibtex_field", "ris", "ris_tag", "csl", "csl_field"),
    [
        ("journal_article", "article", "journal", "JOUR", "T2", "article-journal", "container-title"),
        ("conference_paper", "inproceedings", "booktitle", "CONF", "T2", "paper-conference", "container-title"),
        ("book", "book", "publisher", "BOOK", "PB", "book", "publisher"),
        ("chapter", "incollection", "booktitle", "CHAP", "T2", "chapter", "container-title"),
        ("thesis", "phdthesis", "school", "THES", "PB", "thesis", "publisher"),
        ("masters_thesis", "mastersthesis", "school", "THES", "PB", "thesis", "publisher"),
        ("report", "techreport", "institution", "RPRT", "PB", "report", "publisher"),
    ],
)
def test_types_and_fields_are_those_of_the_format(publication_type, bibtex, bibtex_field, ris, ris_tag, csl, csl_field):
    entry = exported("bibtex", paper(publication_type))
    assert entry.startswith(f"@{bibtex}{{")
    assert re.findall(r"(\w+) = \{Somewhere\}", entry) == [bibtex_field]
    record = exported("ris", paper(publication_type))
    assert f"TY  - {ris}\r\n" in record
    assert re.findall(r"(\w\w)  - Somewhere", record) == [ris_tag]
    [item] = json.loads(exported("csl-json", paper(publication_type)))
    assert item["type"] == csl
    assert [name for name, value in item.items() if value == "Somewhere"] == [csl_field]


def test_a_masters_thesis_is_told_from_others_where_a_format_has_one_type():
    assert "M3  - Master's thesis\r\n" in exported("ris", paper("masters_thesis"))
    assert json.loads(exported("csl-json", paper("masters_thesis")))[0]["genre"] == "Master's thesis"


@cases(
    ("fields", "cited_as"),
    [
        ({"publication_type": "journal_article", "venue": "CoRR"}, ""),
        ({"publication_type": "journal_article", "venue": "", "identifiers": (("arxiv", "2401.00134"),)}, ""),
        ({"publication_type": "journal_article", "venue": ""}, "journal_article"),
        ({"publication_type": "book", "venue": "", "identifiers": (("arxiv", "2401.00134"),)}, "book"),
        ({"venue": "OSDI 2023"}, "conference_paper"),
        ({"venue": "eLife"}, "journal_article"),
        ({"venue": ""}, ""),
    ],
)
def test_a_preprint_has_no_type_and_an_unknown_one_is_guessed_by_the_venue(fields, cited_as):
    assert paper(**fields).cited_as == cited_as


@cases(
    "venue",
    words_of("""
eLife | Neural Computation | Artificial Intelligence | Econometrica | PLOS ONE | Bioinformatics | Cell | PVLDB
Operations Research | IEEE Micro | Nature 521 | Machine Learning, vol. 3 | Proceedings of the IEEE
Proceedings of the ACM on Programming Languages | Physical Review Letters | Annals of Statistics (2019)
软件学报 | 计算机学报, 2019 | 計算機學報 第3期 | 情報処理学会論文誌 | 情報処理学会論文誌2020
人工知能学会誌 | 中文信息杂志 | 数学雑誌
ACM SIGACT News | SIGACT News 32(4) | SIGOPS OSR | ACM SIGOPS Operating Systems Review | IEEE Data Engineering Bulletin
ACM SIGMOD Newsletter | Optics Letters | Communications Magazine
"""),
)
def test_known_journals_are_journals(venue):
    assert is_journal(venue)


@cases(
    "venue",
    words_of("""
OSDI 2023 | NeurIPS | IEEE International Conference on Communications | Neural Information Processing Systems
Workshop on Machine Learning | International Conference on Machine Learning | IEEE INFOCOM | AAAI
"""),
)
def test_conferences_are_no_journals(venue):
    assert not is_journal(venue)
