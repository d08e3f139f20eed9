"""The same paper again in one note: by identifier, by title, under other names."""

from collections import Counter

import pytest

from readtrack.ingest import parser
from readtrack.ingest.parser.deduplicate import is_similar_title, mark_duplicates
from readtrack.ingest.parser.entry import ParsedEntry
from tests.growth import calls_of
from tests.tables import cases

ONE, OTHER = "https://arxiv.org/abs/2305.15778", "https://arxiv.org/abs/2401.00134"
LONG = "A Story of Caches and of Those Who Fill Them"


def read(*lines):
    return [each for each in parser.parse("\n\n".join(lines)) if each.kind != "blank"]


def told(*lines):
    return [each for each in parser.preview_json(parser.parse("\n\n".join(lines)), "n") if each["kind"] != "blank"]


def test_a_repeated_identifier_is_a_mention_of_the_first():
    first, again = read(f"- {ONE}", f"- see {ONE}v2")
    assert (first.kind, again.kind, again.decision, again.identifiers) == (
        "paper",
        "mention",
        "add",
        ("arxiv:2305.15778",),
    )
    assert again.reason == "Already on line 1."


def test_a_later_line_fills_missing_fields_of_the_first():
    first, _ = read(f"- {ONE}", f"- [x] [{LONG}]({ONE}) (OSDI'22)")
    assert (first.title, first.venue, first.year, first.status) == (LONG, "OSDI", 2022, "read")


def test_a_later_line_overwrites_nothing():
    first, _ = read(f"- [{LONG}]({ONE}) (OSDI'22)", f"- [{LONG}, Retold]({ONE}) (NSDI'24)")
    assert (first.title, first.venue, first.year) == (LONG, "OSDI", 2022)


def test_further_identifiers_on_a_later_line_are_added_to_the_paper():
    first, again = told(f"- [{LONG}]({ONE})", f"- {LONG} [[arXiv]({ONE})] [[ACM](https://dl.acm.org/doi/10.1145/1.2)]")
    assert first["identifiers"] == ["arxiv:2305.15778", "doi:10.1145/1.2"]
    assert (again["identifiers"], set(again["mentions"])) == ([], {"arxiv:2305.15778", "doi:10.1145/1.2"})


def test_one_identifier_under_clearly_different_titles_needs_review():
    first, again = read(f"- [{LONG}]({ONE})", f"- [Wholly Different Matters of Networks]({ONE})")
    assert (again.kind, again.decision) == ("mention", "review")
    assert again.reason.startswith(f"Already on line {first.first}, but titled “{LONG}” there")
    assert first.title == LONG


@cases(
    ("one", "other"),
    [
        ("ZeRO", "ZeRO: Memory Optimizations Toward Training Trillion Parameter Models"),
        ("vLLM", "Efficient Memory Management for Large Language Model Serving with PagedAttention"),
        ("Attention Is All You Need", "Attention is all you need!"),
        ("Sequence Parallelism: Long Sequence Training", "Sequence Parallelism: Making Long Sequence Training Fast"),
        ("Towards Better Caches", "Toward Better Caching"),
        ("大模型训练的检查点", "Checkpoints of the Training of Large Models"),
        ("大模型训练的检查点", "大模型训练检查点"),
        ("An  Odd–Title", "An Odd-Title"),
    ],
)
def test_renames_short_names_and_subtitles_are_similar(one, other):
    assert is_similar_title(one, other)
    assert is_similar_title(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ring Attention with Blockwise Transformers", "Efficient Memory Management for Serving with PagedAttention"),
        ("The Tail at Scale", "MapReduce: Simplified Data Processing on Large Clusters"),
        ("大模型训练的检查点与并行策略", "推荐系统前沿方向与最新进展综述"),
    ],
)
def test_other_titles_are_not_similar(one, other):
    assert not is_similar_title(one, other)


def test_the_same_title_under_another_identifier_is_proposed_as_a_twin():
    first, twin = told(f"- [{LONG}]({ONE})", f"- [{LONG.upper()}](https://dl.acm.org/doi/10.1145/1.2)")
    assert (twin["kind"], twin["decision"], twin["twin"]) == ("mention", "review", "arxiv:2305.15778")
    assert (
        twin["reason"] == "Same title as line 1: arxiv:2305.15778 there, doi:10.1145/1.2 here. Are they the same work?"
    )
    assert first["identifiers"] == ["arxiv:2305.15778", "doi:10.1145/1.2"]
    assert (twin["identifiers"], twin["mentions"]) == ([], ["doi:10.1145/1.2"])


def test_a_twin_mentioned_again_is_a_mention_of_the_same_paper():
    acm = "https://dl.acm.org/doi/10.1145/1.2"
    kinds = Counter(each["kind"] for each in told(f"- [{LONG}]({ONE})", f"- [{LONG}]({acm})", f"- {acm}"))
    assert kinds == {"paper": 1, "mention": 2}


@pytest.mark.parametrize(
    ("title", "address"),
    [
        ("A Survey of Caches", "https://dl.acm.org/doi/10.1145/1.2"),
        (LONG, "https://zenn.dev/a/articles/0123456789abcd"),
    ],
    ids=["a short title", "an article about it"],
)
def test_generic_titles_and_entries_that_are_not_papers_are_not_twins(title, address):
    assert [each.twin for each in read(f"- [{title}]({ONE})", f"- [{title}]({address})")] == ["", ""]


@pytest.mark.parametrize("order", [1, -1])
def test_a_paper_without_a_link_matches_the_linked_one_of_that_title(order):
    found = read(*[f"- {LONG} (OSDI'22)", f"- [{LONG}]({ONE})"][::order])
    paper, mention = sorted(found, key=lambda each: each.kind, reverse=True)
    assert (paper.kind, mention.kind, mention.identifiers) == ("paper", "mention", ("arxiv:2305.15778",))
    assert (paper.venue, paper.year) == ("OSDI", 2022)


def test_a_paper_listed_twice_without_a_link_is_one():
    papers = [each for each in told("# One", f"- {LONG} (OSDI'22)", "# Two", f"- {LONG}. (OSDI'22)") if each["venue"]]
    assert [each["kind"] for each in papers] == ["paper", "mention"]
    assert papers[0]["topics"] == ["One", "Two"]


def test_the_paper_is_filed_under_the_headings_of_all_its_mentions():
    paper = told("# One", f"- {ONE}", "# Two", f"- [{LONG}]({ONE})", "# Three", f"- {OTHER}")[1]
    assert paper["topics"] == ["One", "Two"]


def test_a_local_file_is_the_same_whatever_its_path_prefix():
    first, again = read("- [A Story of Files](./papers/story.pdf)", "- [A Story of Files](papers/story.pdf)")
    assert (first.kind, again.kind) == ("paper", "mention")


def test_a_page_under_several_titles_may_be_a_list_of_works_and_is_kept_for_each():
    page = "https://example.org/papers/list.pdf"
    first, other = told(f"- [{LONG}]({page})", f"- [Wholly Different Matters of Networks]({page})")
    assert (first["identifiers"], other["identifiers"]) == (["url:example.org/papers/list.pdf"],) * 2
    assert (other["kind"], other["decision"]) == ("mention", "review")


def test_every_identifier_is_in_one_record_only():
    acm = "https://dl.acm.org/doi/10.1145/1.2"
    records = told(
        f"- [{LONG}]({ONE})", f"- [{LONG}]({acm})", f"- [Matters of Wholly Other Kinds]({acm})", f"- {OTHER} {ONE}"
    )
    names = Counter(name for record in records for name in record["identifiers"])
    assert set(names.values()) == {1}
    assert set(names) == {"arxiv:2305.15778", "doi:10.1145/1.2", "arxiv:2401.00134"}


class CountedNames(tuple):  # noqa: SLOT001
    """Identifiers that count how many of them are copied."""

    copied = 0

    def __add__(self, other):
        CountedNames.copied += len(self) + len(other)
        return CountedNames(tuple(self) + tuple(other))


DUPLICATES = {  # identifiers of one entry after the other
    "one identifier": lambda _number: ("doi:10.1145/1",),
    "one identifier and an own one": lambda number: ("doi:10.1145/1", f"url:example.org/{number}"),
    "each shares one with the next": lambda number: (f"url:example.org/{number}", f"url:example.org/{number + 1}"),
    "one title, other identifiers": lambda number: (f"doi:10.1145/{number}",),
    "one title without identifiers": lambda _number: (),
    "both": lambda number: ("doi:10.1145/1", f"url:example.org/{number}")[: number % 3],
}


@cases("names", DUPLICATES.values(), ids=list(DUPLICATES))
def test_twice_as_many_duplicates_take_twice_the_work(names):
    def work(size):
        entries = [
            ParsedEntry(number, number, 1, "paper", "paper", title=LONG, identifiers=CountedNames(names(number)))
            for number in range(1, size + 1)
        ]
        CountedNames.copied, marked = 0, []
        calls = calls_of(lambda: marked.extend(mark_duplicates(entries)))
        assert sum(entry.kind == "mention" for entry in marked) >= size - 2
        return calls + CountedNames.copied + sum(len(entry.identifiers) for entry in marked[1:])

    assert work(600) <= 2.5 * work(300)


def test_an_address_of_many_titles_is_a_folder_and_identifies_none_of_them():
    titles = (
        "A Story of Fast Caches",
        "Weaving Patterns for Looms",
        "Tagged Memory in Engines",
        "Robust Paper Tapes for Engines",
    )
    found = parser.parse("\n".join(f"- [{title}](https://example.org/papers)" for title in titles))
    assert [(each.kind, each.title, each.identifiers) for each in found] == [("paper", title, ()) for title in titles]
    assert {link.url for each in found for link in each.links} == {"https://example.org/papers"}
