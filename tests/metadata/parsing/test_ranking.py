"""Works that were found by a title."""

from readtrack.metadata.parsing.answers import MAX_RESULTS, rank_by_title
from readtrack.metadata.types import Metadata, Ref


def work(number, title, stage="published"):
    return Metadata(ref=Ref("doi", f"10.1145/{number}"), title=title, stage=stage)


def test_the_likeliest_come_first_and_a_published_work_before_its_preprint():
    found = [
        work(1, "Another Thing Entirely"),
        work(2, "A Study of Warm Kettles", "preprint"),
        work(3, "A Study of Warm Kettles and Pots"),
        work(4, "A study of warm kettles"),
    ]
    assert [one.ref.key for one in rank_by_title("A Study of Warm Kettles", found)] == [
        "10.1145/4", "10.1145/2", "10.1145/3", "10.1145/1",
    ]  # fmt: skip


def test_ties_keep_the_order_of_the_service():
    found = [work(number, "Kettles and Their Lids") for number in (7, 3, 5)]
    assert [one.ref.key for one in rank_by_title("Kettles", found)] == ["10.1145/7", "10.1145/3", "10.1145/5"]


def test_each_work_appears_once_none_without_a_title_and_only_a_few():
    found = [work(1, "Kettles"), work(1, "Kettles again"), work(2, ""), *(work(n, "Pots") for n in range(10, 40))]
    ranked = rank_by_title("Kettles", found)
    assert len(ranked) == MAX_RESULTS
    assert [one.title for one in ranked[:2]] == ["Kettles", "Pots"]
