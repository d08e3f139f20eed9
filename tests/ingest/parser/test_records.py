"""One record per paper, whatever the item of a list looks like: title, names, venue, date, authors, links."""

import pytest

from readtrack.ingest import parser
from tests.tables import cases

A = "https://arxiv.org/abs/2305.15778"
ID = ("arxiv:2305.15778",)
TITLE = "A Story of Two Caches"


def only(line):
    (entry,) = parser.parse(line)
    return entry


@cases(
    "line",
    [
        f"- [{TITLE}]({A}) (NeurIPS'17)",
        f"- [NeurIPS'17] [{TITLE}]({A})",
        f"- **NeurIPS'17**: [{TITLE}]({A})",
        f"- NeurIPS 2017, {TITLE}, [arXiv]({A})",
        f"- NeurIPS / {TITLE} [pdf]({A})",
        f"- 17-NeurIPS-{TITLE} [pdf]({A})",
        f"- {TITLE} (NeurIPS'17) [link to paper]({A})",
        f"- {TITLE} [[Paper]({A})] NeurIPS 2017",
        f"- **{TITLE}**. *Ada Lovelace, Charles Babbage*. NeurIPS 2017. [[pdf]({A})] [[code](https://github.com/a/b)]",
        f"- {TITLE}. Ada Lovelace, Charles Babbage. NeurIPS, 2017. [[pdf]({A})]",
        f'- Ada Lovelace and Charles Babbage. "{TITLE}." NeurIPS 2017. [pdf]({A})',
        f"- {TITLE} | NeurIPS 2017 | [pdf]({A})",
        f"- {TITLE} by Ada Lovelace, Charles Babbage, NeurIPS 2017: {A}",
        f"- <[{TITLE}]({A})> by Ada Lovelace and Charles Babbage, NeurIPS 2017.",
        f"- ⭐ [{TITLE}]({A}) — Ada Lovelace et al., NeurIPS 2017",
        f"- [A Story]({A}) of Two Caches | NeurIPS 2017",
        f"- 论文：[{TITLE}]({A})（NeurIPS 2017）｜代码：[cache](https://github.com/a/b)｜解读：[知乎](https://zhuanlan.zhihu.com/p/1)",
    ],
)
def test_title_and_venue_are_distinguished_wherever_they_are(line):
    found = only(line)
    assert (found.identifiers, found.title, found.venue) == (ID, TITLE, "NeurIPS")


@cases(
    ("line", "title"),
    [
        (f"- [Story]({A}): The Tale of Two Caches", "Story: The Tale of Two Caches"),
        (f"- [Story:]({A}) the tale of two caches", "Story: the tale of two caches"),
        (f"- **Story**: The Tale of Two Caches, [arXiv]({A})", "Story: The Tale of Two Caches"),
        (f"- [[{TITLE}]({A})]", TITLE),
        (f"- [[2305.15778] {TITLE}]({A})", TITLE),
        (f"- ({TITLE})[{A}]", TITLE),
        (f"- [3] 🔥 {TITLE} [[paper]]({A})", TITLE),
        (f"- Raft: [paper]({A}), [website](https://example.org)", "Raft"),
        (f"- 2305.15778 {TITLE}", TITLE),
        (f"- {A} - {TITLE}", TITLE),
        (f"- 《{TITLE}》：{A}，很经典", TITLE),
        (f"- [![arXiv](https://img.shields.io/badge/arXiv-x.svg)]({A}) {TITLE}", TITLE),
        (f"- {TITLE}, Leslie Lamport (2001): {A}", TITLE),
        (f"- Ada Lovelace, Charles Babbage, {TITLE}, arXiv 2023 [[Paper]]({A})", TITLE),
        (f"- Does a Cache Need a Wire? The Case for Wires [pdf]({A})", "Does a Cache Need a Wire? The Case for Wires"),
        (f"- [{A}]({A})", ""),
        (f"- [paper]({A})", ""),
        (f"- see the [paper]({A})", ""),
        (f"- [こちら]({A})の話", ""),
    ],
)
def test_a_title_is_never_a_generic_word_a_person_or_a_symbol(line, title):
    found = only(line)
    assert (found.identifiers, found.title) == (ID, title)


def test_the_first_phrase_of_a_very_long_line_is_the_title():
    found = only(f"- {TITLE}. {'It says a lot about wires. ' * 60}[pdf]({A})")
    assert (found.title, len(found.text) > 1000) == (TITLE, True)


@cases(
    ("line", "names"),
    [
        (
            f"- {TITLE} [[arXiv]({A})] [[USENIX](https://www.usenix.org/conference/nsdi24/presentation/hu)]",
            (*ID, "usenix:nsdi24/hu"),
        ),
        (f"- {TITLE} [[arXiv]({A})] [[pdf](https://example.org/story.pdf)]", (*ID, "url:example.org/story.pdf")),
        (f"- {TITLE} [pdf](papers/a%20story.pdf) [note](notes/story.md)", ("file:papers/a story.pdf",)),
        (f"- {TITLE} [[pdf]()]", ()),
        (f"- {TITLE} (arXiv 2021) [Source Code](https://github.com/a/b)", ()),
        (f"- [{TITLE}](https://example.org/project) [[arXiv]({A})]", ID),
    ],
)
def test_identifiers_belong_to_the_paper_itself_and_other_links_do_not(line, names):
    found = only(line)
    assert (found.kind, found.paper_kind, found.identifiers, found.title) == ("paper", "paper", names, TITLE)


def test_a_page_linked_as_the_work_is_its_identifier():
    found = only(f"- {TITLE} — ACM Queue 2016 [link](https://queue.acm.org/detail.cfm?id=2898444)")
    assert (found.title, found.identifiers) == (TITLE, ("url:queue.acm.org/detail.cfm?id=2898444",))


def test_code_video_slides_and_talks_about_a_paper_are_its_links():
    found = only(
        f"- [{TITLE}]({A}) ([Code](https://github.com/a/b), [Slides](https://example.org/s.pptx), [Video](https://youtu.be/C6tLw-rPQ2o),"
        " [Tweet](https://twitter.com/a/status/1?s=20), [Project](https://example.org/p))"
    )
    assert [link.role for link in found.links] == ["landing", "code", "slides", "video", "commentary", "landing"]
    assert found.identifiers == ID


def test_badges_are_not_links():
    found = only(
        f"- [{TITLE}]({A}) [![Star](https://img.shields.io/github/stars/a/b.svg)](https://github.com/a/b)"
        " ![](https://img.shields.io/badge/new-red)"
    )
    assert ([link.url for link in found.links], found.text) == ([A, "https://github.com/a/b"], "")


def test_two_papers_on_one_line_are_two_records():
    first, second = parser.parse(f"- [{TITLE}]({A}), [Another Tale of Wires](https://arxiv.org/abs/2305.15779)")
    assert (first.title, second.title, second.part) == (TITLE, "Another Tale of Wires", 2)


def test_a_second_identifier_from_one_site_is_another_paper():
    assert [
        each.identifiers for each in parser.parse(f"- {TITLE} [[pdf]({A})] [[pdf](https://arxiv.org/abs/2305.15779)]")
    ] == [
        ID,
        ("arxiv:2305.15779",),
    ]


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("- [Slurm](https://github.com/SchedMD/slurm): runs jobs", "code"),
        ("- [浅谈缓存](https://zhuanlan.zhihu.com/p/350707888)", "article"),
        ("- [A talk on caches](https://www.youtube.com/watch?v=C6tLw-rPQ2o)", "video"),
    ],
)
def test_a_standalone_item_keeps_its_own_kind(line, kind):
    assert only(line).paper_kind == kind


@cases(
    ("line", "published", "year"),
    [
        (f"- [2023/07] {TITLE} [[paper]({A})]", "2023-07", 2023),
        (f"- arXiv 2023.10, {TITLE}, [arXiv]({A})", "2023-10", 2023),
        (f"- {TITLE} [[paper]({A})] `2017`", "2017", 2017),
        (f"- [{TITLE}]({A}), Ada Lovelace and Charles Babbage, 2019.", "2019", 2019),
        (f"- [{TITLE}]({A})", "", None),
    ],
)
def test_a_date_is_the_one_the_note_gives(line, published, year):
    found = only(line)
    assert (found.title, found.published, found.year) == (TITLE, published, year)


@cases(
    ("line", "authors"),
    [
        (f"- **{TITLE}.** *Ada Lovelace (Analytical) et al. arXiv.* [[paper]({A})]", ("Ada Lovelace",)),
        (f"- J. Dean and S. Ghemawat. {TITLE}. OSDI 2004. {A}", ("J. Dean", "S. Ghemawat")),
        (f"- Dean, J., Ghemawat, S. (2004). {TITLE}. OSDI. {A}", ("J. Dean", "S. Ghemawat")),
        (f"- [{TITLE}]({A}) - van Renesse, R., Altinbuken, D.", ("R. van Renesse", "D. Altinbuken")),
        (f"- {TITLE} 张三, 李四 [下载]({A})", ()),
        (f"- Fast, Simple and Cheap Caches [pdf]({A})", ()),
    ],
)
def test_authors_are_kept_where_they_are_clear(line, authors):
    assert only(line).authors == authors


def test_status_and_stars_next_to_the_title_are_proposals():
    found = only(f"- [x] ⭐⭐ {TITLE} [[paper]({A})]")
    assert (found.title, found.status, found.rating) == (TITLE, "read", "⭐⭐")


@cases(
    "record",
    [
        "@article{a, title={A Story of Two Caches}, author={Ada Lovelace}, year={2020}, url={http://wiki.corp.internal/a}}",
        "@misc{a, title={A Story of Two Caches}, author={Ada Lovelace}, year={2020}, howpublished={\\url{http://10.0.0.4}}}",
        "TY  - JOUR\nTI  - A Story of Two Caches\nAU  - Lovelace, Ada\nPY  - 2020\nUR  - http://localhost/a\nER  - ",
        "%0 Journal Article\n%T A Story of Two Caches\n%A Ada Lovelace\n%D 2020\n%U http://intranet/a.pdf",
        (
            '[{"title": "A Story of Two Caches", "author": [{"literal": "Ada Lovelace"}], "issued": {"raw": "2020"}, '
            '"URL": "http://192.168.0.1/a"}]'
        ),
        "title,authors,year,url\nA Story of Two Caches,Ada Lovelace,2020,http://files.corp.example.org/a",
    ],
)
def test_a_record_with_a_link_into_a_network_is_kept_without_the_link(record):
    found = parser.parse(record)[-1]
    assert (found.kind, found.title, found.authors, found.year) == ("paper", TITLE, ("Ada Lovelace",), 2020)
    assert (found.decision, found.links, found.identifiers) == ("add", (), ())
    assert "left out" in found.reason


def test_a_record_with_a_doi_too_keeps_the_doi():
    found = only("@article{a, title={A Story of Two Caches}, doi={10.1145/3.5}, url={http://wiki.corp.internal/a}}")
    assert (found.identifiers, [link.url for link in found.links]) == (("doi:10.1145/3.5",), [])


def test_a_bookmark_of_an_internal_page_is_no_paper():
    found = parser.parse("title,url,tags\nVPN login,http://vpn.corp.internal/login,work")[-1]
    assert (found.kind, found.decision) == ("junk", "skip")


@cases(
    "text",
    ['[{"title": "%s", "year": 2020, "venue": "arXiv:2305.15778"}]', "title,year,venue\n%s,2020,arXiv:2305.15778"],
)
def test_an_identifier_in_the_place_of_the_venue_is_that_of_the_paper(text):
    found = next(entry for entry in parser.parse(text % TITLE) if entry.kind == "paper")
    assert (found.title, found.identifiers, found.venue, found.year) == (TITLE, ID, "", 2020)


@cases(
    ("reference", "venue"),
    [
        (
            f"Lovelace, A., & Babbage, C. (2018). [{TITLE}.]({A}) The Analytical Review, 71(2), 617–638.",
            "The Analytical Review",
        ),
        (f"Lovelace, A. (2018). [{TITLE}]({A}). *Journal of Engines*, 83(1), 67-100.", "Journal of Engines"),
        (f"Lovelace, A. (2018). [{TITLE}.]({A}) Job Market Paper.", ""),
    ],
)
def test_a_linked_title_behind_authors_and_a_year_is_a_reference(reference, venue):
    found = only(reference)
    assert (found.title, found.venue, found.year) == (TITLE, venue, 2018)
    assert found.authors[0] == "A. Lovelace"


@cases(
    ("heading", "title"),
    [
        ("## A. Lovelace et al., *Cachet*, ICML, 2020.", "Cachet"),
        (f"## A. Lovelace et al., {TITLE}, ICML 2020", TITLE),
        (f"<details><summary>A. Lovelace & C. Babbage, *{TITLE}*, ICML, 2020.</summary>", TITLE),
    ],
)
def test_a_heading_that_is_a_reference_is_a_paper(heading, title):
    found = next(
        entry for entry in parser.parse(f"# Notes\n\n{heading}\n\nIt is about engines.") if entry.kind == "paper"
    )
    assert (found.title, found.venue, found.year) == (title, "ICML", 2020)


def test_a_journal_with_its_volume_in_running_text_is_no_title():
    text = f'Lovelace, Ada. 2019. ["{TITLE}."]({A}) American Economic Review, 109 (1): 121-52.'
    assert [entry.title for entry in parser.parse(text)] == [TITLE]


def test_fields_with_a_title_and_a_status_are_a_paper_without_an_address():
    first = "Title: Attention Is All You Need\nStatus: Done\nRating: 5\nTags: nlp, training\n\n"
    text = f"{first}Title: Raft\nStatus: To read\n"
    found = [(each.title, each.status, each.rating, each.topics) for each in parser.parse(text) if each.kind == "paper"]
    assert found == [("Attention Is All You Need", "read", "5", ("nlp", "training")), ("Raft", "to_read", "", ())]


def test_a_tree_of_files_lists_papers_by_folder():
    text = (
        "papers/\n├── nlp/\n│   ├── Attention Is All You Need.pdf\n│   └── BERT Pre-training of Transformers.pdf\n"
        "└── systems/\n    └── Spanner Google's Globally-Distributed Database.pdf\n"
    )
    found = [(each.title, each.topics) for each in parser.parse(text) if each.kind == "paper"]
    assert found == [
        ("Attention Is All You Need", ("nlp",)),
        ("BERT Pre-training of Transformers", ("nlp",)),
        ("Spanner Google's Globally-Distributed Database", ("systems",)),
    ]


def test_names_of_files_as_zotero_gives_them_have_authors_and_year():
    text = (
        "Vaswani et al. - 2017 - Attention Is All You Need.pdf\n"
        "Ongaro and Ousterhout - 2014 - In Search of Consensus.pdf\n"
    )
    found = [(each.title, each.authors, each.published) for each in parser.parse(text) if each.kind == "paper"]
    assert found == [
        ("Attention Is All You Need", ("Vaswani",), "2017"),
        ("In Search of Consensus", ("Ongaro", "Ousterhout"), "2014"),
    ]
