"""References and lists as people type them: who wrote it, where it appeared, and what they think of it."""

import pytest

from readtrack.ingest import parser
from tests.tables import cases

PAGE = "https://example.org/papers/one.html"


def papers(text):
    return [each for each in parser.parse(text) if each.kind == "paper"]


@cases(
    ("names", "authors"),
    [
        ("Hegre & Sambanis", ("Hegre", "Sambanis")),
        ("Ward, Greenhill, & Bakke", ("Ward", "Greenhill", "Bakke")),
        ("Cederman", ("Cederman",)),
        ("Cederman et al.", ("Cederman",)),
    ],
)
@pytest.mark.parametrize("behind", [' ), "{}"', '), "{}"', "), “{}”"])
def test_a_quoted_title_stands_behind_names_and_a_linked_year(names, authors, behind):
    title = "Modeling the Size of Wars: From Billiard Balls to Sandpiles"
    (entry,) = papers(f"* {names} ([2003]({PAGE}){behind.format(title)}\n")
    assert (entry.title, entry.authors, entry.published or str(entry.year)) == (title, authors, "2003")


@pytest.mark.parametrize("behind", [").", ")"])
def test_a_title_behind_several_names_and_a_linked_year_needs_no_quotes(behind):
    (entry,) = papers(f"* Hegre & Sambanis ([2003]({PAGE}){behind} Modeling the Size of Wars\n")
    assert (entry.title, entry.authors) == ("Modeling the Size of Wars", ("Hegre", "Sambanis"))


def test_a_title_with_a_linked_year_behind_it_stays_one():
    (entry,) = papers(f"* Modeling the Size of Wars and of Looms ([2003]({PAGE}))\n")
    assert entry.title == "Modeling the Size of Wars and of Looms"


@cases(
    ("behind", "venue", "year", "remark"),
    [
        (", *Digital Pedagogy Lab* (2013).", "Digital Pedagogy Lab", 2013, ""),
        (", *Curating Menus* (2016). (what it is about and why)", "Curating Menus", 2016, "what it is about and why"),
        (", NYTimes Magazine, December 2016.", "NYTimes Magazine", 2016, ""),
        (", LARB (2016).", "LARB", 2016, ""),
        (" (2015). (an intro and an overview)", "", 2015, "an intro and an overview"),
    ],
)
@pytest.mark.parametrize("address", [PAGE, "https://www.nytimes.com/2016/12/14/magazine/the-great-awakening.html"])
def test_where_a_linked_work_appeared_is_read_before_a_remark(address, behind, venue, year, remark):
    (entry,) = papers(f"- [The Great Awakening of Looms]({address}){behind}\n")
    assert (entry.title, entry.venue or "", entry.text) == ("The Great Awakening of Looms", venue, remark)
    assert str(entry.year or entry.published) == str(year)


@cases(
    ("place", "venue"),
    [
        ("Behavioral Ecology (2017)", "Behavioral Ecology"),
        ("L&amp;O Letters (2017)", "L&O Letters"),
        ("Science 348: 1261359 (2017)", "Science"),
    ],
)
def test_the_place_behind_a_quoted_title_is_its_venue_whatever_its_name(place, venue):
    (entry,) = papers(f'Malika Ihle, Isabel S Winney. "Striving for transparent looms" {place}. {PAGE}\n')
    assert (entry.title, entry.venue, entry.year) == ("Striving for transparent looms", venue, 2017)


@cases(
    ("item", "title", "venue", "year"),
    [
        (
            "Vine copulas: a method for looms, Stat Comput (2018) 28:219–237",
            "Vine copulas: a method for looms",
            "Stat Comput",
            2018,
        ),
        (
            "Stable feature selection for looms, Pattern Recognition(2021)",
            "Stable feature selection for looms",
            "Pattern Recognition",
            2021,
        ),
        (
            "Portfolio of Looms: An approach, Computers & Operational Research (2021)",
            "Portfolio of Looms: An approach",
            "Computers & Operational Research",
            2021,
        ),
        (
            "Computational Optimal Looms, Foundations and Trends in Machine Learning, 2019",
            "Computational Optimal Looms",
            "Foundations and Trends in Machine Learning",
            2019,
        ),
    ],
)
def test_a_journal_and_its_year_end_a_title_without_authors(item, title, venue, year):
    (entry,) = papers(f"# Copulas\n\n* {item}\n")
    assert (entry.title, entry.venue, entry.year) == (title, venue, year)


def test_people_behind_a_title_are_no_journal():
    (entry,) = papers("- Silva, A., Ropes in Many Places of the World, 2017\n")
    assert entry.venue != "Ropes in Many Places of the World"
    (entry,) = papers("- In Search of a Loom, D. Ongaro and J. Ousterhout. USENIX ATC, 2014\n")
    assert (entry.title, entry.venue, entry.year) == ("In Search of a Loom", "USENIX ATC", 2014)


def test_a_list_of_books_with_their_authors_may_say_why_in_brackets():
    note = (
        "Reading list\n1) Alone together - Sherry Turkle\n2) Medium is the Message - Marshall Mcluhan\n"
        "3) Amusing Ourselves to Death - Neil Postman (A critic influenced by Mcluhan)\n"
        "4) Addiction by Design - Natasha Dow Schull\n5) The Second Self - Sherry Turkle\n"
        "6) On the Internet - Hubert Dreyfus (One of the most renowned scholars of all.\n"
        "I want to see if he applied that, or any other material that helps)\n"
        "7) Status Update - Alice Marwick\n8) Being and Time - Martin Heidegger\n9) Being and Nothingness - Sartre\n"
        "10) E Unibus Pluram - David Foster Wallace\n"
    )
    found = papers(note)
    assert [each.title for each in found[:3]] == [
        "Alone together",
        "Medium is the Message",
        "Amusing Ourselves to Death",
    ]
    assert (found[2].authors, found[2].text) == (("Neil Postman",), "A critic influenced by Mcluhan")
    assert (found[5].first, found[5].last, found[5].authors) == (7, 8, ("Hubert Dreyfus",))
    assert [each.authors for each in found[-2:]] == [("Sartre",), ("David Foster Wallace",)]


def test_a_short_name_in_bold_before_a_reference_is_no_part_of_it():
    (entry,) = papers("[14] **(Fast R-CNN)** R. Girshick. Faster Looms. In ICCV, 2015.\n")
    assert (entry.title, entry.authors, entry.venue, entry.year) == ("Faster Looms", ("R. Girshick",), "ICCV", 2015)


def test_a_link_without_address_and_words_in_bold_quotes_are_titles():
    first, second = papers(
        '* [最小情報コピュラ, Durrlemann 2000]()\n* **"A study of Looms using different kinds of yarn"** (9734079)\n'
    )
    assert first.title.startswith("最小情報コピュラ")
    assert second.title == "A study of Looms using different kinds of yarn"


def test_several_words_above_the_address_of_a_page_are_its_title_but_a_paper_has_its_own():
    note = (
        "- Discussion of python tools:\n  - https://blog.example.org/review-of-tools\n"
        "- Papers about many looms:\n  - https://arxiv.org/abs/2101.00002\n"
    )
    page, paper = papers(note)
    assert (page.title, page.first, page.last) == ("Discussion of python tools", 1, 2)
    assert (paper.title, paper.topics) == ("", ("Papers about many looms",))


@cases(
    ("line", "status"),
    [("Currently on Page 300/710.", "reading"), ("ch. 3 of 12", "reading"), ("page 710 of 710", "read")],
)
def test_the_page_somebody_is_at_tells_the_status(line, status):
    (entry,) = papers(f"- [ ] [Quantum Computation and Looms]({PAGE})\n  * {line}\n")
    assert (entry.status, entry.text) == (status, line)


FIELD_TABLE = """### 1. Radiation

| {head} |
| :--- | :--- |
| **Title** | A Comparison of Engines with a New Loom |
| **Authors** | Ada Lovelace, Charles Babbage |
| **Source/DOI** | [DOI: 10.21638/spbu01.2022.304](https://doi.org/10.21638/spbu01.2022.304) |
| **Venue** | NeurIPS 2020 |
| **Method** | Shock tubes |
"""


def test_a_table_of_two_columns_with_the_fields_of_a_paper_is_one_paper():
    note = FIELD_TABLE.format(head="Feature | What it is")
    (entry,) = papers(note)
    assert (entry.title, entry.venue, entry.year) == ("A Comparison of Engines with a New Loom", "NeurIPS", 2020)
    assert (entry.authors, entry.topics) == (("Ada Lovelace", "Charles Babbage"), ("Radiation",))
    assert entry.identifiers == ("doi:10.21638/spbu01.2022.304",)
    assert "Method: Shock tubes" in entry.text
    numbers = [number for each in parser.parse(note) for number in range(each.first, each.last + 1)]
    assert sorted(set(numbers)) == list(range(1, note.count("\n") + 1))


def test_the_first_field_may_stand_in_the_header_of_its_table():
    note = FIELD_TABLE.format(head="タイトル | 織機の話をする論文").replace(
        "| **Title** | A Comparison of Engines with a New Loom |\n", ""
    )
    (entry,) = papers(note)
    assert entry.title == "織機の話をする論文"


def test_a_reference_in_a_field_gives_its_parts():
    note = (
        "| Feature | Specifications |\n|---|---|\n| **Article** | Deiwert et al. (1989) - Slender Cone Drag |\n"
        "| **DOI** | https://doi.org/10.2514/6.1981-1144 |\n"
    )
    (entry,) = papers(note)
    assert (entry.title, entry.authors, entry.identifiers) == (
        "Slender Cone Drag",
        ("Deiwert",),
        ("doi:10.2514/6.1981-1144",),
    )


def test_a_table_of_papers_with_two_columns_has_a_paper_in_each_row():
    note = f"| Title | Link |\n|---|---|\n| A Story of Looms | {PAGE} |\n| A Story of Cards | {PAGE}?2 |\n"
    assert [each.title for each in papers(note)] == ["A Story of Looms", "A Story of Cards"]


@pytest.mark.parametrize(
    "place", ["IEEE Transactions on Games 11, no. 3 (September 2019): 215–26", "Econometrica 78, no. 6 (2019): 1"]
)
def test_the_number_of_an_issue_is_no_status(place):
    (entry,) = papers(
        f"- Lee, E. and Jihoon Jeon. “Mining Competition on Looms.” {place}. https://doi.org/10.1109/TG.2018.1\n"
    )
    assert (entry.title, entry.status) == ("Mining Competition on Looms", None)


def test_the_first_of_many_names_may_be_inverted_and_one_of_them_odd():
    names = "Lee, Eunjo, Yoonjae Jang, Du-Mim Yoon, Jihoon Jeon, Seong-il Yang, Sang-Kwang Lee, et al."
    (entry,) = papers(
        f"16. {names} “Mining Competition on Looms.” IEEE Transactions on Games 11, no. 3 (2019): 215–26.\n"
    )
    assert (entry.title, entry.authors[0], len(entry.authors)) == ("Mining Competition on Looms", "Eunjo Lee", 6)


def test_references_without_a_year_are_known_by_inverted_names():
    (entry,) = papers("Gurung, B., Mendelsohn, R., & Costa, S.A. 0000. Economics of looms: a case in Nepal. *Oryx*.\n")
    assert (entry.title, entry.venue, entry.year) == ("Economics of looms: a case in Nepal", "Oryx", None)


@cases(
    ("item", "title", "venue"),
    [
        (
            "MorphoSeq: Full Dynamics Up to Gastrulation in a Loom. Cell 181,1-14",
            "MorphoSeq: Full Dynamics Up to Gastrulation in a Loom",
            "Cell",
        ),
        (
            "Widespread Scanning in the Loom Modulates Rates Molecular Cell 180,248-262",
            "Widespread Scanning in the Loom Modulates Rates",
            "Molecular Cell",
        ),
    ],
)
def test_a_known_journal_with_volume_and_pages_ends_a_title(item, title, venue):
    (entry,) = papers(f"# Papers\n\n* {item}\n")
    assert (entry.title, entry.venue) == (title, venue)


def test_names_and_a_title_in_quotes_on_each_line_are_a_reference_each():
    note = (
        'L. Gascón, J.M. Coberán, "Construction of second-order schemes for non-homogeneous conservation laws"\n'
        'D. Ambrosi, "Approximation of shallow water equations by an approximate solver"\n'
        'P.L. Roe, "Approximate solvers, parameter vectors, and difference schemes"\n'
        'Zhao DH, Shen HW, "Approximate solvers in two dimensions for surface wave\nmodeling."\n'
    )
    assert [(each.first, each.last, each.title.split()[0]) for each in papers(note)] == [
        (1, 1, "Construction"),
        (2, 2, "Approximation"),
        (3, 3, "Approximate"),
        (4, 5, "Approximate"),
    ]


def test_labels_copied_without_their_addresses_are_no_part_of_the_title():
    note = (
        "- Self-refine: Iterative refinement of looms (Arxiv, Mar. 2023) [Paper][Project]\n"
        "- Less is more for looms and cards (Arxiv, May 2023) [Paper] [Code]\n"
    )
    assert [(each.title, each.text) for each in papers(note)] == [
        ("Self-refine: Iterative refinement of looms", ""),
        ("Less is more for looms and cards", ""),
    ]


def test_a_title_in_bold_may_be_wrapped_before_its_reference_and_links():
    note = (
        "2.  **Empirical evidence for selective reporting of outcomes in\n"
        "    randomized trials: comparison of protocols to published articles.**\n"
        "    An-Wen Chan, Asbjorn Hrobjartsson, Mette T Haahr, Peter C Gotzsche,\n"
        "    Douglas G Altman. JAMA 2004: 291(20); 2457-65.\n"
        "    [\\[Abstract\\]](https://example.org/abstract/291/20/2457)\n"
        "    [\\[PDF\\]](https://example.org/reprint/291/20/2457.pdf)\n"
    )
    (entry,) = papers(note)
    assert (entry.title[:18], entry.title[-18:]) == ("Empirical evidence", "published articles")
    assert (entry.first, entry.last, len(entry.authors), entry.venue, entry.year) == (1, 6, 5, "JAMA", 2004)


@cases(
    ("book", "title", "authors"),
    [
        ("丘维声, 高等代数, 1 ed., 北京: 清华大学出版社, 2010.", "高等代数", ("丘维声",)),
        (
            "李炯生 and 查建国, 线性代数的话题, 2 ed., 合肥: 中国科学技术大学出版社, 1989.",
            "线性代数的话题",
            ("李炯生", "查建国"),
        ),
        (
            "David C. Lay and Judi J. McDonald, Linear Algebra and Its Applications, 6 ed., Pearson, 2021.",
            "Linear Algebra and Its Applications",
            ("David C. Lay", "Judi J. McDonald"),
        ),
        (
            "Kenneth H. Rosen, Discrete Mathematics and its Looms, 8th ed., New York: McGraw-Hill, 2018.",
            "Discrete Mathematics and its Looms",
            ("Kenneth H. Rosen",),
        ),
    ],
)
def test_the_edition_ends_the_title_of_a_book_between_commas(book, title, authors):
    (entry,) = papers(f"### Books\n[1] {book}\n")
    assert (entry.title, entry.authors) == (title, authors)


@pytest.mark.parametrize("dashes", ["———.", "———. ", "---. ", "\\_\\_\\_. "])
def test_dashes_stand_for_the_authors_of_the_reference_above(dashes):
    note = (
        "## Cited works\n\nSonneck, O. G. 1905. Francis Hopkinson, the First American Weaver. Washington: McQueen.\n\n"
        f"{dashes}1907. Early Weaving-Life in America. Leipzig: Breitkopf.\n"
    )
    entry = papers(note)[-1]
    assert (entry.title, entry.authors) == ("Early Weaving-Life in America", ("O. G. Sonneck",))


@cases(
    ("reference", "title", "authors"),
    [
        (
            "**Hume, David.** *A Treatise of Human Looms.* Oxford: Oxford UP, 2002.",
            "A Treatise of Human Looms",
            ("David Hume",),
        ),
        (
            '**Putnam, Hilary Ann.** "The Nature of Mental Looms." *Analytic Looms* 3 (1950): 387–404.',
            "The Nature of Mental Looms",
            ("Hilary Ann Putnam",),
        ),
        (
            "Ana Silva, Ken Abe, and Bo Li. 2020. The Dark Side of Looms. In Proceedings of FAccT.",
            "The Dark Side of Looms",
            ("Ana Silva", "Ken Abe", "Bo Li"),
        ),
        (
            'Ana Silva, Ken Abe, and Bo Li. 2020. "The Dark Side of Looms." Nature.',
            "The Dark Side of Looms",
            ("Ana Silva", "Ken Abe", "Bo Li"),
        ),
        (
            'Rhee, Chang-han, and Peter Glynn. "Unbiased looms of many kinds." Operations Research (2015).',
            "Unbiased looms of many kinds",
            ("Chang-han Rhee", "Peter Glynn"),
        ),
        ("Crane, Greg, editor. “Perseus Digital Looms.” Tufts, 2017.", "Perseus Digital Looms", ("Greg Crane",)),
    ],
)
def test_names_are_read_in_bold_whole_and_inverted(reference, title, authors):
    (entry,) = papers(f"1. {reference}\n")
    assert (entry.title, entry.authors) == (title, authors)


def test_italics_of_html_frame_a_title_as_those_of_markdown():
    note = "<ul>\n<li>Kriger, Colleen E. <em>Cloth in West African History</em>. Lanham: AltaMira, 2006.</li>\n</ul>\n"
    (entry,) = papers(note)
    assert (entry.title, entry.authors, entry.year) == ("Cloth in West African History", ("Colleen E. Kriger",), 2006)


def test_references_in_lists_of_latex_are_decoded():
    note = r"""
\begin{enumerate}
\item \textit{A.\ J.\ Novak}, D.\ Andr\v{s}, ``Validation of a Loom with the SANA Experiments,"
\textit{Nuclear Science and Engineering}. \textbf{49} 1 (2020) 1-14. \\
\item R.N.\ Silva, Tara Abe, ``Eigenvalue Solvers for Looms," \emph{Annals of Looms} (2018). \href{https://doi.org/10.1080/1}{doi}
\item Silva, A. \& Abe, K. (2019). {{Bayesian}} Looms in S{\~a}o Paulo. \emph{Nature}, 5, 1--10.
\end{enumerate}
"""
    first, second, third = papers(note)
    assert (first.title, first.authors, first.year) == (
        "Validation of a Loom with the SANA Experiments",
        ("A. J. Novak", "D. Andrš"),
        2020,
    )
    assert (second.title, second.identifiers) == ("Eigenvalue Solvers for Looms", ("doi:10.1080/1",))
    assert (third.title, third.venue) == ("Bayesian Looms in São Paulo", "Nature")


def test_names_of_new_species_do_not_end_a_title():
    reference = (
        "Silva, D. et al., 2007. Tindallia texcoconensis sp. nov., a new loom from Mexico. Extremophiles, 11(1)."
    )
    (entry,) = papers(f"- {reference}\n")
    assert (entry.title, entry.venue) == ("Tindallia texcoconensis sp. nov., a new loom from Mexico", "Extremophiles")


def test_a_column_may_hold_whole_references():
    table = (
        "File\tPlace\tReference\n"
        "a.tsv\tTable 2\tBeach, D.H. & Holz, G.G., 1970. The Acids of Looms. Journal of Looms, 17(3), pp.5–9.\n"
        "b.tsv\tTable 1\tSilva, B.A. et al., 1997. Critical role of cards. Looms, 63(10). https://doi.org/10.1128/x.1\n"
    )
    first, second = papers(table)
    assert (first.title, first.authors, first.venue, first.year) == (
        "The Acids of Looms",
        ("D.H. Beach", "G.G. Holz"),
        "Journal of Looms",
        1970,
    )
    assert (second.title, second.identifiers) == ("Critical role of cards", ("doi:10.1128/x.1",))


def test_a_line_by_somebody_below_a_title_has_its_authors():
    note = "Head First Looms\nby Eric Freeman, Bert Bates\n\nDinosaur Cards\nby Albert J. Bernstein\n"
    assert [(each.title, each.authors) for each in papers(note)] == [
        ("Head First Looms", ("Eric Freeman", "Bert Bates")),
        ("Dinosaur Cards", ("Albert J. Bernstein",)),
    ]


def test_english_titles_above_remarks_in_japanese_are_papers():
    titles = [
        "Preference looms for affective modeling",
        "Ratings are overrated!",
        "Grounding Truth via Looms",
        "Active Looms",
    ]
    found = papers("".join(f"{title}  \n選好学習について\n\n" for title in titles))
    assert [(each.title, each.text) for each in found] == [(title, "選好学習について") for title in titles]
    assert not papers("Hello everybody there\nみなさん\n\nSome other words of mine\nほかの話\n")


@pytest.mark.parametrize("heading", ["Week 2 (Sept 2): Data & Bias", "Lecture 3 (2024-01-05): Looms and Cards of Old"])
def test_a_session_with_a_date_is_no_paper(heading):
    note = f"# Course\n\n## {heading}\nReadings:\n- Silva, A. 2024. “The Dark Side of Looms.” In FAccT. https://doi.org/10.1145/3630106.1\n"
    (entry,) = papers(note)
    assert entry.title == "The Dark Side of Looms"


@cases(
    ("item", "title", "authors", "year"),
    [
        ('"Resistance of looms in channels", Ackers 1958', "Resistance of looms in channels", ("Ackers",), 1958),
        (
            "“Resistance of looms in channels”, Ackers and Silva (1958)",
            "Resistance of looms in channels",
            ("Ackers", "Silva"),
            1958,
        ),
        (
            "Baayen, R. Harald. 2001. Word Frequency of Looms. Dordrecht: Kluwer.",
            "Word Frequency of Looms",
            ("R Harald Baayen",),
            2001,
        ),
        ("Darwin, C. (1859). On the Origin of Looms. John Murray.", "On the Origin of Looms", ("C. Darwin",), 1859),
        ("Mill, John Stuart. 1859. On Liberty. London: Parker.", "On Liberty", ("John Stuart Mill",), 1859),
        ("Smith, Adam. 1776. The Wealth of Looms. Strahan.", "The Wealth of Looms", ("Adam Smith",), 1776),
    ],
)
def test_old_and_short_references_give_names_and_year(item, title, authors, year):
    (entry,) = papers(f"- {item}\n")
    assert (entry.title, entry.authors, entry.year) == (title, authors, year)


@cases(
    ("names", "authors"),
    [
        ("Silva A, Pia Abe, Costa M, Ito J.", ("Silva A", "Pia Abe", "Costa M", "Ito J.")),
        ("D’Iorio A, Pia Abe-Costa J.A., Obeso I.", ("D’Iorio A", "Pia Abe-Costa J.A.", "Obeso I.")),
        ("Pia Silva, Ken Abe, … Carmen Costa.", ("Pia Silva", "Ken Abe", "Carmen Costa")),
        ("Silva A, Sánchez-Abe Á, , Costa M.", ("Silva A", "Sánchez-Abe Á", "Costa M")),
        ("Pia Silva, John C.Abe, Carmen Costa.", ("Pia Silva", "John C.Abe", "Carmen Costa")),
    ],
)
def test_names_of_several_forms_end_where_the_title_begins(names, authors):
    (found,) = parser.parse(f"- {names} Aberrant weaving of looms in mountain villages. Textile Letters. 2021\n")
    assert found.title == "Aberrant weaving of looms in mountain villages"
    assert found.authors == authors


def test_a_middle_initial_in_a_list_of_names_ends_no_sentence():
    reference = "Alan C. F. Silva, Jason Abe, Kerrie S. Costa, Development of a loom. Textile Letters. 2021"
    (found,) = parser.parse(f"- {reference}\n")
    assert found.title == "Development of a loom"


@pytest.mark.parametrize("names", ["Silva & Abe.", "Silva and Abe.", "Silva, Abe & Costa."])
def test_joined_surnames_before_a_quoted_title_are_its_authors(names):
    (found,) = parser.parse(f"- {names} “Wishful Mnemonics and Looms.” Proceedings of the AISB 136 (2013): 14–22.\n")
    assert (found.title, found.authors[-1], found.year) == (
        "Wishful Mnemonics and Looms",
        names.rstrip(".").rpartition(" ")[2],
        2013,
    )


def test_a_comment_of_org_is_no_heading():
    note = "** Outline\n*** Technology and Culture (Sept. 19)\n# take another look\n# and another\n"
    note += "- Silva, Ana. The Social Construction of Looms. Textile Press, 1999.\n*** Worlds of Looms\n# why?\n"
    found = [each for each in parser.parse(note) if each.kind == "paper"]
    assert [each.topics[-1] for each in found] == ["Technology and Culture (Sept. 19)"]


@pytest.mark.parametrize(
    "heading",
    [
        r"\section{Looms at Work}",
        r"\subsection*{Looms at Work}",
        "\\subsubsection{Looms at\nWork}\\label{looms-at-work}}",
        r"\textbf{Looms at Work}",
    ],
)
def test_headings_of_latex_are_topics_of_the_items_below(heading):
    item = r"\item Silva, \href{https://arxiv.org/abs/2401.00001}{The Theory of Looms}"
    found = papers(f"{heading}\n\n\\begin{{itemize}}\n{item}\n\\end{{itemize}}\n")
    assert [(each.title, each.topics) for each in found] == [("The Theory of Looms", ("Looms at Work",))]


def test_a_title_with_the_capitals_of_a_sentence_keeps_what_stands_before_its_colon():
    title = "The trouble with mechanical looms: An analytic road map to examine efficiency in automated weaving"
    (found,) = papers(f"1. {title}\nLink: https://doi.org/10.1177/0162243915605575\n")
    assert found.title == title


@cases(
    ("place", "venue", "year"),
    [
        ("76 Tex. L. Rev. 553 (1998)", "Tex. L. Rev.", 1998),
        ("109 Daedalus 121 (1980)", "Daedalus", 1980),
        ("85 Wash. U. L. Rev. 1249, 1255 (2008)", "Wash. U. L. Rev.", 2008),
    ],
)
def test_a_journal_stands_between_its_volume_and_page_as_in_law(place, venue, year):
    (found,) = papers(f"- Ada Lovelace, [_Do Looms Have Politics?_](https://example.org/looms.pdf), {place}\n")
    assert (found.title, found.venue, found.year) == ("Do Looms Have Politics?", venue, year)
