"""Questions, subjects, tasks and headings, told by their wording."""

import pytest

from readtrack.ingest.parser.headings.outline import no_topic_reason, topic_of
from readtrack.ingest.parser.items.unlinked import is_question, subject
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
