"""References of other subjects than computing: their journals, books, theses and people alone, in the usual styles."""

import pytest
from structlog.testing import capture_logs

from readtrack.ingest import parser
from tests.tables import cases

BAT = ("What is it like to be a bat?", ("Nagel",), "The Philosophical Review", 1974)
END = ("The End of the Transition Paradigm", ("Carothers",), "Journal of Democracy", 2002)
HEAT = (
    "Temperature thresholds of respiration at a global scale",
    ("Johnston", "Meade", "Venditti"),
    "Nature Ecology & Evolution",
    2021,
)
PEAT = ("A strong scenario for northern peatlands", ("Qiu",), "One Earth", 2022)
BOOK = ("The Structure of Scientific Revolutions", ("Kuhn",), "", 1962)
SLOW = ("Thinking, Fast and Slow", ("Kahneman",), "", 2011)
THESIS = ("Essays on the political economy of trade", ("Silva",), "", 2015)
DOI = "https://doi.org/10.1353/jod.2002.0003"


def read(line):
    (found,) = (entry for entry in parser.parse(f"# References\n\n{line}\n") if entry.kind in {"paper", "lead"})
    return found


@cases(
    ("line", "work"),
    [
        # APA
        (
            "- Nagel, T. (1974). What is it like to be a bat? *The Philosophical Review*, *83*(4), 435–450.",
            BAT,
        ),
        (
            "- Silva Pérez, M. J. (2015). *Essays on the political economy of trade* [Doctoral dissertation, MIT].",
            THESIS,
        ),
        # Vancouver
        ("- Nagel T. What is it like to be a bat? The Philosophical Review. 1974;83(4):435-450.", BAT),
        # Springer
        (
            f"- Johnston ASA, Meade A, Venditti C (2021) {HEAT[0]}. Nature Ecology & Evolution 5:487-494",
            HEAT,
        ),
        ("- Carothers T (2002) The End of the Transition Paradigm. Journal of Democracy 13:5-21", END),
        # ACM
        ("- Thomas S. Kuhn. 1962. *The Structure of Scientific Revolutions*. University of Chicago Press.", BOOK),
        (
            "- Thomas Nagel. 1974. What is it like to be a bat? *The Philosophical Review* 83, 4 (1974), 435-450.",
            BAT,
        ),
        # Nature
        ("- Carothers, T. The End of the Transition Paradigm. *Journal of Democracy* **13**, 5-21 (2002).", END),
        ("- Kahneman, D. Thinking, Fast and Slow (Farrar, Straus and Giroux, 2011).", SLOW),
        # IEEE, without italics
        ("- D. Kahneman, Thinking, Fast and Slow. New York: Farrar, Straus and Giroux, 2011.", SLOW),
        # BibTeX's plain
        ("- Thomas Carothers. The End of the Transition Paradigm. *Journal of Democracy*, 13(1):5-21, 2002.", END),
        ("- Thomas Nagel. What is it like to be a bat? *The Philosophical Review*, 83(4):435-450, 1974.", BAT),
        # Harvard
        ("- Nagel, T. (1974) ‘What is it like to be a bat?’, *The Philosophical Review*, 83(4), pp. 435-450.", BAT),
    ],
)
def test_a_reference_in_any_style_gives_title_people_journal_and_year(line, work):
    found = read(line)
    title, authors, venue, year = work
    assert (found.title, found.year) == (title, year)
    assert len(found.authors) == len(authors)
    assert all(surname in name for surname, name in zip(authors, found.authors, strict=True))
    assert venue in found.venue


@cases(
    ("line", "venue", "year"),
    [
        (f"- The End of the Transition Paradigm - Journal of Democracy 2002 - {DOI}", "Journal of Democracy", 2002),
        (f"- The End of the Transition Paradigm | Journal of Democracy 2002 | {DOI}", "Journal of Democracy", 2002),
        (f"- Journal of Democracy 2002: The End of the Transition Paradigm {DOI}", "Journal of Democracy", 2002),
        (f"- [The End of the Transition Paradigm]({DOI}), One Earth, 2022", "One Earth", 2022),
        (f"- [The End of the Transition Paradigm]({DOI}) (Global Change Biology 2022)", "Global Change Biology", 2022),
        (
            f"- The End of the Transition Paradigm. Annual Review of Political Science 2012. {DOI}",
            "Annual Review of Political Science",
            2012,
        ),
    ],
)
def test_a_journal_beside_a_title_is_its_venue(line, venue, year):
    found = read(line)
    assert (found.title, found.venue, found.year) == ("The End of the Transition Paradigm", venue, year)


@cases(
    ("line", "work"),
    [
        (f"- Qiu et al. (2022) A strong scenario for northern peatlands. [One Earth]({DOI})", PEAT),
        (
            f'- Qiu et al. (2022) {PEAT[0]}. <a href="{DOI}" style="color:#16a085">Journal of Peat and Things.</a>',
            (*PEAT[:2], "Journal of Peat and Things", 2022),
        ),
        (f"- A strong scenario for northern peatlands (Qiu et al. 2022, [One Earth]({DOI}))", PEAT),
    ],
)
def test_the_journal_may_be_the_text_of_the_link(line, work):
    found = read(line)
    assert (found.title, found.authors, found.venue, found.year or int(found.published[:4])) == work


def test_a_number_before_a_reference_of_one_author_is_no_part_of_it():
    found = read("[97] S. Kuhn. controlling fusion in haskell. Communications of the ACM, 2006.")
    assert (found.title, found.authors, found.venue) == (
        "controlling fusion in haskell",
        ("S. Kuhn",),
        "Communications of the ACM",
    )


def test_an_author_behind_a_comma_and_by_is_no_part_of_the_title():
    found = read(f"- The End of the Transition Paradigm, by Thomas Carothers. Journal of Democracy 2002. {DOI}")
    assert (found.title, found.authors) == ("The End of the Transition Paradigm", ("Thomas Carothers",))


@cases(
    "titles",
    [
        [
            "Temperature thresholds of ecosystem respiration at a global scale",
            "Multidimensional tropical forest recovery",
            "Formal models of international institutions",
        ],
        [
            "乡村振兴背景下农村公共服务供给的困境与对策",
            "新冠肺炎疫情对城市居民出行行为的影响",
            "基于遥感影像的变化检测",
        ],
        ["地域における信頼形成の過程", "前庭性片頭痛の診断と治療", "日本語アクセントの知覚における文脈の効果"],
    ],
)
@pytest.mark.parametrize("before", ["- ", "1. ", "- [ ] ", "- [P1] ", "- 3/4: ", ""])
def test_a_list_of_plain_titles_is_one_of_papers(titles, before):
    found = parser.parse("# Papers\n\n" + "".join(f"{before}{title}\n" for title in titles))
    assert [entry.title for entry in found if entry.kind in {"paper", "lead"}] == titles


@cases(
    "line",
    [
        "Smith & Jones 2019: {title}",
        "Smith et al., 2019 - {title}",
        "{title} - Smith & Jones 2019",
    ],
)
def test_names_and_a_bare_year_beside_a_title_cite_it(line):
    found = read(f"- {line.format(title=END[0])}")
    assert (found.title, found.authors[0], found.year or int(found.published[:4])) == (END[0], "Smith", 2019)


@pytest.mark.parametrize("line", ["AUTOMATIC CHAIN OF THOUGHT PROMPTING", ">", "> > >"])
def test_a_line_of_capitals_or_signs_alone_is_read_without_a_fault(line):
    with capture_logs() as faults:
        found = parser.parse(f"# Notes\n\n{line}\n\nMore.\n")
    assert (faults, len(found)) == ([], 5)


@cases(
    ("line", "title"),
    [
        ("- 9/11: The Road to War and Its Discontents", "9/11: The Road to War and Its Discontents"),
        (
            "- [24/7: Late Capitalism and Sleep](https://example.org/b.pdf)",
            "24/7: Late Capitalism and Sleep",
        ),
        ("- Recent progress in Radiology 2019 https://example.org/a.pdf", "Recent progress in Radiology 2019"),
        ("- Brexit and Trump 2016: What Happened There", "Brexit and Trump 2016: What Happened There"),
        ("- Language 2024 - French Vocabulary Lists", "Language 2024 - French Vocabulary Lists"),
    ],
)
def test_figures_subjects_and_names_in_a_title_stay_in_it(line, title):
    (found,) = (entry for entry in parser.parse(f"{line}\n") if entry.kind in {"paper", "lead"})
    assert (found.title, found.authors, found.venue) == (title, (), "")


@cases(
    "line",
    [
        "- Paris and London 2024: trip plans for summer",
        "- Things to see in Japan - Tokyo and Kyoto 2019",
        "- Steps to follow in Cancer Research 2024",
        "- Mental Health, Sleep, 2024",
        "- Harvard Studies 2019 - Lunch with Prof Lee",
        "- Vitamin D. The deficiency and its treatment (2019)",
    ],
)
def test_a_remark_has_no_authors_and_no_venue(line):
    assert not any(entry.authors or entry.venue for entry in parser.parse(f"{line}\n"))
