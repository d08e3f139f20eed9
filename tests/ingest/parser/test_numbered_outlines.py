"""Outlines with numbers of several levels, as lecture notes have them: `1. Topic`, `1.2. Part`, `1.2.1. Title`."""

from readtrack.ingest import parser
from tests.tables import cases

PAXOS = "The part-time parliament. ACM TOCS, 16(2), 133–169."
RAFT = (
    "In search of an understandable consensus algorithm. ATC, 14(1), 305–319. https://doi.org/10.5555/2643634.2643666"
)
NOTE = f"""\
1.　第2回　合意

1.1.　Paxos

1.1.1.　[Lamport, L. (1998).](https://lamport.org/paxos){{:target="_blank"}} {PAXOS}

1.2.　Raft

1.2.1.　[Ongaro, D., & Ousterhout, J. (2014).](https://raft.org/paper.pdf) {RAFT}

2.　応用

2.1.　[Zookeeper](https://arxiv.org/abs/2401.00001)
"""


def read(text):
    return [entry for entry in parser.parse(text) if entry.kind in {"paper", "lead", "page"}]


def test_numbers_tell_what_stands_under_which_topic():
    assert [entry.topics for entry in read(NOTE)] == [("第2回 合意", "Paxos"), ("第2回 合意", "Raft"), ("応用",)]


def test_a_reference_behind_linked_authors_is_one_paper_with_all_its_addresses():
    paxos, raft, _ = read(NOTE)
    assert (paxos.title, paxos.year, paxos.venue) == ("The part-time parliament", 1998, "ACM TOCS")
    assert (raft.title, raft.year) == ("In search of an understandable consensus algorithm", 2014)
    assert list(map(str, raft.identifiers)) == ["doi:10.5555/2643634.2643666", "url:raft.org/paper.pdf"]


@cases(
    ("number", "note"),
    [
        (
            "3.14",
            "3.14 Paxos Made Simple\n\n3.15 Raft Refloated\n\n3.16 Paxos Made Live\n\n3.17 Vertical Paxos\n",
        ),  # a day
        ("2.0.1", "2.0.1 Search mended\n\n2.0 Search\n\n1.9.1 Imports mended\n\n1.9 Imports\n\n1.8.1 Lists\n\n1.8 A\n"),
    ],
)
def test_days_and_versions_are_no_outline(number, note):
    assert parser.parse(note)[0].title.startswith(number)


def test_bullets_below_a_number_stand_under_its_topic():
    papers = (
        "[Paxos Made Simple](https://arxiv.org/abs/2101.00001)",
        "[The File System](https://arxiv.org/abs/2101.00004)",
    )
    note = f"1. Systems\n\n1.1. Consensus\n\n- {papers[0]}\n\n1.2. Storage\n\n- {papers[1]}\n\n1.3. Networks\n"
    assert [entry.topics for entry in read(note)] == [("Systems", "Consensus"), ("Systems", "Storage")]


def test_amounts_are_no_outline():
    found = parser.parse("1 l milk\n1.5 kg flour\n1.7 kg sugar\n1.8 kg butter\n")
    assert [entry.title or entry.text for entry in found][1] == "1.5 kg flour"


def test_works_between_which_a_sentence_goes_on_are_two():
    line = "- [Lee, A. (2020)](https://doi.org/10.1145/1) is refuted by https://arxiv.org/abs/2101.00002"
    assert len(read(line)) == 2
