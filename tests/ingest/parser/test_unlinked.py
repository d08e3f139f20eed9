"""Questions, subjects, tasks and headings, told by their wording."""

import pytest

from readtrack.ingest import parser
from readtrack.ingest.parser.headings.outline import no_topic_reason, topic_of
from readtrack.ingest.parser.items.subjects import is_question, is_task, subject
from readtrack.ingest.parser.items.title_runs import are_titles
from tests.tables import cases


@cases(
    "text",
    [
        "Is it fast?",
        "適切な値とは？",
        "なぜ遅いのか",
        "このまま使えるか？",
        "为什么要切分",
        "这样可以吗",
        "如何选择批大小",
        "Why (really)?)",
        "使えますか。",
    ],
)
def test_a_question_is_recognised_by_its_end_or_beginning(text):
    assert is_question(text)


@cases("text", ["Slurm", "切分策略", "キャッシュの話", "It is fast.", "???", "しずか"])
def test_statements_are_not_questions(text):
    assert not is_question(text)


@cases(
    ("text", "name"),
    [
        ("NCCL", "NCCL"),
        ("DP/PP, ZeRO あたり", "DP/PP, ZeRO"),
        ("キャッシュの話", "キャッシュ"),
        ("A/B/C の違い", "A/B/C の違い"),
        ("张量并行", "张量并行"),
        ("scaling caches on EKS", "scaling caches on EKS"),
        ("DDP をより深める", ""),
        ("コードを読む", ""),
        ("read the code", ""),
        ("看一下源码", ""),
        ("新しいストレージ（2025年5月）", ""),
        ("A、B、C、D の違い", ""),
        ("We should try this", ""),
        ("キャッシュは速いです", ""),
        ("今日はミーティング", ""),
        ("学習を高速化", ""),
        ("GPUが必要", ""),
        ("実装は検討中", ""),
        ("这篇很有意思", ""),
        ("OSDI 2023", ""),
        ("March 2024", ""),
        ("チェックポイントによる耐障害性", "チェックポイントによる耐障害性"),
        ("K8sでの運用", "K8sでの運用"),
        ("不确定性", "不确定性"),
        ("It works.", ""),
        ("***", ""),
    ],
)
def test_a_short_noun_phrase_is_a_subject_and_a_task_or_sentence_is_not(text, name):
    assert subject(text) == name


@cases(
    "name",
    [
        "References",
        "Others",
        "Infos",
        "update",
        "目次",
        "2023",
        "2024年",
        "2024-05",
        "Before 2020",
        "May 2024",
        "その他",
        "参考文献",
        "Awesome-Caches",
        "📚",
    ],
)
def test_headings_that_describe_the_following_list_give_no_topic(name):
    assert no_topic_reason(name).endswith(".")
    assert topic_of(name) == ""


@pytest.mark.parametrize(
    ("name", "topic"),
    [("Training frameworks", "Training frameworks"), ("1. Caches", "Caches"), ("3D parallelism", "3D parallelism")],
)
def test_other_headings_give_a_topic_without_their_number(name, topic):
    assert topic_of(name) == topic


def labelled(text):
    (entry,) = (each for each in parser.parse(f"- {text}\n") if each.kind == "paper")
    return entry.title, entry.topics


@cases(
    ("text", "title", "topics"),
    [
        ("ReAct: https://arxiv.org/abs/2210.03629", "ReAct", ()),
        ("GPT-4: https://arxiv.org/abs/2303.08774", "GPT-4", ()),
        ("Chain of Thought: https://arxiv.org/abs/2201.11903", "Chain of Thought", ()),
        ("vLLM: https://github.com/vllm-project/vllm", "vLLM", ()),
        ("MoE: https://arxiv.org/abs/1701.06538", "", ("MoE",)),
        ("speculative decoding: https://arxiv.org/abs/2211.17192", "", ("speculative decoding",)),
        ("分散学習: https://arxiv.org/abs/2211.17192", "", ("分散学習",)),
        ("ONNX: https://blog.example.org/p/model-development", "", ("ONNX",)),
        ("Paper: https://arxiv.org/abs/2211.17192", "", ()),
    ],
)
def test_a_label_before_an_address_is_the_name_of_a_work_or_a_topic(text, title, topics):
    assert labelled(text) == (title, topics)


def test_a_label_before_several_addresses_is_their_topic():
    text = "- Orca: https://arxiv.org/abs/2309.06180 https://arxiv.org/abs/2101.06840\n"
    assert [each.topics for each in parser.parse(text)] == [("Orca",), ("Orca",)]


def test_few_words_after_an_article_are_a_title():
    assert [each.title for each in parser.parse("- The Google File System\n- A Note on Distributed Computing\n")] == [
        "The Google File System",
        "A Note on Distributed Computing",
    ]


def test_items_of_a_diary_are_no_topics_unless_they_head_others():
    entries = parser.parse("## 2024-03-01\n- NCCL\n- Slurm\n  - https://arxiv.org/abs/2211.17192\n")
    assert [each.kind for each in entries] == ["junk", "snippet", "topic", "paper"]


TITLES = ["Attention is all you need", "Deep residual learning for image recognition", "The google file system"]


@cases(
    "lines",
    [
        TITLES,
        [f"{title}, 2017" for title in TITLES],
        ["Attention Is All You Need", "Deep Residual Learning for Image Recognition"],
        ["In search of an understandable consensus algorithm", *TITLES],
        ["How transferable are features in deep neural networks?", *TITLES],
        ["vLLM: easy, fast, and cheap serving of language models", *TITLES],
        ["Reaching agreement in the presence of faults - Pease et al., 1980", *TITLES],
        ["大規模言語モデルの効率的な推論手法", "深層学習を用いた画像認識の高速化", "合意アルゴリズムの性能評価"],
        ["基于深度学习的图像识别综述", "面向大规模语言模型的训练优化", "一种高效的图神经网络推理框架"],
    ],
)
def test_lines_of_one_form_are_titles_together(lines):
    assert are_titles(lines)


@cases(
    "lines",
    [
        TITLES[:1],
        TITLES[:2],  # in sentence case, two may be remarks
        [
            "KV cache grows with the length of the sequence",
            "Batch size matters for throughput",
            "Decode is memory bound",
        ],
        ["Memory consumption of activations", "Comparison of ZeRO stages", "Pipeline parallelism"],
        ["tensor parallelism inside a node", "pipeline parallelism across nodes", "activation checkpointing"],
        ["How do we shard the optimizer?", "Which scheduler handles preemption?", "What is the cost of decoding?"],
        ["Reply to the reviewer about figure 3", "Write the report for the project", "Fix the bug in the data loader"],
        ["Discussion of the results of last week", "Presentation of the storage cluster", "Dates of the next meetings"],
        [
            "For a higher level overview, try: report",
            "Show samples with: report --all",
            "Use parent filters: -p <regex>",
        ],
        ["キャッシュの話をもう少し詳しく調べる", "来週のミーティングの準備をする", "サーバーの設定を見直したい"],
        ["The scheduler treats long requests in order.", "Memory is full, while others have space.", "It was larger."],
    ],
)
def test_remarks_tasks_and_topics_of_one_form_are_no_titles(lines):
    assert not are_titles(lines)


@cases(
    ("text", "expected"),
    [("check the figures", True), ("ask about the quota", True), ("Check-N-Run: a Checkpointing System", False)],
)
def test_a_verb_begins_a_task_unless_it_is_part_of_a_name(text, expected):
    assert is_task(text) is expected


def test_tasks_and_sentences_are_no_headings():
    entries = parser.parse("ask about GPU quota\n\n- https://arxiv.org/abs/2010.08679\n\n持续更新中，欢迎 PR\n")
    assert not [each for each in entries if each.kind == "topic"]


def test_a_line_with_a_colon_heads_labelled_addresses_below_a_gap():
    entries = parser.parse(
        f"Agents:\n\nReAct: {'https://arxiv.org/abs/2210.03629'}\nReflexion: https://arxiv.org/abs/2303.11366\n"
    )
    assert [each.topics for each in entries if each.kind == "paper"] == [("Agents",), ("Agents",)]


def test_the_box_of_an_item_says_more_than_its_verb():
    assert [each.status for each in parser.parse('- [ ] read "Training Verifiers to Solve Math Word Problems"\n')] == [
        "to_read"
    ]


def test_titles_in_italics_with_their_authors_are_works_to_be_matched():
    text = (
        "- _Wired Caches_ - Lovelace\n\n- _Caches and Groupoids_ - Ada Lovelace: An elementary introduction to them.\n"
    )
    works = [entry for entry in parser.parse(text) if entry.kind == "lead"]
    assert [work.title for work in works] == ["Wired Caches", "Caches and Groupoids"]


@cases(
    "line",
    [
        "- [Consensus](#consensus)",
        "- [Consensus](#consensus) (12)",
        "- [Consensus](#consensus)：2篇",
        '- 2.1 [Consensus](#consensus "to it")',
        "- [Storage (disks)](#storage-(disks))",
        "[Consensus](#consensus) | [Storage](#storage)",
    ],
)
def test_a_line_of_a_table_of_contents_is_ignored(line):
    [entry] = [each for each in parser.parse(f"some words\n\n{line}\n") if each.first == 3]
    assert (entry.kind, entry.decision, entry.reason) == ("junk", "skip", "Table of contents, ignored.")


@cases(
    ("line", "remark"),
    [
        ("小刘，我建议先看《Structured Streaming: A Declarative API》（SIGMOD 2018）。", "小刘，我建议先看"),
        ("- 小王，推荐《Structured Streaming: A Declarative API》（SIGMOD 2018）", "小王，推荐"),
    ],
)
def test_an_english_title_in_a_chinese_sentence_is_the_title_and_the_sentence_its_remark(line, remark):
    found = parser.parse(f"# 邮件\n\n{line}\n")[-1]
    assert (found.title, found.venue, found.year) == ("Structured Streaming: A Declarative API", "SIGMOD", 2018)
    assert (found.authors, found.topics, found.text) == ((), (), remark)


def test_a_venue_in_full_width_brackets_is_read_before_a_remark():
    (found,) = parser.parse("- 《Structured Streaming: A Declarative API》（SIGMOD 2018）值得读\n")
    assert (found.title, found.venue, found.year) == ("Structured Streaming: A Declarative API", "SIGMOD", 2018)
