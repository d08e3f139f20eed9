"""References of several lines: what stands before them, and where they end."""

import pytest

from readtrack.ingest import parser
from tests.tables import cases

WRAPPED = """Lovelace A, Abe K, Silva MJ. A Story of Caches: their wires
and their
owners [version 1; approved]. Quiet
biology. 2011;29(7):644-652. doi:10.1038/nbt.1883.
<https://example.org/pmc/1>
"""
SIGNED = """A Story of Caches, by Ada Lovelace,
 Ken Abe, and Maria Silva,
 in Proceedings of the 15th Symposium on Wires, pp. 2-9, May 2019.
 https://arxiv.org/abs/1902.00001
"""


def papers(text):
    return [entry for entry in parser.parse(text) if entry.kind == "paper"]


@cases("before", ["", "caches\n: ", "**Paper 2** ", "[7] ", "- "])
def test_a_wrapped_reference_is_one_paper_whatever_stands_before_it(before):
    (paper,) = papers(before + WRAPPED)
    assert paper.title.startswith("A Story of Caches: their wires and their owners")
    assert (paper.year, paper.identifiers[0]) == (2011, "doi:10.1038/nbt.1883")


@cases("key", ["Lovelace 2019", "Lovelace and Abe 2019", "Quiet-Silva 2019b", "Ye 2019", "Lovelace et al. 2019"])
def test_a_key_of_surnames_and_a_year_begins_a_reference(key):
    (paper,) = papers(f"[{key}] {SIGNED}")
    assert (paper.title, paper.year, len(paper.authors)) == ("A Story of Caches", 2019, 3)
    assert paper.identifiers == ("arxiv:1902.00001",)


def test_a_dated_schedule_lists_papers_by_surname_and_year():
    text = "January 26, 2025:\n- Lovelace (1970) Caches and Wires\n- Abe and Silva (1976) Agreeing on Caches\n"
    assert [(paper.title, paper.year) for paper in papers(text)] == [
        ("Caches and Wires", 1970),
        ("Agreeing on Caches", 1976),
    ]


@cases(
    ("tag", "venue", "year"),
    [
        ("``ACM 2011`` ``Engines`` ", "Second International Conference on Engines", 2012),
        ("[IEEE 2011] ", "Second International Conference on Engines", 2012),
        ("[SOSP 2011] ", "SOSP", 2011),
    ],
)
def test_the_venue_of_a_reference_says_more_than_a_tag_with_its_publisher(tag, venue, year):
    text = "Babbage C, Lovelace A. Scheduling engines[C]// Second International Conference on Engines. ACM, 2012:12-15."
    (paper,) = parser.parse(f"- {tag}{text}")
    assert (paper.title, paper.venue, paper.year) == ("Scheduling engines", venue, year)


@pytest.mark.parametrize("label", ["", "**[5] Random Forest - what we classify with**\n"])
def test_a_reference_of_one_part_a_line_is_one_paper(label):
    note = (
        f"### A\n\n{label}Breiman, L. (2001).\nRandom Forests.\n*Machine Learning, 45*(1), 5-32.\n"
        "https://doi.org/10.1023/A:1010933404324\n\nThe rest of the note.\n"
    )
    (entry,) = (entry for entry in parser.parse(note) if entry.kind == "paper")
    assert (entry.title, entry.venue, entry.year, entry.topics) == ("Random Forests", "Machine Learning", 2001, ("A",))
    assert ("what we classify with" in entry.text) == bool(label)


@cases(
    "names",
    ["**Han, B.**", "**Negri, A. & Hardt, M.**", "**Economic Policy Institute.**"],
)
def test_bold_authors_before_a_year_are_no_title(names):
    (paper,) = papers(f"## Fuentes\n\n- {names} (2014). *Psicopolítica: un ensayo*. Herder.\n")
    assert (paper.title, paper.year, bool(paper.authors)) == ("Psicopolítica: un ensayo", 2014, True)


@cases(
    ("title", "rest"),
    [
        ("Attention Is All You Need.", "(2017). *NeurIPS*"),
        ("Attention Is All You Need.", "(2017). *Vaswani et al.* NeurIPS"),
        (
            "Swin Transformer",
            "(2021). Hierarchical vision transformer using shifted windows. https://arxiv.org/abs/2103.14030",
        ),
        ("Grad-CAM.", "(2017). *Visual Explanations from Deep Networks* https://arxiv.org/abs/1610.02391"),
        ("注意力机制", "(2017). 很重要的论文 https://arxiv.org/abs/1706.03762"),
    ],
)
def test_a_bold_title_before_a_year_stays_the_title(title, rest):
    (paper,) = papers(f"- **{title}** {rest}\n")
    assert paper.title.rstrip(".") == title.rstrip(".")


@cases(
    ("reference", "title", "author"),
    [
        (
            '**Merchant et al., "Scaling deep learning for materials" (GNoME)**, Nature 2023. The scale.',
            "Scaling deep learning for materials",
            "Merchant",
        ),
        ('**W. Sun et al., "The thermodynamic scale"**, Science 2023.', "The thermodynamic scale", "W. Sun"),
        (
            "**Hack & Grund, *Register Allocation for Programs*** (Nature, 2023) — SSA",
            "Register Allocation for Programs",
            "Hack",
        ),
    ],
)
def test_authors_and_title_in_bold_are_told_apart(reference, title, author):
    (paper,) = papers(f"- {reference}\n")
    assert (paper.title, paper.authors[0], paper.year) == (title, author, 2023)


def test_quoted_addresses_below_a_reference_with_a_bold_number_belong_to_it():
    text = (
        '**[1]** W. Lovelace, and M. Abe, "Caches and wires", *Nature*, vol. 22, pp. 6-9, 1976, doi: 10.1145/1.2\n\n'
        "> PDF: [`1.pdf`](paper/1.pdf)\n> DOI: [10.1145/1.2](https://doi.org/10.1145/1.2)\n\n"
        '**[2]** C. Silva, "Agreeing on caches and wires", *Science*, 2006\n\n> PDF: [`2.pdf`](paper/2.pdf)\n'
    )
    first, second = papers(text)
    assert (first.title, first.venue, first.year) == ("Caches and wires", "Nature", 1976)
    assert first.identifiers == ("doi:10.1145/1.2", "file:paper/1.pdf")
    assert (second.title, second.identifiers, second.last) == (
        "Agreeing on caches and wires",
        ("file:paper/2.pdf",),
        8,
    )


def test_a_heading_above_references_is_no_author_of_the_heading_above_it():
    headings = "# Bibliography\n\n## The Loss of Real Value\n\n### Primary Sources\n"
    text = f"{headings}- Han, B. (2014). *Psicopolítica*. Herder.\n- Bauman, Z. (2000). *Liquid Modernity*. Polity.\n"
    paper, _ = papers(text)
    assert paper.topics[-2:] == ("The Loss of Real Value", "Primary Sources")


@cases(
    "title",
    [
        'The "Lottery Ticket" Hypothesis',
        "BERT: *Pre-training of Deep Bidirectional Transformers*",
        '"Why Should I Trust You?" Explaining the Predictions of Any Classifier',
    ],
)
def test_words_framed_in_a_bold_title_are_part_of_it(title):
    (paper,) = papers(f"- **{title}**, NAACL 2019\n")
    assert (paper.title.replace("*", "").replace('"', ""), paper.authors) == (
        title.replace("*", "").replace('"', ""),
        (),
    )


@cases(
    "below",
    [
        "Authors: Kaiming He, Xiangyu Zhang\nYear: 2016\n\nReferences:",
        "https://arxiv.org/abs/1512.03385",
        "Kaiming He, Xiangyu Zhang, Shaoqing Ren\n",
    ],
)
def test_a_heading_with_details_stays_a_paper_above_references(below):
    references = "- Simonyan, K. (2014). *Very deep networks*. arXiv.\n- Szegedy, C. (2015). *Going deeper*. CVPR.\n"
    first = next(iter(papers(f"# Deep Residual Learning for Image Recognition\n\n{below}\n{references}")))
    assert first.title == "Deep Residual Learning for Image Recognition"


def test_a_quoted_reference_to_another_work_says_nothing_of_the_paper_above():
    quoted = "> Vaswani, A. (2017). Attention is all you need. NeurIPS 2017. https://arxiv.org/abs/1706.03762\n"
    first, second = papers(f"# [BERT](https://arxiv.org/abs/1810.04805)\n{quoted}")
    assert (first.title, first.venue, first.authors) == ("BERT", "", ())
    assert second.identifiers == ("arxiv:1706.03762",)


def test_quoted_links_below_a_reference_that_name_other_works_stay_works():
    text = '## References\n\n[1] C. Silva, "Agreeing on caches and wires", *Science*, 2006\n\n> [Caches](https://arxiv.org/abs/1703.06870)\n'
    assert [(paper.title, paper.identifiers) for paper in papers(text)] == [
        ("Agreeing on caches and wires", ()),
        ("Caches", ("arxiv:1703.06870",)),
    ]


FIRST = "Lovelace, A., Abe, K.: A Story of Caches in Machines and of their Many Owners. Journal of Wires (2013)"


@cases(
    "second",
    [
        "K. Silva, S. F. Ch’ng, and J. Babbage, “The second story: of wires,” 2019 Symposium on Wires, pp. 1–8, 2019.",
        "Silva, K. M., Babbage, J. F., 2012. The second story: of wires. Proceedings of the Symposium on Wires, 16–19.",
        ' K. Silva and J. Babbage, "The second story: of wires," 2021 Symposium on Wires, pp. 1-8, doi: 10.1000/182',
        "Silva, Kim & Babbage, Jo. (2019). The second story: of wires. Journal of Wires. 39. 10.1000/182. ",
    ],
)
def test_a_reference_below_one_that_ends_without_a_point_is_another(second):
    first, other = papers(f"{FIRST}\n{second}\n")
    assert (first.title, first.year) == ("A Story of Caches in Machines and of their Many Owners", 2013)
    assert other.title == "The second story: of wires"


def test_lines_further_in_by_one_space_belong_to_the_reference_above():
    text = "Lovelace, A. (2001). Caches Made Simple.\n Wire News.\nBabbage, C. (2014). On Ropes.\n Journal of Ropes.\n"
    assert [(each.first, each.last, each.year) for each in papers(text)] == [(1, 2, 2001), (3, 4, 2014)]


@cases("below", ["Venue: OSDI\nStatus: read", "Conference: OSDI\nNotes: good paper"])
def test_fields_below_a_reference_are_its_own(below):
    (paper,) = papers(f"Lovelace & Babbage (2017) A Story of Caches in Machines\n{below}\n")
    assert paper.venue == "OSDI"


def test_a_paragraph_that_cites_on_two_lines_names_no_second_work():
    lines = (
        "Smith, J. and Jones, A. (2018) argue that caches are misused in many systems, but",
        "Miller, B. and Brown, C. (2019) disagree.",
    )
    assert len(papers("\n".join(lines))) <= 1


def test_titles_that_begin_with_a_small_letter_are_titles():
    text = (
        "Li J (2014) mRNA vaccines and the response of young adults in Europe and Asia\n"
        "Doe A (2016) eBPF in the wild: a study of extensions in production systems\n"
    )
    assert [each.title[:8] for each in papers(text)] == ["mRNA vac", "eBPF in "]
