"""Records as PubMed and the Web of Science export them, each one paper with its lines."""

from readtrack.ingest import parser

PUBMED = """PMID- 31452104
OWN - NLM
STAT- MEDLINE
TI  - Using DeepLabCut for 3D markerless pose estimation across species and
      behaviors.
PG  - 2152-2176
LID - 10.1038/s41596-019-0176-0 [doi]
AB  - Noninvasive behavioral tracking of animals during
      experiments.
FAU - Nath, Tanmay
AU  - Nath T
FAU - Mathis, Alexander
AU  - Mathis A
LA  - eng
PT  - Journal Article
PT  - Research Support, Non-U.S. Gov't
DP  - 2019 Jul
TA  - Nat Protoc
JT  - Nature protocols
OT  - *pose estimation
AID - 10.1038/s41596-019-0176-0 [doi]
SO  - Nat Protoc. 2019 Jul;14(7):2152-2176.

PMID- 31452105
TI  - A second paper without an identifier.
FAU - Silva, Ana
DP  - 2020 Mar 3
JT  - Looms
"""
WEB_OF_SCIENCE = """FN Clarivate Analytics Web of Science
VR 1.0
PT J
AU Nath, T
   Mathis, A
AF Nath, Tanmay
   Mathis, Alexander
TI Using DeepLabCut for 3D markerless pose estimation across species and
   behaviors
SO NATURE PROTOCOLS
LA English
DT Article
DE pose estimation; behavior
AB Noninvasive tracking.
PD JUL
PY 2019
VL 14
DI 10.1038/s41596-019-0176-0
UT WOS:000474334300006
ER

PT B
AU Silva, A
TI A Book of Looms
SO LOOMS
PY 2001
ER

EF
"""
ABSTRACTS = """1. Nat Protoc. 2019 Jul;14(7):2152-2176. doi: 10.1038/s41596-019-0176-0. Epub 2019
Jun 21.

Using DeepLabCut for 3D markerless pose estimation across species and behaviors.

Nath T(1), Mathis A(1)(2), Chen AC(3), Patel A(4), Bethge M(5), Mathis MW(6).

Author information:
(1)Rowland Institute, Harvard University, Cambridge, MA, USA.
(2)Department of Statistics, Tübingen, Germany.

Noninvasive behavioral tracking of animals during experiments is critical.

DOI: 10.1038/s41596-019-0176-0
PMID: 31227823 [Indexed for MEDLINE]

2. Nat Neurosci. 2018 Sep;21(9):1281-1289. doi: 10.1038/s41593-018-0209-y. Epub 2018
Aug 20.

DeepLabCut: markerless pose estimation of user-defined body parts with deep
learning.

Mathis A(1)(2), Mamidanna P(1).

DOI: 10.1038/s41593-018-0209-y
PMID: 30127430
"""
SUMMARY = (
    "1: Nath T, Mathis A, Patel A. Using DeepLabCut for 3D pose estimation across species. Nat Protoc. 2019 "
    "Jul;14(7):2152-2176. doi: 10.1038/s41596-019-0176-0. Epub 2019 Jun 21. PMID: 31227823.\n"
)
DEEPLABCUT = "doi:10.1038/s41596-019-0176-0"


def papers(text):
    found = parser.parse(text)
    assert {each.kind for each in found} <= {"paper", "blank"}
    return [each for each in found if each.kind == "paper"]


def test_a_record_of_pubmed_is_one_paper():
    first, second = papers(PUBMED)
    assert first.title == "Using DeepLabCut for 3D markerless pose estimation across species and behaviors"
    assert first.identifiers[0] == DEEPLABCUT
    assert (first.authors, first.venue, first.published) == (
        ("Tanmay Nath", "Alexander Mathis"),
        "Nature protocols",
        "2019-07",
    )
    assert (first.topics, first.publication_type) == (("pose estimation",), "journal_article")
    assert first.abstract == "Noninvasive behavioral tracking of animals during experiments."
    assert (second.identifiers, second.published) == (("url:pubmed.ncbi.nlm.nih.gov/31452105",), "2020-03-03")


def test_a_record_of_the_web_of_science_is_one_paper():
    first, second = papers(WEB_OF_SCIENCE)
    assert first.title == "Using DeepLabCut for 3D markerless pose estimation across species and behaviors"
    assert (first.identifiers, first.authors) == ((DEEPLABCUT,), ("Tanmay Nath", "Alexander Mathis"))
    assert (first.venue, first.published, first.topics) == (
        "NATURE PROTOCOLS",
        "2019-07",
        ("pose estimation", "behavior"),
    )
    assert (second.title, second.year) == ("A Book of Looms", 2001)


def test_abstracts_and_summaries_of_pubmed_are_papers():
    first, second = papers(ABSTRACTS)
    assert first.title == "Using DeepLabCut for 3D markerless pose estimation across species and behaviors"
    assert (first.identifiers[0], first.venue, first.authors[1]) == (DEEPLABCUT, "Nat Protoc", "Mathis A")
    assert first.abstract == "Noninvasive behavioral tracking of animals during experiments is critical."
    assert (second.authors, second.abstract) == (("Mathis A", "Mamidanna P"), "")
    (summary,) = papers(SUMMARY)
    assert (summary.title, summary.venue) == ("Using DeepLabCut for 3D pose estimation across species", "Nat Protoc")


def test_words_that_only_begin_like_a_record_stay_as_they_were():
    assert parser.parse("PT A is on holiday\n- PMID-12 is no number\n")[0].kind != "paper"
