"""Venue and year that stand beside a title in no form of their own, or in the address of the paper."""

from readtrack.ingest import parser
from tests.tables import cases

TITLE = "Caches for the Analytical Engine"
LINK = f"[{TITLE}](https://arxiv.org/abs/1807.00001)"


def venue_of(text):
    found = next(each for each in parser.parse(text) if each.title == TITLE)
    return found.venue, found.year


@cases(
    ("line", "venue", "year"),
    [
        (f"- {LINK}（Lovelace et al., 2021, EMNLP, **CachesBERT**）", "EMNLP", 2021),
        (f"- {LINK} :star: published in `Nature Communications` by the group of Ada", "Nature Communications", None),
        (f"- {LINK} (第56回機械学会講演論文集, 2018年)", "第56回機械学会講演論文集", 2018),
        (f"- **{TITLE}** Dec 26 2017\n  * keywords : caches, engines", "", 2017),
    ],
)
def test_a_part_between_separators_that_is_a_venue_or_year_as_a_whole_counts(line, venue, year):
    assert venue_of(f"# Papers\n\n{line}\n") == (venue, year)


@cases(
    "line",
    [
        f"- {LINK} compares the results of NeurIPS 2019 with older ones of the field.",  # words of a sentence
        f"- {LINK} (1,998 citations, pp. 1998-2005)",
        f"- {LINK} · 2019 and before · (vol. 2013)",
        f"- {LINK} — Machine Learning",  # a subject, too
        f"- {LINK} (Cognition) very good",
        f"| Title | Area |\n|---|---|\n| {LINK} | Neural Networks |\n| Another Title of a Paper | Security |",
    ],
)
def test_other_numbers_and_words_are_no_venue_and_no_year(line):
    assert venue_of(f"# Papers\n\n{line}\n") == ("", None)


@cases(
    ("address", "venue", "year"),
    [
        ("https://www.usenix.org/conference/osdi20/presentation/ada", "OSDI", 2020),
        ("https://aclanthology.org/2022.emnlp-main.1/", "EMNLP", 2022),
        ("https://aclanthology.org/P18-1001.pdf", "ACL", 2018),
        ("https://openaccess.thecvf.com/content_CVPR_2019/papers/Ada_Caches_CVPR_2019_paper.pdf", "CVPR", 2019),
        (f"https://proceedings.neurips.cc/paper/2020/hash/{'1457' * 8}-Abstract.html", "NeurIPS", 2020),
        ("https://proceedings.mlr.press/v119/ada20j.html", "ICML", 2020),
        ("https://proceedings.mlr.press/v1/ada20j.html", "", None),
        ("https://doi.org/10.1109/CVPR.2016.90", "CVPR", 2016),
        ("https://doi.org/10.1109/TPAMI.2016.90", "TPAMI", None),
        ("https://arxiv.org/abs/1807.00001", "", None),
    ],
)  # fmt: skip
def test_the_address_of_proceedings_tells_venue_and_year(address, venue, year):
    assert venue_of(f"- [{TITLE}]({address})\n") == (venue, year)


def test_the_place_of_most_known_venues_tells_the_unknown_ones():
    names = ["OSDI 2020", "SOSP 2021", "NSDI 2019", "EuroSys 2018"]
    known = "".join(f"- [Caches of Engine {name}](https://example.org/{name[:4]}.pdf) {{{name}}}\n" for name in names)
    assert venue_of(f"# Papers\n\n{known}- {LINK} {{Engines Quarterly}}\n") == ("Engines Quarterly", None)


def test_italics_behind_a_reference_name_its_venue():
    authors = "Lovelace, Babbage, Turing & Jacquard (2020)"
    rows = "".join(
        f"| [ ] | {authors}. {title}. *Trends Mech Sci* | code |\n"
        for title in ("Linking Wheels and Stores in Large Engines", TITLE, "Predicting the Wear of Cards and Wheels")
    )
    assert venue_of(f"# Papers\n\n| Read | Paper | Code |\n| --- | --- | --- |\n{rows}") == ("Trends Mech Sci", 2020)


@cases(
    ("remark", "venue", "year"),
    [
        (f"Ma J, Song Y. {TITLE}[J]. Frontiers of milling, 2020, 14(4): 450-469.", "Frontiers of milling", 2020),
        (f"Ma J, Song Y. {TITLE}[C]//Conference on Mills. Springer, Cham, 2021: 356-366.", "Conference on Mills", 2021),
        ("Ma J, Song Y. Another work[J]. Frontiers of milling, 2020, 14(4): 450-469.", "", None),
    ],
)
def test_a_reference_to_the_paper_in_the_remarks_below_tells_its_venue(remark, venue, year):
    assert venue_of(f"> + {LINK}\n>   - 引用：{remark}\n") == (venue, year)


def test_a_title_that_says_the_papers_were_read_holds_for_all():
    (found,) = (
        each
        for each in parser.parse(f"# 読んだ論文まとめ（随時更新）\n\n## 距離学習\n\n1. {LINK}\n")
        if each.identifiers
    )
    assert found.status == "read"


@cases(
    ("key", "venue", "year"),
    [("ecoop2002", "ECOOP", 2002), ("DBLP:conf/icse/2019", "ICSE", 2019), ("volume7", "", None)],
)
def test_the_key_of_its_volume_tells_the_venue_of_a_bibtex_entry(key, venue, year):
    assert venue_of(f"@inproceedings{{ada, title={{{TITLE}}}, author={{Ada Lovelace}}, crossref={{{key}}}}}") == (
        venue,
        year,
    )


def test_remarks_in_the_place_of_venues_are_none():
    known = "".join(
        f"- [Title {number} of a Paper](https://arxiv.org/abs/1807.1000{number}) — ICML 201{number}\n"
        for number in range(5)
    )
    for remark in ("Really dull", "Ask Bob about it", "Weak baseline"):
        assert venue_of(f"# Papers\n\n{known}- {LINK} — {remark}\n") == ("", None)
    assert venue_of(f"# Papers\n\n{known}- {LINK} — REStat\n") == ("REStat", None)
