"""Tasks of todo.txt: papers among them, with the status that they state."""

from readtrack.ingest import parser
from tests.tables import cases

CHORES = "(C) call the landlord @phone\nx 2024-05-11 order toner +lab\n(A) send camera ready +paper\n"


@cases(
    ("line", "title", "status"),
    [
        ("(A) 2024-05-01 Attention Is All You Need +reading @desk", "Attention Is All You Need", None),
        ("x 2024-05-12 2024-05-02 Graph Attention Networks +reading", "Graph Attention Networks", "read"),
        ("(B) read Attention Is All You Need +reading due:2024-06-01", "Attention Is All You Need", "to_read"),
        ("x 2024-05-12 Mask R-CNN https://arxiv.org/abs/1703.06870 +cv", "Mask R-CNN", "read"),
        ("Attention Is All You Need https://arxiv.org/abs/1706.03762 @train", "Attention Is All You Need", None),
    ],
)
def test_a_task_names_a_paper_and_its_status(line, title, status):
    papers = [entry for entry in parser.parse(CHORES + line) if entry.kind == "paper"]
    assert [(paper.title, paper.status) for paper in papers] == [(title, status)]


def test_chores_are_no_papers_and_no_topics():
    assert {entry.kind for entry in parser.parse(CHORES)} == {"snippet"}
