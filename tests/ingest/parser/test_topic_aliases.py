"""Headings that seem to say the same in two languages: the other name is offered, nothing is merged."""

from readtrack.ingest import parser
from readtrack.ingest.parser.topic_aliases import names_in
from tests.tables import cases


@cases(
    ("heading", "names"),
    [
        ("分散学習 (Distributed Training)", ("分散学習", "Distributed Training")),
        ("Distributed Training（分布式训练）", ("Distributed Training", "分布式训练")),
        ("训练 / Training", ("训练", "Training")),
        ("推論｜Inference", ("推論", "Inference")),
        ("推荐系统 Recommender Systems", ("推荐系统", "Recommender Systems")),
        ("Scheduling 调度", ("Scheduling", "调度")),
    ],
)
def test_a_heading_in_two_languages_offers_both_names(heading, names):
    assert names_in(heading) == names
    (topic,) = parser.parse(f"## {heading}\n")
    assert (topic.title, topic.aliases) == (heading, names)


@cases(
    "heading",
    [
        "Training",
        "训练",
        "Serving (LLM)",
        "GPU の話",
        "训练（第一部分）",
        "TCP/IP",
        "推論 (2023)",
        "A / B",
        "Megatron 的实现",
    ],
)
def test_a_heading_in_one_language_offers_none(heading):
    assert names_in(heading) == ()


def test_a_known_translation_from_above_is_offered_for_the_later_heading():
    first, second, third = parser.parse("## 训练\n## Storage\n## Training\n")
    assert (first.aliases, second.aliases, third.aliases) == ((), (), ("训练",))


def test_a_repeated_heading_offers_nothing():
    assert [each.aliases for each in parser.parse("## Training\n## training\n")] == [(), ()]


def test_names_in_two_languages_are_offered_and_never_merged():
    text = "## 训练\n- https://arxiv.org/abs/2305.15778\n## Training\n- https://arxiv.org/abs/2401.00134\n"
    assert [each.topics for each in parser.parse(text) if each.kind == "paper"] == [("训练",), ("Training",)]
