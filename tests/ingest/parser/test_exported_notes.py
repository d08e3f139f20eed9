"""Notes as converters, course pages and journal clubs write them."""

import pytest

from readtrack.ingest import parser

LINK = "https://arxiv.org/abs/2211.10438"
TITLE = "A Story of Engines and Looms"


def papers(text):
    return [each for each in parser.parse(text) if each.kind == "paper"]


@pytest.mark.parametrize("bullet", [r"\*", r"\-", r"1\.", "1."])
def test_an_escaped_bullet_is_one(bullet):
    text = f"{bullet} Silva, A., Abe, B. (2016). {TITLE}. _Risk Analysis_ 36 (2): 320-338. [link]({LINK})\n"
    (entry,) = papers(text)
    assert (entry.title, entry.venue, entry.year) == (TITLE, "Risk Analysis", 2016)


def test_lines_set_in_by_entities_for_spaces_are_read_as_others():
    indent = "&emsp;&nbsp;&emsp;"
    text = f"{indent}Week 1<br/>\n{indent}Speaker A.<br/>\n{indent}Title: {TITLE}<br/>\n{indent}Paper：{LINK}<br/>\n"
    (entry,) = papers(text)
    assert (entry.title, entry.identifiers) == (TITLE, ("arxiv:2211.10438",))


@pytest.mark.parametrize(
    ("reference", "venue", "year", "authors"),
    [
        ("Nakashima, A. et al. 2019. Science 365, eaaw5030.", "Science", 2019, ("A. Nakashima",)),
        ("\n  Zhang Y, Wang Z, et al. Molecular Cell. 2019, 73(6): 1127-1137.", "Molecular Cell", 2019, None),
        ("Cell 172,262-274", "Cell", None, ()),
        ("Nature, 2020, 580(7804):1-6.", "Nature", 2020, ()),
    ],
)
def test_a_field_for_the_title_may_hold_a_whole_reference(reference, venue, year, authors):
    text = f"## 2020-02-13, 3:00pm\n* Speaker: Rui Li\n* Title: {TITLE}. {reference}\n"
    (entry,) = papers(text)
    assert (entry.title, entry.venue, entry.year) == (TITLE, venue, year)
    assert authors is None or entry.authors == authors


def test_headings_underlined_as_in_restructuredtext_are_nested_by_their_first_use():
    reference = "Amoroso, E. G. (1999). Fundamentals of computer security technology. Diane Pub Co."
    text = (
        "Looms\n=====\n\nEngines\n-------\n\n.. _old ones:\n\nOld engines\n~~~~~~~~~~~\n\n"
        f".. [#] {reference}\n\n.. [#] {TITLE} Ada Lovelace - https://example.org/engines.pdf\n\nCards\n-----\n\n"
        f".. [#] {reference.replace('computer', 'card')}\n"
    )
    assert [(each.topics, each.title[:24]) for each in papers(text)] == [
        (("Engines", "Old engines"), "Fundamentals of computer"),
        (("Engines", "Old engines"), "A Story of Engines and L"),
        (("Cards",), "Fundamentals of card sec"),
    ]
    assert not any("_old ones" in each.title for each in parser.parse(text))


def test_a_code_block_below_a_blank_line_is_no_underline():
    text = f"Looms\n=====\n\n~~~\nEngines\n~~~\n\n- [{TITLE}]({LINK})\n"
    assert [(each.topics, each.title) for each in papers(text)] == [(("Looms",), TITLE)]


def test_the_title_of_the_publication_is_the_paper_where_no_column_is_the_title():
    row = '"{}","2024","DIS","Dove, Graham; Nov, Oded","https://doi.org/10.1145/3643834.366149{}"\n'
    table = '"Publication Title","Year","Venue","Author Names","DOI"\n' + row.format(TITLE, 1) + row.format("Looms", 2)
    assert [(each.title, each.venue) for each in papers(table)] == [(TITLE, "DIS"), ("Looms", "DIS")]
    table = f'"Title","Publication Title","DOI"\n"{TITLE}","Risk Analysis","10.1145/3643834.3661491"\n'
    assert [(each.title, each.venue) for each in papers(table)] == [(TITLE, "Risk Analysis")]


def test_the_name_of_the_site_where_a_paper_is_available_is_no_title():
    text = (
        f"# Papers\n## {TITLE}\n\n* subtitle: A Visual Formalism\n* authors: Ada Lovelace\n* date: July 1986\n"
        "* available @ [citeseerx](http://citeseerx.ist.psu.edu/viewdoc/summary?doi=10.1.1.44.8614)\n"
    )
    (entry,) = papers(text)
    assert (entry.title, entry.authors, entry.year) == (TITLE, ("Ada Lovelace",), 1986)
    assert entry.identifiers == ("url:citeseerx.ist.psu.edu/viewdoc/summary?doi=10.1.1.44.8614",)


@pytest.mark.parametrize(
    ("signature", "authors"),
    [
        ("by K. Thompson", ("K. Thompson",)),
        ("~ Dennis M. Ritchie and Ken Thompson", ("Dennis M. Ritchie", "Ken Thompson")),
        ("by  N. J. AlFardan and K. G. Paterson.", ("N. J. AlFardan", "K. G. Paterson")),
        ("~ McKusick et al.", ("McKusick",)),
        ("~ Very Long", ()),
        ("- K. Thompson", ()),  # may be who presents it
        ("by next Friday", ()),
        ("slides by the authors", ()),
    ],
)
@pytest.mark.parametrize("text", ["- [{}]({}) {}\n", "| Date | Paper |\n|--|--|\n| Apr 1 | [{}]({}) {} |\n"])
def test_a_paper_is_signed_behind_its_link(text, signature, authors):
    (entry,) = papers(text.format(TITLE, LINK, signature))
    assert (entry.title, entry.authors) == (TITLE, authors)


def test_the_status_of_the_first_heading_is_not_that_of_the_others_beside_it():
    chubby = "The Chubby lock service for loosely-coupled systems ~ Mike Burrows"
    text = f"### To read\n- {chubby}\n\n### Looms\n- [{TITLE}]({LINK})\n"
    assert papers(text)[-1].status is None


@pytest.mark.parametrize("line", ["*Privacy: a survey of attacks*", "<p><em>Privacy: a survey of attacks</em></p>"])
def test_a_line_in_italics_above_a_list_of_papers_is_their_heading(line):
    items = f"- [{TITLE}]({LINK})\n- [The Mills and the Weavers]({LINK}1)\n"
    text = f"# Notes\n## Looms\n{line}\n\n{items}"
    assert [each.topics for each in papers(text)] == [("Looms", "Privacy: a survey of attacks")] * 2


@pytest.mark.parametrize("line", [f"*{TITLE}*", "Deep Residual Learning for Image Recognition"])
def test_a_title_above_items_for_its_addresses_is_a_paper(line):
    (entry,) = papers(f"## Looms\n\n{line}\n- [pdf]({LINK})\n- [slides](https://example.org/slides.pdf)\n")
    assert (entry.title, entry.identifiers) == (line.strip("*"), ("arxiv:2211.10438",))


@pytest.mark.parametrize("line", ["Further reading on the topic:", "Graph neural networks", f"- {TITLE}"])
def test_other_lines_above_addresses_are_none(line):
    found = papers(f"## Looms\n\n{line}\n- [pdf]({LINK})\n- [link](https://example.org/cards.pdf)\n")
    assert [each.title for each in found if each.identifiers] == ["", ""]


def test_what_is_crossed_out_below_to_read_is_read():
    text = (
        f"# To read\n- ~~[{TITLE}]({LINK})~~\n- [The Mills and the Weavers]({LINK}1)\n- ~~On Old Cards and Engines~~\n"
    )
    assert [each.status for each in parser.parse(text) if each.title != "To read" and each.kind != "blank"] == [
        "read",
        "to_read",
        "read",
    ]


@pytest.mark.parametrize(
    ("item", "title"),
    [
        (
            "**Diagnosing the Reliance on Looms. CVPR 2022 Oral**. Gupta, Vipul, et al. U Penn. [[PDF]]({})",
            "Diagnosing",
        ),
        ("[A Story of Looms (BlackboxNLP EMNLP 2020)]({})", "A Story"),
    ],
)
def test_a_title_before_a_venue_is_no_part_of_its_name(item, title):
    (entry,) = papers(f"1. {item.format(LINK)}\n")
    assert entry.title.startswith(title)
    assert entry.year


@pytest.mark.parametrize(
    "names",
    [
        "Eck, J., Delavaux, C., **Silva, A.B.**, & Abe, K. 2021",
        r"Eck, J.\*, Delavaux, C.\*\*, *Silva, A.B.* & Abe, K. (2021)",
        "**Silva. A.B.** & Abe, K. 2021",
        "J. Eck, **A. B. Silva***, K. Abe (2021)",
        "__Silva, A.B.__, Abe, K. 2021",
    ],
)
def test_the_names_of_people_in_bold_are_names_as_others(names):
    (entry,) = papers(f"{names}. {TITLE} in the Old World. *Risk Analysis*, 54, 583--589. [doi]({LINK})\n")
    assert (entry.title, entry.venue, entry.year) == (f"{TITLE} in the Old World", "Risk Analysis", 2021)
    assert any("Silva" in name for name in entry.authors)


def test_a_bold_name_alone_is_a_heading():
    text = f"**Lovelace, A.**\n\n- [{TITLE}]({LINK})\n"
    assert "*" not in parser.parse(text)[0].title
    assert parser.parse(text)[0].kind == "topic"


def test_items_numbered_by_restructuredtext_go_on_in_the_next_lines():
    text = (
        f"#. J. Li, S. Sanz, D. Pena,\n   *{TITLE} in the Old World*,\n"
        f"   Physical Review Letters **124**, `177201 (2020) <{LINK}>`_\n\n"
        f"#. T. Silva, K. Abe,\n   *On Old Mills and Cards*,\n   Nano Letters `(2019) <{LINK}1>`_\n"
    )
    assert [(each.title, each.venue, each.year) for each in papers(text)] == [
        (f"{TITLE} in the Old World", "Physical Review Letters", 2020),
        ("On Old Mills and Cards", "Nano Letters", 2019),
    ]


def test_names_with_the_year_may_be_a_line_of_a_reference():
    text = (
        f"Silva SD, Chen B, Fischer MM, Abe D. 2019. \n{TITLE}: the hypothesis. \nNew Phytologist 224: 552-556.\n"
        f"[link]({LINK}).\n\nWagle P, Gowda PH, Abe S. 2019. \n"
        f"Carbon dynamics in old winter wheat and canola fields in the U.S. \n"
        f"Great Plains. Agricultural and Forest Meteorology 279: 107714.\n[link]({LINK}1).\n"
    )
    assert [(each.title[-12:], each.venue) for each in papers(text)] == [
        ("e hypothesis", "New Phytologist"),
        ("Great Plains", "Agricultural and Forest Meteorology"),
    ]


GERMAN = "Engel, Peter/ Grün, Klaus, u.a. (Hgg.): Köln. Eine Stadt 1914–2019, 3 Bde., Köln 2019–2022."
EDITION = "Süß, Harald: Deutsche Schrift. Lesen lernen, Frankfurt am Main <sup>22</sup>2002.<br>"
IN_JOURNAL = "Müller, Anna: Die Weber von Köln, in: Zeitschrift für Webkunde 12 (1990), S. 1–20."


@pytest.mark.parametrize(
    ("reference", "title", "authors", "year"),
    [
        (GERMAN, "Köln. Eine Stadt 1914–2019", 2, 2019),
        (EDITION, "Deutsche Schrift. Lesen lernen", 1, 2002),
        ("Verein für Hessen (Hg.): Stadtlexikon von Köln, Stuttgart 2006.", "Stadtlexikon von Köln", 1, 2006),
        (IN_JOURNAL, "Die Weber von Köln", 1, 1990),
        ("Smith, John: A Brief History of Looms, London: Penguin, 2010.", "A Brief History of Looms", 1, 2010),
    ],
)
def test_a_reference_as_in_german(reference, title, authors, year):
    (entry,) = papers(f"## Literatur\n- {reference}\n")
    assert (entry.title, len(entry.authors), entry.year) == (title, authors, year)


@pytest.mark.parametrize(
    ("item", "status"),
    [
        (f"[ ] ~~[{TITLE}]({LINK})~~", "dropped"),
        (f"~~[ ] {TITLE} [[ICML2018]](<{LINK}>)~~", "dropped"),
        (f"~~[]{TITLE} [[ICML2018]]({LINK})~~", "dropped"),
        (f"[x] ~~{TITLE} [[ICML2018]](<{LINK}>)~~", "read"),
        (f"~~[x] {TITLE} [[ICML2018]]({LINK})~~", "read"),
    ],
)
def test_what_is_crossed_out_beside_an_open_box_is_dropped(item, status):
    (entry,) = papers(f"- {item}\n")
    assert (entry.title, entry.status) == (TITLE, status)


@pytest.mark.parametrize(
    "item", ["~~{}~~（2020，用于检索模块）", "~~{}（2020，用于检索模块）~~", "{}.（2020，用于检索模块）"]
)
def test_a_remark_in_brackets_behind_a_title_begins_with_its_year(item):
    title = "Dense Passage Retrieval for Open-Domain Question Answering"
    (entry,) = papers(f"- [x] {item.format(title)}\n- [x] Attention Is All You Need\n")[:1]
    assert (entry.title, entry.year, entry.status) == (title, 2020, "read")
    assert "用于检索模块" in entry.text


def test_a_list_of_publications_is_no_single_paper_and_its_headings_are_no_topics():
    names = "Silva, A.<sup>&#11089;</sup>, **Abe, K.**<sup><small>1</small></sup>, & Costa, B."
    works = "".join(
        f"{names} (submitted). The {word} of engines and looms in old towns. [[Link](https://example.org/{word}.pdf)]\n\n"
        for word in ("growth", "decline", "return", "story", "cost")
    )
    apa = f"Abe, K. (2025). Cards and mills. *Environmental Letters of Old, 20*, 114010. [[Link]]({LINK})\n"
    found = parser.parse(f"## Submitted / under review\n{works}## Journal articles\n\n{apa}")
    assert [(each.title[:12], len(each.authors)) for each in found if each.kind not in {"blank", "junk"}] == [
        ("The growth o", 3),
        ("The decline ", 3),
        ("The return o", 3),
        ("The story of", 3),
        ("The cost of ", 3),
        ("Cards and mi", 1),
    ]
    assert not any(each.topics for each in found)
