"""References to parts of books, and to books."""

from readtrack.ingest.parser.citations.parse_citation import parse_citation
from readtrack.ingest.parser.citations.venue import find_venue
from tests.tables import cases

IN_HANDBOOK = (
    'Silva, A.V., Abe, K., 2005. Chapter 7 "Growth of Looms", in: Costa, P., Lee, S.N. (Eds.), _Handbook of Growth_.'
    " Elsevier, pp. 473–552."
)
IN_APA = (
    "Silva, A., & Abe, K. (2007). Markets in Old Countries. In R.E. Costa & P. Lee (Eds.), Handbook of Old Looms"
    " (Vol. 3, pp. 2857–2908). Elsevier."
)
IN_VANCOUVER = (
    "Silva A, Abe K. Weaving things. In: Costa B, Lee C, eds. Looms and Engines. New York: Springer; 2010. p. 10-20."
)
IN_CHICAGO = (
    'Silva, A. "Weaving Things." In Looms and Engines, edited by K. Abe, 10–20. Oxford: Oxford University Press, 2010.'
)
UNFRAMED = (
    "Silva, A., Abe, K., 2007. Markets in Old Countries, in Costa, R.E., et al (eds.), Handbook of Looms, Vol. 3."
)
NO_EDITORS = "Silva, H.-J., 2021. Persistence and myths, The Handbook of Historical Looms. Elsevier, pp. 243–267."
BOOK = "Silva, Ana. 1998. Development Economics, Princeton University Press, Chapter 13."
QUESTION = "Silva, A., 2003. Why not an old loom? Engines, cards, and mills. Journal of Old Looms 31, 620–652."
BARE_YEAR = 'Silva, Ana 2010. "The Effects of Old Mines." Econometrica 78, no. 6 1863-903'


@cases(
    ("reference", "title", "book", "year"),
    [
        (IN_HANDBOOK, "Growth of Looms", "Handbook of Growth", 2005),
        (UNFRAMED, "Markets in Old Countries", "Handbook of Looms", 2007),
        (IN_APA, "Markets in Old Countries", "Handbook of Old Looms", 2007),
        (IN_VANCOUVER, "Weaving things", "Looms and Engines", 2010),
        (IN_CHICAGO, "Weaving Things", "Looms and Engines", 2010),
        (NO_EDITORS, "Persistence and myths", "The Handbook of Historical Looms", 2021),
        (BOOK, "Development Economics", "Princeton University Press", 1998),
        (QUESTION, "Why not an old loom? Engines, cards, and mills", "Journal of Old Looms", 2003),
        (BARE_YEAR, "The Effects of Old Mines", "Econometrica", 2010),
        ("Silva, A., 2001. On Networks. Annals of Looms 3, 1-20.", "On Networks", "Annals of Looms", 2001),
    ],
)  # fmt: skip
def test_a_part_of_a_book_is_apart_from_the_book_and_its_editors(reference, title, book, year):
    citation = parse_citation(reference)
    assert (citation.title, find_venue(citation.remainder)) == (title, (book, year))
    assert citation.authors


@cases(
    "when",
    ["(in press).", "in press.", "(forthcoming)", "(n.d.).", "(under review).", "0000.", "(submitted),"],
)
def test_a_reference_without_a_year_says_so_in_its_place(when):
    citation = parse_citation(
        f"Pak, D., Swamy, V., & Lasky, J.R. {when} Niches in diverse plant communities. *Ecology*."
    )
    assert (citation.title, citation.authors[-1]) == ("Niches in diverse plant communities", "Lasky, J.R.")


@cases(
    "names",
    [
        "Madin, E.M.P, Paul, V.J., Decker M.B., & Stier, A.C.",
        "Penagos Zuluaga, J.C., van der Werff,H., Park, B., & Donoghue, M.J.",
    ],
)
def test_a_list_of_inverted_names_may_lack_some_marks(names):
    citation = parse_citation(f"{names} 2019. Density, more than risk, drives patterns. *Marine Ecology* 1, 2.")
    assert (citation.title, len(citation.authors)) == ("Density, more than risk, drives patterns", 4)
