"""Links whose text only cites, and the titles beside them."""

import pytest

from readtrack.ingest import parser
from tests.tables import cases

DOI = "https://doi.org/10.1038/343049a0"
PAGE = "https://example.org/a.html"
TITLE = "Sensitivity of the budget of looms to changes in low clouds"


def paper(text):
    (entry,) = [each for each in parser.parse(text) if each.kind == "paper"]
    return entry


@cases(
    ("label", "authors", "venue", "year"),
    [
        ("Slingo 1990 (Nature 343)", ("Slingo",), "Nature", 1990),
        ("Slingo 1990, Nature", ("Slingo",), "Nature", 1990),
        ("Liu & Daum (2002) Nature", ("Liu", "Daum"), "Nature", 2002),
        ("Rosenfeld and Woodley 2000 (Journal of Looms 405)", ("Rosenfeld", "Woodley"), "Journal of Looms", 2000),
        ("Aitken et al. 1880 (Nature 23)", ("Aitken",), "Nature", 1880),
        ("Topping et al. 2013 (Nature Geoscience 6)", ("Topping",), "Nature Geoscience", 2013),
    ],
)
@pytest.mark.parametrize(
    "behind", [f': "_{TITLE}_"', f' "{TITLE}"', f": _{TITLE}_", f" - {TITLE}", f'  \n"{TITLE}"', f'\n  "_{TITLE}_"']
)
def test_the_words_behind_a_link_that_cites_are_the_title(label, authors, venue, year, behind):
    entry = paper(f"- [{label}]({DOI}){behind}\n")
    assert (entry.title, entry.authors, entry.venue, entry.year) == (TITLE, authors, venue, year)


def test_who_presents_a_paper_may_stand_before_the_link_that_cites_it():
    entry = paper(f'* 2025-11-07: Ada Silva    \n  [Slingo 1990 (Nature 343)]({DOI}): "_{TITLE}_"\n')
    assert (entry.title, entry.authors, entry.venue, entry.year) == (TITLE, ("Slingo",), "Nature", 1990)


def test_an_identifier_behind_a_link_that_cites_finds_its_title_later():
    entry = paper(f"- [Slingo 1990 (Nature 343)]({DOI})\n")
    assert (entry.title, entry.venue, entry.year) == ("", "Nature", 1990)


@pytest.mark.parametrize("label", ["Slingo 1990 (Nature 343)", "ResNet 2016 (CVPR)", "AlphaFold 2021 (Nature)"])
def test_a_name_with_a_year_on_a_page_without_identifier_stays_its_title(label):
    assert paper(f"- [{label}]({PAGE})\n").title.startswith(label.split()[0])


@pytest.mark.parametrize("journal", ["Science.", "Nature", "The ISME Journal."])
def test_a_journal_as_the_link_behind_a_reference_is_its_venue(journal):
    reference = f'- Poorter et al. (2021) Multidimensional recovery of looms. <a href="{PAGE}">{journal}</a>\n'
    entry = paper(reference)
    assert (entry.title, entry.venue, entry.year) == ("Multidimensional recovery of looms", journal.rstrip("."), 2021)


@cases(
    ("quoted", "title"),
    [
        (
            "'PoET, the Solar Telescope: A Sun in a Spectrograph', Proc. SPIE",
            "PoET, the Solar Telescope: A Sun in a Spectrograph",
        ),
        ("‘Earth's budget and what it costs’, Journal of Looms", "Earth's budget and what it costs"),
        ("'Earth's budget and what it costs', Journal of Looms", "Earth's budget and what it costs"),
    ],
)
def test_titles_of_references_stand_in_single_quotes_too(quoted, title):
    entry = paper(
        f"- Leite et al, 2024 - {quoted} (DOI: [10.1117/12.3016776](https://dx.doi.org/10.1117/12.3016776))\n"
    )
    assert (entry.title, entry.authors, entry.year) == (title, ("Leite",), 2024)


@cases(
    ("tag", "venue", "year", "authors", "remark"),
    [
        ("(Physics)", "", None, (), "Physics"),
        ("[Physics]", "", None, (), "Physics"),
        ("(ICML 2020)", "ICML", 2020, (), ""),
        ("(Silva et al.)", "", None, ("Silva",), ""),
    ],
)
@pytest.mark.parametrize("space", [" ", "\n  "])
def test_a_tag_between_an_address_and_its_title_is_no_part_of_the_title(tag, venue, year, authors, remark, space):
    entry = paper(f"- [ ] https://arxiv.org/abs/2103.16021 {tag}{space}Fast and Differentiable Physics for Looms\n")
    assert (entry.title, entry.text) == ("Fast and Differentiable Physics for Looms", remark)
    assert (entry.venue or "", entry.year, entry.authors) == (venue, year, authors)


@cases(
    ("reference", "title", "venue"),
    [
        (
            "Cook et al. (2019). Connectomes of both *C. elegans* sexes. *Nature*",
            "Connectomes of both C. elegans sexes",
            "Nature",
        ),
        (
            "Cook A, Silva B. Growth of *S. cerevisiae* on plates. Nature 2001;3:1-9.",
            "Growth of S. cerevisiae on plates",
            "Nature",
        ),
        (
            "Silva, A., & Abe, K. (2016). *Escherichia coli* growth on plates. *Journal of Looms*, 3(2), 1-9.",
            "Escherichia coli growth on plates",
            "Journal of Looms",
        ),
    ],
)
def test_the_name_of_a_species_in_italics_does_not_end_the_title(reference, title, venue):
    entry = paper(f"- {reference}\n")
    assert (entry.title, entry.venue) == (title, venue)
