"""References that begin with surnames alone, or name their authors in other forms than full names."""

from readtrack.ingest import parser
from tests.tables import cases

TITLE = "Notes on the Analytical Engine"


def reading(text):
    found = next(each for each in parser.parse(text) if each.kind == "paper")
    return found.title, found.authors, found.venue, found.year


@cases(
    ("line", "authors", "venue", "year"),
    [
        (f"- Lovelace & Babbage. {TITLE}. OSDI '94.", ("Lovelace", "Babbage"), "OSDI", 1994),
        (f"- Lovelace & Babbage 1999, {TITLE}, OSDI", ("Lovelace", "Babbage"), "OSDI", 1999),
        (
            f"- Lovelace, Babbage, Menabrea. {TITLE}. OPODIS 2016. [pdf](https://arxiv.org/pdf/1608.00001.pdf)",
            ("Lovelace", "Babbage", "Menabrea"), "OPODIS", 2016,
        ),
        (f"- **{TITLE}** Lovelace, Babbage, Menabrea. PODC '07", ("Lovelace", "Babbage", "Menabrea"), "PODC", 2007),
        (f"- Ada Lovelace, Jr., Charles Babbage, Jr. {TITLE}. Nature, 2001",
         ("Ada Lovelace Jr.", "Charles Babbage Jr"), "Nature", 2001),
        (f"- [{TITLE} (Lovelace, CACM 53(4), 2010)](https://a.org/e.pdf)", (), "CACM", 2010),
        (f"- [Lovelace, A., Babbage, C. et al. {TITLE}. Nat Protoc (2020).](https://doi.org/10.1038/s41596)",
         ("A. Lovelace", "C. Babbage"), "Nat Protoc", 2020),
        (f"- Lovelace, Babbage, USENIX '14: [{TITLE}](https://a.org/e.pdf)", ("Lovelace", "Babbage"), "USENIX", 2014),
        (f"- Ada Lovelace, BSDCan '05: [{TITLE}](https://a.org/e.pdf)", ("Ada Lovelace",), "BSDCan", 2005),
        (f"- Lovelace, A., & Babbage, C. (2019). {TITLE}. *arXiv preprint arXiv:1907.00001.*",
         ("A. Lovelace", "C. Babbage"), "arXiv", 2019),
        (f"- **Engine** — *{TITLE}*, Lovelace et al., NeurIPS 2023. [[arXiv]](https://arxiv.org/abs/2305.00001)",
         ("Lovelace",), "NeurIPS", 2023),
        (f"**Lovelace, Ada & Babbage, Charles (2017).** *{TITLE}.* NeurIPS.", ("Ada Lovelace", "Charles Babbage"),
         "NeurIPS", 2017),
        (f"**Lovelace, Ada A., van Dam, Max & Babbage, Charles (2017).** *{TITLE}.* NeurIPS.",
         ("Ada A. Lovelace", "Max van Dam", "Charles Babbage"), "NeurIPS", 2017),
        (f"**Lovelace, A. et al. (2017).** *{TITLE}.* CVPR.", ("A. Lovelace",), "CVPR", 2017),
        (f"- Lovelace, A., Babbage, C., … (2019): {TITLE}", ("A. Lovelace", "C. Babbage"), "", 2019),
        (f"- Lovelace, A., Babbage, C., Fred Menabrea, & Dam, N. v. (2019). {TITLE}",
         ("A. Lovelace", "C. Babbage", "Fred Menabrea", "N. v. Dam"), "", 2019),
        (f'A. Lovelace, J.M. Babbage, "{TITLE}"', ("A. Lovelace", "J.M. Babbage"), "", None),
    ],
)  # fmt: skip
def test_a_reference_with_surnames_gives_its_title_and_authors(line, authors, venue, year):
    assert reading(f"# Papers\n\n{line}\n") == (TITLE, authors, venue, year)


@cases(
    ("line", "title"),
    [
        ("- Crime and Punishment: A Story of Engines (OSDI 2012)", "Crime and Punishment: A Story of Engines"),
        ("- Search and Rescue. Finding People with Many Drones. OSDI 2012", "Search and Rescue"),
        ("- Engines and Looms 2016: What Happened There (OSDI 2016)", "Engines and Looms 2016: What Happened There"),
    ],
)
def test_words_joined_like_names_stay_in_a_title(line, title):
    assert reading(f"# Papers\n\n{line}\n")[0] == title


@cases(
    ("text", "authors", "venue", "year"),
    [
        (f"**{TITLE}** Ada Lovelace et al., SIGOPS OSR 2015", ("Ada Lovelace",), "SIGOPS OSR", 2015),
        (f"**{TITLE}** (Lovelace & Babbage, MIT TR 2012)", ("Lovelace", "Babbage"), "MIT TR", 2012),
        (f"{TITLE}. (2022).\n*Expert Systems with Applications, 213*, 118780.", (),
         "Expert Systems with Applications", 2022),
        (f"{TITLE}. (2022).\n*arXiv preprint arXiv:2505.14931.*", (), "arXiv", 2022),
    ],
)  # fmt: skip
def test_a_title_above_its_address_keeps_what_stands_beside_it(text, authors, venue, year):
    assert reading(f"{text}\nhttps://a.org/engine.pdf\n") == (TITLE, authors, venue, year)


@cases(
    ("line", "year"),
    [
        (f'.. [Lovelace1843] Ada Lovelace, Charles Babbage, **"{TITLE}"**, https://doi.org/10.1000/engine', 1843),
        (f'.. [Lovelace2001a] Ada Lovelace, Charles Babbage, **"{TITLE}"**, https://doi.org/10.1000/engine', 2001),
        (f'.. [Engine] Ada Lovelace, Charles Babbage, **"{TITLE}"**, https://doi.org/10.1000/engine', None),
    ],
)
def test_a_citation_key_tells_the_year_if_nothing_else_does(line, year):
    expected = None if year == 1843 else year  # no paper is that old
    assert reading(f"References\n==========\n\n{line}\n")[3] == expected


def test_an_old_reference_of_two_digits_is_of_the_last_century():
    assert (
        reading("- Lovelace et al - Time and the Order of Events (CACM 78)\n- B et al - Engines of Old (OSDI 04)\n")[3]
        == 1978
    )


def test_the_number_of_a_volume_is_no_year():
    line = f"- [{TITLE}](https://a.org/e.pdf). CACM 31(3), March 1988.\n"
    assert reading(line)[2:] == ("CACM", 1988)


def test_what_somebody_said_is_no_reference():
    assert [each.kind for each in parser.parse('Ada Lovelace, "what a great day this is for engines"\n')] == ["snippet"]
