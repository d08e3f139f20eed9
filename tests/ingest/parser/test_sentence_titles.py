"""Titles that a sentence names in quotation marks or italics, and words in them that are none."""

from readtrack.ingest import parser
from readtrack.ingest.parser.items.sentence_titles import find_titles
from tests.tables import cases

SCALE, DELOS = "The Tail at Scale", "Virtual Consensus in Delos"
ORCA = "Orca: A Distributed Serving System for Transformer-Based Generative Models"
WORDS = "Deep contextualized word representations"


@cases(
    ("sentence", "titles"),
    [
        (f"We began with “{SCALE}” (CACM 2013) last week.", [(SCALE, "CACM", 2013)]),
        (f'Still on the list: "{SCALE}", "{DELOS}".', [(SCALE, "", None), (DELOS, "", None)]),
        (f"After that came *{SCALE}* and _{DELOS}_; both are long.", [(SCALE, "", None), (DELOS, "", None)]),
        (f"We looked at **{SCALE}** (CACM 2013), for the proofs.", [(SCALE, "CACM", 2013)]),
        (
            f"这个月先读了《{SCALE}》（CACM 2013），然后是《{DELOS}》。",
            [(SCALE, "CACM", 2013), (DELOS, "", None)],
        ),
        ("综述里反复引用的是《Graph Attention Networks》。", [("Graph Attention Networks", "", None)]),
        (f"輪講では『{DELOS}』（OSDI、2020年）を扱った。", [(DELOS, "OSDI", 2020)]),
        (f"比較対象は「{SCALE}」と「{DELOS}」が適切。", [(SCALE, "", None), (DELOS, "", None)]),
    ],
)
def test_a_sentence_names_titles(sentence, titles):
    assert [(found.title, found.venue, found.year) for found in find_titles(sentence)] == titles


@cases(
    ("sentence", "titles"),
    [
        (f"Then came {SCALE} (CACM 2013), which is short.", [(SCALE, "CACM", 2013)]),
        ("I liked Deep contextualized word representations (NAACL 2018).", [(WORDS, "NAACL", 2018)]),
        (f"The classic is of course {ORCA}, OSDI 2022.", [(ORCA, "OSDI", 2022)]),
        (f"next up for me → {ORCA}", [(ORCA, "", None)]),
        (f"for Thursday: {ORCA}?", [(ORCA, "", None)]),
        (f"先看了{ORCA}，感觉不错。后者是 OSDI 2022 的文章。", [(ORCA, "", None)]),
        (f"{ORCA}（OSDI'22）を途中まで。", [(ORCA, "OSDI", 2022)]),
        (f"我觉得{WORDS}，NAACL 2018，还行", [(WORDS, "NAACL", 2018)]),
    ],
)
def test_titles_without_quotation_marks_are_told_by_their_form_and_what_is_beside_them(sentence, titles):
    assert [(found.title, found.venue, found.year) for found in find_titles(sentence)] == titles


@cases(
    "sentence",
    [
        "From the New York Times article I learned little.",
        "The Google Brain team, led by Jeff Dean, does not comment.",
        "Present: Alice, Bob, Chen, Dmitri (remote)",
        "Cells were reported by O'Keefe and Dostrovsky (1971).",
        "Reminder: the deadline is on Friday at noon.",
        "Distributed Systems Reading Group meets on Monday.",
        "今天 Kubernetes Operator 升级了",
    ],
)
def test_other_capitals_are_no_titles(sentence):
    assert find_titles(sentence) == ()


@cases(
    ("sentence", "status"),
    [
        ("Did anyone read “Datacenter RPCs can be General and Fast”?", None),
        ("Nobody has read “Datacenter RPCs can be General and Fast”, it seems.", None),
        ("我建议先看《Datacenter RPCs can be General and Fast》。", None),
        ("选读：《Datacenter RPCs can be General and Fast》，下课讨论。", None),
        ("准备看《Datacenter RPCs can be General and Fast》。", "to_read"),
        ("小李已读《Datacenter RPCs can be General and Fast》。", "read"),
        (f"I finished {ORCA} last night", "read"),
        (f"gave up on {ORCA}, too long", "dropped"),
        (f"on my list: {ORCA}", "to_read"),
        (f"{ORCA} を途中まで。", "reading"),
        (f"週末読む → {ORCA}", "to_read"),
        (f"打算下个月读：《{ORCA}》", "to_read"),
        (f"《{ORCA}》已经读过了", "read"),
        (f"{ORCA}（OSDI'22）✅", "read"),
        (f"{ORCA} is the one to compare with", None),
    ],
)
def test_a_sentence_states_the_status_of_its_title(sentence, status):
    assert [found.status for found in find_titles(sentence)] == [status]


@cases(
    "sentence",
    [
        'The authors say that "the two costs can be overlapped in practice".',
        "**Important Things To Know**: bring a laptop.",
        "Use *italics* and _underscores_ for words.",
        "彼は「了解しました」と言った。",
        "看了电影《流浪地球》，不错。",
        "a * b * c and snake_case_name and other_name",
    ],
)
def test_other_quotations_are_no_titles(sentence):
    assert find_titles(sentence) == ()


def test_each_title_of_a_sentence_is_an_entry_with_the_sentence():
    text = f"Last week we read “{SCALE}” (CACM 2013) and, as a contrast, “{DELOS}” (OSDI 2020)."
    entries = parser.parse(text)
    assert [(entry.kind, entry.title, entry.year, entry.part) for entry in entries] == [
        ("paper", SCALE, 2013, 1),
        ("paper", DELOS, 2020, 2),
    ]
    assert {entry.text for entry in entries} == {text}


@cases(
    "title",
    [
        "Predicting Trade-offs for Dense vs. Sparse Retrieval Strategy Selection",
        "We-toon: A Communication Support System between Writers and Artists in Webtoon Sketch Revision",
        "To Interpolate or not to Interpolate: Dense and Sparse Retrievers",
    ],
)
def test_small_words_do_not_cut_a_title(title):
    assert [found.title for found in find_titles(f"{title} (SIGIR 2022)")] == [title]


@cases(
    "text",
    [
        "*5 March 2019*, 2nd part from Chapter four of the book, presented by Ada Lovelace, Ph.D.; slides",
        "[2] « It », M. Silva. Journal of algrithms 11, 208-230 (1990).",
        "Machine Learning Reading Group held in the Faculty of Mathematics and Computer Science",
    ],
)
def test_what_a_meeting_is_about_and_who_speaks_are_no_titles(text):
    assert not [each for each in parser.parse(f"{text}\n") if each.kind == "paper"]


def test_the_venue_in_quotation_marks_is_that_of_the_title_there():
    text = "On Monday we looked at “A Story of Engines and Looms (OSDI 2020)” together.\n"
    found = [(each.title, each.venue, each.year) for each in parser.parse(text) if each.kind == "paper"]
    assert found == [("A Story of Engines and Looms", "OSDI", 2020)]


def test_a_part_of_a_linked_title_is_no_paper_of_its_own():
    title = "Frequent lack of promoter DNA methylation identified through genome-wide manipulation"
    found = [each.title for each in parser.parse(f"[Ford et al.](https://www.biorxiv.org/content/1)  {title}\n")]
    assert found == [title]
