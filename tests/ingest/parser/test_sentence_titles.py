"""Titles that a sentence names in quotation marks or italics, and words in them that are none."""

from readtrack.ingest import parser
from readtrack.ingest.parser.items.sentence_titles import FramedTitle, find_framed_titles
from tests.tables import cases

SCALE, DELOS = "The Tail at Scale", "Virtual Consensus in Delos"


@cases(
    ("sentence", "titles"),
    [
        (f"We began with “{SCALE}” (CACM 2013) last week.", [FramedTitle(SCALE, "CACM", 2013)]),
        (f'Still on the list: "{SCALE}", "{DELOS}".', [FramedTitle(SCALE), FramedTitle(DELOS)]),
        (f"After that came *{SCALE}* and _{DELOS}_; both are long.", [FramedTitle(SCALE), FramedTitle(DELOS)]),
        (f"We looked at **{SCALE}** (CACM 2013), for the proofs.", [FramedTitle(SCALE, "CACM", 2013)]),
        (
            f"这个月先读了《{SCALE}》（CACM 2013），然后是《{DELOS}》。",
            [FramedTitle(SCALE, "CACM", 2013), FramedTitle(DELOS)],
        ),
        ("综述里反复引用的是《Graph Attention Networks》。", [FramedTitle("Graph Attention Networks")]),
        (f"輪講では『{DELOS}』（OSDI、2020年）を扱った。", [FramedTitle(DELOS, "OSDI", 2020)]),
        (f"比較対象は「{SCALE}」と「{DELOS}」が適切。", [FramedTitle(SCALE), FramedTitle(DELOS)]),
    ],
)
def test_a_sentence_names_titles(sentence, titles):
    assert find_framed_titles(sentence) == titles


@cases(
    "sentence",
    [
        'The authors say that "the two costs can be overlapped in practice".',
        "**Important Things To Know**: bring a laptop.",
        "Use *italics* and _underscores_ for words.",
        "彼は「了解しました」と言った。",
        "看了电影《流浪地球》，不错。",
        "“The Tail at Scale”",
        "a * b * c and snake_case_name and other_name",
    ],
)
def test_other_quotations_are_no_titles(sentence):
    assert find_framed_titles(sentence) == []


def test_each_title_of_a_sentence_is_an_entry_with_the_sentence():
    text = f"Last week we read “{SCALE}” (CACM 2013) and, as a contrast, “{DELOS}” (OSDI 2020)."
    entries = parser.parse(text)
    assert [(entry.kind, entry.title, entry.year, entry.part) for entry in entries] == [
        ("paper", SCALE, 2013, 1),
        ("paper", DELOS, 2020, 2),
    ]
    assert {entry.text for entry in entries} == {text}
