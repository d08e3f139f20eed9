"""Lists whose heading says that they hold works: their items are papers, whatever their form."""

from readtrack.ingest import parser
from tests.tables import cases


def papers(text):
    return [(each.title, each.status) for each in parser.parse(text) if each.kind == "paper"]


@cases(
    ("heading", "status"),
    [
        ("## Papers Read", "read"),
        ("## Books I have read", "read"),
        ("## Notes of papers and articles I read", "read"),
        ("== Papers read", "read"),
        ("## Papers to read", "to_read"),
        ("## 未读论文", "to_read"),
    ],
)
def test_items_below_papers_read_are_papers_with_that_status(heading, status):
    text = f"{heading}\n* Forward build systems, formally\n* Programmed Inequality\n* The End of Computing Science?\n"
    titles = ["Forward build systems, formally", "Programmed Inequality", "The End of Computing Science?"]
    assert papers(text) == [(title, status) for title in titles]


def test_a_single_word_below_papers_to_read_waits_for_a_decision_and_becomes_no_topic():
    kinds = [each.kind for each in parser.parse("## Papers to read\n- raft\n- Forward build systems, formally\n")]
    assert kinds == ["junk", "lead", "paper"]


def test_tasks_and_groups_below_such_a_heading_are_no_papers():
    text = "## Papers to read\n- LLM\n  - [Engines](https://arxiv.org/abs/2301.00001)\n- buy a printer for the office\n"
    assert papers(text) == [("Engines", "to_read")]


def test_items_below_reading_list_are_to_read_where_another_heading_says_what_was_read():
    text = "# Reading list\n- {0}1 of Many Words (OSDI 2020)\n# Papers I read\n- {0}2 of Many Words (OSDI 2020)\n"
    assert [status for _, status in papers(text.format("A Story of Engines "))] == ["to_read", "read"]


def test_what_is_for_someday_is_to_read_beside_other_statuses():
    assert (
        parser.parse("## Done\n- Paxos Made Live (PODC 2007)\n## Someday\n- Viewstamped Replication (PODC 1988)\n")[
            -1
        ].status
        == "to_read"
    )


@cases("heading", ["# Papers", "# Reading", "五十篇论文阅读计划：", "# 読みたい論文"])
def test_items_to_check_in_a_list_of_what_to_read_are_papers_though_their_names_are_short(heading):
    text = f"{heading}\n- [x] SAM\n- [ ] FLUX-Kontext\n\t- [ ] code\n- [ ] self forcing\n"
    assert papers(text) == [("SAM", "read"), ("FLUX-Kontext", "to_read"), ("self forcing", "to_read")]


def test_items_to_check_in_other_lists_are_no_papers():
    assert papers("# Sprint 12\n- [x] deploy\n- [ ] LoRA\n- [ ] fix the build\n") == []


def test_an_item_to_check_that_heads_others_is_a_topic():
    text = "# Reading list\n- [ ] Systems\n  - [ ] Raft\n  - [x] Paxos\n"
    assert papers(text) == [("Raft", "to_read"), ("Paxos", "read")]


@cases(
    ("row", "status"), [("| PrefEval | 読了 |", "read"), ("| PingPong | 未読 |", "to_read"), ("| FURINA | PDF |", None)]
)
def test_rows_of_a_table_of_papers_with_a_status_are_papers_though_their_names_are_short(row, status):
    text = f"| 文献 | 状態 |\n|---|---|\n{row}\n| Two Tales of Persona in LLMs | 読了 |\n"
    assert papers(text)[0][1] == status
    assert len(papers(text)) == 2


def test_rows_of_a_table_of_results_wait_for_a_decision():
    assert papers("| Paper | Accuracy |\n|---|---|\n| BERT | 92.1 |\n| LoRA | 93.4 |\n") == []


def test_stars_of_asciidoc_and_wikis_are_nested_items_and_no_headings_of_org():
    text = "== Papers Read\n* Secrets of the Haskell Inliner\n** again\n** interest: 7\n* Forward build systems\n"
    assert [title for title, _ in papers(text)] == ["Secrets of the Haskell Inliner", "Forward build systems"]


@cases(
    "text",
    [
        "# Paper reviews (deadline Friday)\n- [ ] Submission 12\n- [ ] Meta-review\n",
        "# Reading group\n- [ ] Book the room\n- [x] Slides for Monday\n",
        "# Reading view\n- [x] Font size menu\n- [ ] Page numbers\n",
        "# 論文執筆\n- [ ] 序論\n- [ ] 関連研究\n",
        "## Papers read\n- Machine Learning\n  - Pattern Recognition\n",
    ],
)
def test_tasks_and_groups_elsewhere_are_no_papers(text):
    assert papers(text) == []


def test_groups_below_papers_read_keep_their_items():
    text = "## Papers to read\n- Recommended by Ann\n  - Attention Is All You Need\n  - Paxos Made Live (PODC 2007)\n"
    assert [(each.title, each.topics) for each in parser.parse(text) if each.kind in {"paper", "lead"}] == [
        ("Attention Is All You Need", ("Recommended by Ann",)),
        ("Paxos Made Live", ("Recommended by Ann",)),
    ]


def test_items_in_bold_are_titles_in_a_list_of_what_was_read():
    games, control = "Playing Atari with Deep Reinforcement Learning", "Human-level control through deep learning"
    remark = "使用两个网络并固定其中一个的权重"
    text = f"# 论文阅读\n## RL\n- **{games}**\n  - {remark}\n- **{control}**\n- **Note to self: book a room**\n"
    assert papers(text) == [(games, None), (control, None)]
    assert (control, None) not in papers(text.replace("# 论文阅读", "# Sprint 12"))
