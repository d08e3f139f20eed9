"""Papers that are likely there twice, and those that only look it."""

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readtrack.library.duplicates.blocking import ComparedPaper, DuplicateCandidate
from readtrack.metadata.types import Ref
from tests.depth import DEEP, some
from tests.library.duplicates.comparison import find_all, find_candidates
from tests.library.papers import noise

pytestmark = pytest.mark.slow  # `make check` is to be quick

ANN, BEA, CY, DI, FLO = "Ann Orr", "Bea Kuhn", "Cy Roe", "Di Lu", "Flo Poe"
LARKS = "LarkServe: Filling Idle Machines at Night"


def known(number: int, title: str, *authors: str, year: int | None = None, **more) -> ComparedPaper:
    refs = tuple(Ref.parse(ref) for ref in more.pop("refs", ()))
    return ComparedPaper(number, title, authors, year, refs=refs, **more)


def the_one(*papers: ComparedPaper) -> DuplicateCandidate:
    (candidate,) = find_candidates(papers)
    assert (candidate.one, candidate.other) == (1, 2)
    assert 50 < candidate.likeness <= 100
    assert candidate.evidence.endswith(".")
    return candidate


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        (
            (LARKS, ANN, 2023),
            ("larkserve: filling idle machines at night", "Orr, A.", 2024),
            "The same title, the same",
        ),
        ((LARKS, ANN, None), (LARKS, None, None), "authors are known of one only"),
        ((LARKS, None, 2023), (LARKS, None, 2023), "no authors are known, both of 2023"),
        (("LarkServe", ANN, 2023), (LARKS, ANN, 2023), "One title is the beginning of the other"),
        ((LARKS, ANN, 2023), ("LarkServe: Filling Idle Mach…", None, None), "One title is the beginning of the other"),
        ((LARKS, ANN, 2023), ("Filling Idle Machines at Night", ANN, None), "without the name before the colon"),
        ((LARKS, ANN, 2023), ("LarkServe: How to Fill the Machines at Night", ANN, 2024), "The same name before"),
        ((LARKS, ANN, 2023), ("WrenServe: Filling Idle Machines at Night", ANN, 2023), "but for the name"),
        ((LARKS, ANN, 2023), ("LarkServe: Filing Idel Machines at Nigth", "A. Orr", None), "alike by"),
        ((LARKS, ANN, 2023), (r"\textsc{LarkServe}: {F}illing <i>Idle</i> Machines", ANN, 2023), "beginning"),
        (
            ("分散学習の通信を減らす方法", "山田花子", 2020),
            ("分散学習における通信を減らす方法", "花子 山田", 2020),
            "alike by",
        ),
        (("弹性训练系统的设计与实现", "刘伟", 2020), ("弹性訓練系统的設计与实现", "刘伟", 2020), "alike by"),
        (("弹性训练系统的设计与实现", "刘伟", 2020), ("弹性训练系统的设计与实现", "Wei Liu", 2020), "in other letters"),
        (("Larks", ANN, 2023), ("LARKS", "A. Orr", 2023), "The same title, the same people"),
        (
            ("Taming Tail Latency of Mobile Key-Value Stores using Shadows", ANN, 2023),
            ("Taming Tail Latency of Mobile Key-Value Stores Using Shadows", BEA, 2023),
            "but other authors",
        ),
    ],
)
def test_a_duplicate_is_found_with_its_reason(one, other, said):
    papers = [
        known(number, title, *([author] if author else []), year=year)
        for number, (title, author, year) in enumerate((one, other), 1)
    ]
    assert said in the_one(*papers).evidence


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((LARKS, (ANN, BEA), 2023), ("LarkServe: Compressing Gradients of Sparse Experts", (CY, DI), 2023)),
        ((LARKS, (ANN, BEA), 2023), ("LarkServe: Compressing Gradients of Sparse Experts", (ANN, BEA), 2023)),
        ((LARKS, (ANN, BEA), 2023), ("LarkServe", (), None)),
        (("LarkServe", (), None), ("LarkServe", (), None)),
        ((LARKS, (ANN,), 2020), ("LarkServe: Filling Idle Machines", (CY,), 2020)),
        (("Introduction", (ANN,), 2020), ("Introduction", (BEA,), 2020)),
        (("A Survey of Deep Learning", (ANN, BEA), 2015), ("A Survey of Deep Learning", (CY, DI), 2022)),
        (("A Survey of Deep Learning", (ANN, BEA), 2015), ("A Survey of Deep Learning", (), 2022)),
        (("Lessons from Night Trains, Part I", (ANN,), 2020), ("Lessons from Night Trains, Part II", (ANN,), 2020)),
        (("Lessons from Night Trains", (ANN,), 2020), ("Lessons from Night Trains, Part II", (ANN,), 2020)),
        (("The Wren 3 Family of Models", (ANN, BEA), 2023), ("The Wren 4 Family of Models", (ANN, BEA), 2024)),
        (
            ("Lark: Elastic Caching for Edge Devices", (ANN,), 2020),
            ("Wren: Lazy Caching for Edge Devices", (ANN,), 2021),
        ),
        (("分散学習の通信", ("山田花子",), 2020), ("推論サーバの記憶", ("山田花子",), 2020)),
        (("", (), None), ("", (), None)),
        (("!?", (ANN,), 2020), ("…", (ANN,), 2020)),
    ],
)
def test_merely_similar_works_are_not_duplicates(one, other):
    papers = [known(n, title, *authors, year=year) for n, (title, authors, year) in enumerate((one, other), 1)]
    assert find_candidates(papers) == []


@pytest.mark.parametrize(
    ("ones", "others", "said"),
    [
        (["arxiv:2301.00001"], ["arxiv:2302.00002"], "two arXiv numbers"),
        (["doi:10.48550/arXiv.2301.00001"], ["arxiv:2302.00002"], "two arXiv numbers"),
        (["doi:10.1145/1.2"], ["doi:10.1109/3.4"], "two DOIs"),
        (["usenix:osdi23/orr"], ["usenix:atc24/orr"], "two USENIX pages"),
    ],
)
def test_different_identifiers_need_the_same_title_and_authors_and_are_reported(ones, others, said):
    one = known(1, LARKS, ANN, BEA, year=2023, refs=ones)
    alike = known(2, LARKS, ANN, BEA, year=2023, refs=others)
    renamed = known(2, f"{LARKS} and Day", ANN, BEA, year=2023, refs=others)
    nameless = known(2, LARKS, year=2023, refs=others)
    found = the_one(one, alike)
    assert said in found.evidence
    assert found.likeness < the_one(one, known(2, LARKS, ANN, BEA, year=2023)).likeness
    assert find_candidates([one, renamed]) == find_candidates([one, nameless]) == []


def test_two_spellings_of_one_arxiv_identifier_do_not_indicate_two_works():
    one = known(1, LARKS, ANN, year=2023, refs=["arxiv:2301.00001"])
    other = known(2, f"{LARKS} and Day", ANN, year=2023, refs=["doi:10.48550/arXiv.2301.00001"])
    assert "two works" not in the_one(one, other).evidence


@pytest.mark.parametrize(
    ("ones", "others"),
    [
        (["arxiv:2301.00001"], ["doi:10.1145/1.2"]),
        (["doi:10.48550/arXiv.2301.00001"], ["usenix:osdi23/orr"]),
        (["doi:10.1101/2023.01.01"], ["doi:10.1145/1.2"]),
    ],
)
def test_a_preprint_and_its_publication_are_one_work_and_reported_so(ones, others):
    one = known(1, LARKS, ANN, year=2023, refs=ones)
    assert (
        "one is a preprint, the other published"
        in the_one(one, known(2, f"{LARKS} and Day", ANN, year=2024, refs=others)).evidence
    )


@pytest.mark.parametrize(("kind", "is_found"), [("video", False), ("slides", False), ("code", False), ("page", True)])
def test_a_talk_or_program_is_not_a_duplicate_of_its_paper_but_a_page_may_be(kind, is_found):
    assert bool(find_candidates([known(1, LARKS, ANN), known(2, LARKS, ANN, kind=kind)])) is is_found


def test_every_pair_appears_once_and_the_likeliest_first():
    papers = [known(n, title, ANN, year=2023) for n, title in enumerate((LARKS, f"{LARKS} and Day", LARKS), 1)]
    assert [(pair.one, pair.other) for pair in find_candidates(reversed(papers))] == [(1, 3), (1, 2), (2, 3)]


def test_a_title_shared_by_a_whole_library_costs_no_more_than_others():
    papers = [known(n, "Introduction", f"Ann {'abcdefgh'[n % 8]}orr", year=2020) for n in range(1, 1_001)]
    papers += [known(n, LARKS, ANN, year=2000 + n % 20) for n in range(1_001, 2_001)]
    started = time.process_time()
    find_candidates(papers)
    assert time.process_time() - started < 10


@pytest.mark.deep
@given(st.integers(0, 10_000))
def test_candidates_are_pairs_of_existing_papers_with_a_reason(seed):
    papers = noise.library(40, seed=seed, share=0.3).papers
    for pair in find_candidates(papers):
        assert 1 <= pair.one < pair.other <= len(papers)
        assert 50 < pair.likeness <= 100
        assert pair.evidence.endswith(".")


@pytest.mark.deep
@pytest.mark.parametrize("seed", some([1, 2], 1))
def test_among_papers_with_three_percent_copies_nearly_all_copies_are_found(seed):
    made = noise.library(10_000 if DEEP else 3_000, seed=seed)
    recall, precision = made.measured(find_candidates(made.papers))
    assert recall >= 0.95
    assert precision >= 0.90


@pytest.mark.parametrize("seed", some([1, 2, 3], 1))
def test_no_duplicate_is_missed_that_comparing_each_paper_with_every_other_finds(seed):
    papers = noise.library(400, seed=seed, share=0.1).papers
    assert find_candidates(papers) == find_all(papers)


def real() -> Iterator[tuple[ComparedPaper, tuple[str, ...]]]:
    """Papers that people read, and other titles under which they are known."""
    samples = os.environ.get("READTRACK_TEST_SAMPLES")
    files = sorted(Path(samples).parent.glob("recordings/facts*.json")) if samples else []
    if not files:
        pytest.skip("READTRACK_TEST_SAMPLES names no folder beside recordings with facts of real papers")
    for fact in (fact for file in files for fact in json.loads(file.read_text(encoding="utf-8"))):
        refs = tuple(Ref(scheme, fact[scheme]) for scheme in ("arxiv", "doi", "usenix") if fact[scheme])
        paper = ComparedPaper(0, fact["title"], tuple(fact["authors"] or ()), fact["year"], refs=refs)
        yield paper, tuple(fact.get("other_titles") or ())


def test_real_papers_under_two_titles_are_found_without_false_positives():
    made = noise.Library()
    for paper, others in real():
        first = made.add(paper)
        for title in others:
            made.add(ComparedPaper(0, title, paper.authors, paper.year), copy_of=first)
    recall, precision = made.measured(find_candidates(made.papers))
    assert precision == 1
    assert recall >= 0.8  # a title that was written anew says nothing of the old one


@pytest.mark.deep
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_copies_of_real_papers_are_found_with_few_false_positives(seed):
    made, random = noise.Library(), Random(seed)
    for paper, _ in real():
        made.add(paper)
    made.spoil(random, random.sample(made.papers, 200))
    recall, precision = made.measured(find_candidates(made.papers))
    assert recall >= 0.95
    assert precision >= 0.90
