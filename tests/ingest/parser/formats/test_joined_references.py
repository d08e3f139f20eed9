"""References that run together on one line."""

from readtrack.ingest import parser
from tests.tables import cases

JOINED = (
    "[7] A. Lovelace, K. Abe, A Story of Caches and Wires, Journal of Wires 12 (2013) 75-81."
    "[8] J. Silva, B. Writer, Ropes in Many Places, 2017. doi:10.1000/182.[9] C. Babbage, On Looms, Wire News, 2018."
)


@cases("before", ["", "References"])
def test_references_copied_from_a_pdf_are_one_work_each(before):
    found = parser.parse(f"{before}{JOINED}\n")
    assert [(each.kind, each.part, each.year) for each in found] == [
        ("paper", 1, 2013),
        ("paper", 2, 2017),
        ("paper", 3, 2018),
    ]
    assert [name in each.title for each, name in zip(found, ("Caches", "Ropes", "Looms"), strict=True)] == [True] * 3
    assert found[1].identifiers == ("doi:10.1000/182",)


@cases(
    "text",
    [
        "[1] is faster than [2] by far, as measured in 2019.",
        "[1] Name changed in 2015 after the merger with Wires. [2] The company was founded in 1998 by two students.",
        "[1] shows it. [2] shows that it does not hold in 2019.",
        "[2019] A. Lovelace, A Story of Caches and Wires, and more.[2020] K. Abe, The Second Story of Caches",
        "[1] A. Lovelace, A Story of Caches and Wires, 2013.[3] K. Abe, The Second Story of Caches, 2015.",
    ],
)
def test_other_numbers_in_brackets_split_no_line(text):
    assert len([each for each in parser.parse(f"{text}\n") if each.kind == "paper"]) <= 1
