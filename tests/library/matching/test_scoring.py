"""Whether a work that was found is the one that was named: what makes it sure, likely, or another."""

import pytest

from readtrack.library.matching.scoring import WantedWork, is_sure, rank_matches
from readtrack.metadata.types import Metadata, Ref

TITLE = "Parcae: Proactive, Liveput-Optimized DNN Training on Preemptible Instances"
PEOPLE = ("Jiangfei Duan", "Ziang Song")


def work(title=TITLE, key="nsdi24/duan", **said):
    values = {"stage": "published", "authors": PEOPLE, "year": 2024, "venue": "NSDI 2024"}
    return Metadata(Ref("usenix", key), "dblp", title=title, **{**values, **said})


def sure(wanted, *found):
    works = rank_matches(wanted, found)
    return len(works) == 1 and is_sure(works[0])


SURE = {
    "the very title": WantedWork(TITLE),
    "without a subtitle's case and marks": WantedWork(TITLE.upper().replace(",", "")),
    "with a typing error": WantedWork(TITLE.replace("Preemptible", "Preemptable")),
    "by one of its authors": WantedWork(TITLE, ("Duan",)),
    "a year off": WantedWork(TITLE, year=2023),
    "at another spelling of its venue": WantedWork(TITLE, year=2024, venue="NSDI'24"),
    "by name, at its venue and in its year": WantedWork("Parcae", year=2024, venue="NSDI", by_name=True),
    "by name and authors": WantedWork("Parcae", PEOPLE),
    "broken off": WantedWork("Parcae: Proactive, Liveput-Optimized", is_truncated=True),
}
ANOTHER = {
    "another title": WantedWork("Varuna: Scalable, Low-cost Training of Massive Deep Learning Models"),
    "by other people": WantedWork(TITLE, ("Ada Example", "Bo Muster")),
    "years off": WantedWork(TITLE, year=2020),
    "at another venue, nobody confirms it": WantedWork(TITLE, venue="OSDI 2024"),
    "by name, at another venue": WantedWork("Parcae", year=2024, venue="OSDI", by_name=True),
    "another name": WantedWork("Parca", year=2024, venue="NSDI", by_name=True),
    "broken off too early": WantedWork("Parcae: Proactive", is_truncated=True),
}


@pytest.mark.parametrize("wanted", SURE.values(), ids=SURE)
def test_a_match_is_certain(wanted):
    assert sure(wanted, work())


@pytest.mark.parametrize("wanted", ANOTHER.values(), ids=ANOTHER)
def test_a_candidate_is_another_work(wanted):
    assert rank_matches(wanted, [work()]) == []


def test_a_name_alone_is_never_certain_and_many_of_that_name_give_nothing():
    named = WantedWork("Gemini")
    works = [work(f"Gemini: {what}", f"osdi{at}/x", authors=(f"Ada {what}",)) for at, what in enumerate("ABCD")]
    assert [(found.likeness, is_sure(found)) for found in rank_matches(named, works[:2])] == [(80, False), (80, False)]
    assert rank_matches(named, works) == []


def test_a_short_title_with_identical_letters_is_only_likely():
    assert not sure(WantedWork("Gemini"), work("Gemini"))
    assert sure(WantedWork("Gemini", PEOPLE), work("Gemini"))


def test_two_works_of_one_title_need_a_choice_unless_the_notes_give_the_authors():
    one, other = work(), work(key="osdi30/x", authors=("Ada Example",))
    assert len(rank_matches(WantedWork(TITLE), [one, other])) == 2
    assert [found.metadata for found in rank_matches(WantedWork(TITLE, ("Ada Example",)), [one, other])] == [other]


def test_the_preprint_and_the_paper_are_one_work_and_the_paper_is_suggested():
    preprint = Metadata(Ref("arxiv", "2403.14097"), title=TITLE, authors=PEOPLE, stage="preprint", year=2023)
    found = rank_matches(WantedWork(TITLE), [preprint, work()])
    assert [str(likely.metadata.ref) for likely in found] == ["usenix:nsdi24/duan"]
    assert found[0].metadata.identifiers == (preprint.ref,)


def test_a_preprint_may_be_years_older_than_the_year_in_the_notes():
    preprint = Metadata(Ref("arxiv", "2403.14097"), title=TITLE, stage="preprint", year=2022)
    assert sure(WantedWork(TITLE, year=2025), preprint)
    assert not sure(WantedWork(TITLE, year=2029), preprint)


@pytest.mark.parametrize(
    ("named", "found"),
    [
        ("Llama 2: Open Foundation and Fine-Tuned Models", "Llama 3: Open Foundation and Fine-Tuned Models"),
        ("On Training Very Large Models, Part I", "On Training Very Large Models, Part II"),
        ("Scaling Training to 1,000 GPUs and Beyond", "Scaling Training to 10,000 GPUs and Beyond"),
    ],
)
def test_a_different_number_in_the_title_means_another_work(named, found):
    assert not sure(WantedWork(named), work(found))


def test_at_most_three_are_shown():
    works = [work(f"{TITLE} {extra}", f"x/{extra}", authors=()) for extra in ("Again", "Once", "More", "Now")]
    assert len(rank_matches(WantedWork(TITLE), works)) <= 3


def test_chinese_titles_are_scored_too():
    title = "面向大规模语言模型训练的高效流水线并行方法研究"
    assert sure(WantedWork(title), work(title, authors=("王 小明",)))
    assert rank_matches(WantedWork(title), [work("面向图神经网络的采样方法", authors=("王 小明",))]) == []
