"""Org notes: headings that are papers or topics, status words, drawers, citations, and lines that only Org has."""

import pytest

from readtrack.ingest import parser
from tests.growth import LONG, assert_grows_with_its_text, repeat
from tests.tables import cases


def read(text):
    return [entry for entry in parser.parse(text) if entry.kind != "blank"]


def papers(text):
    return [entry for entry in read(text) if entry.kind == "paper"]


def paper(text):
    (found,) = papers(text)
    return found


@cases(
    ("heading", "status"),
    [
        ("TODO", "to_read"),
        ("NEXT", "to_read"),
        ("INBOX", "to_read"),
        ("inbox", "to_read"),
        ("TOREAD", "to_read"),
        ("READING", "reading"),
        ("STRT", "reading"),
        ("WAITING", "paused"),
        ("DONE", "read"),
        ("SKIMMED", "read"),
        ("CANCELLED", "dropped"),
        ("canceled", "dropped"),
    ],
)
def test_the_first_word_of_a_heading_states_the_status(heading, status):
    entry = paper(f"* Papers\n** {heading} [#A] [[https://arxiv.org/abs/1706.03762][Attention Is All You Need]] :ml:\n")
    assert (entry.status, entry.title) == (status, "Attention Is All You Need")
    assert entry.identifiers == ("arxiv:1706.03762",)
    assert entry.topics == ("ml",)


@cases(
    ("word", "status"),
    [
        ("SKIM", "to_read"),
        ("READING", "reading"),
        ("DIGESTED", "read"),
        ("GAVEUP", "dropped"),
        ("READ", "to_read"),
        ("ABORT", "dropped"),
    ],
)
def test_custom_todo_keywords_count_when_the_note_declares_them(word, status):
    declared = "#+TODO: TODO SKIM(s) READ READING(r!) | DIGESTED(d@/!) GAVEUP\n"
    assert paper(f"{declared}* {word} https://arxiv.org/abs/1706.03762\n").status == status


@cases(("word", "status"), [("待读", "to_read"), ("在读", "reading"), ("已读", "read"), ("放弃", "dropped")])
def test_declared_states_may_be_chinese(word, status):
    declared = "#+SEQ_TODO: 待读 在读 | 已读 放弃\n"
    assert paper(f"{declared}* {word} https://arxiv.org/abs/1706.03762\n").status == status


@cases("word", ["BERT", "MY", "Reading", "Done", "START"])
def test_an_undeclared_keyword_belongs_to_the_title(word):
    entry = paper(f"#+title: x\n* [[https://arxiv.org/abs/1810.04805][{word} Models and Their Kin]]\n")
    assert entry.title == f"{word} Models and Their Kin"
    assert entry.status is None


def test_a_word_before_a_priority_is_a_status():
    entry = paper("#+title: x\n* START [#B] [2019-05-05] A Page of Mine\nhttps://arxiv.org/abs/1810.04805\n")
    assert (entry.title, entry.status) == ("A Page of Mine", "reading")


def test_items_under_to_read_are_to_read():
    text = (
        "* To read\n** [[https://arxiv.org/abs/1810.04805][BERT]]\n* Finished\n"
        "** [[https://arxiv.org/abs/1706.03762][Attention]]\n"
    )
    assert [entry.status for entry in papers(text)] == ["to_read", "read"]


def test_items_under_reading_may_be_read_or_not():
    assert paper("* Reading\n** [[https://arxiv.org/abs/1810.04805][BERT]]\n").status is None


def test_a_citation_linked_by_the_title_above_gives_the_url():
    citation = "Doe, J. [[https://a.org/x.pdf][A Story of Two Caches]]. /J/ 17."
    text = f"* Caches\n** A Story of two caches\n\n{citation}\n*** Laws of Small Caches\n"
    assert paper(text).identifiers == ("url:a.org/x.pdf",)


def test_headings_are_topics_with_parents_and_tags_are_topics():
    text = (
        "* Systems\n** Storage :noexport:\n"
        "*** [[https://dl.acm.org/doi/10.1145/945445.945450][The Google File System]] :dist_sys:toread:\n"
    )
    assert paper(text).topics == ("Systems", "Storage", "dist sys")
    assert [(entry.kind, entry.title, entry.topics) for entry in read(text)][:2] == [
        ("topic", "Systems", ()),
        ("topic", "Storage", ("Systems",)),
    ]


def test_a_property_drawer_gives_the_url_and_fields_of_its_heading():
    entry = paper(
        "* Vision\n"
        "** DONE Deep Residual Learning for Image Recognition\n"
        "   CLOSED: [2020-05-01 Fri 10:00] SCHEDULED: <2020-04-01 Wed>\n"
        "   :PROPERTIES:\n"
        "   :URL:      https://arxiv.org/abs/1512.03385\n"
        "   :AUTHOR:   Kaiming He, Xiangyu Zhang and Jian Sun\n"
        "   :YEAR:     2015\n"
        "   :like:     4\n"
        "   :END:\n"
        "   :LOGBOOK:\n"
        '   - State "DONE"       from "TODO"       [2020-05-01 Fri 10:00]\n'
        "   :END:\n"
        "   Shortcuts.\n"
    )
    assert (entry.first, entry.last) == (2, 13)
    assert entry.identifiers == ("arxiv:1512.03385",)
    assert entry.title == "Deep Residual Learning for Image Recognition"
    assert entry.authors == ("Kaiming He", "Xiangyu Zhang", "Jian Sun")
    assert (entry.published, entry.year, entry.read_on, entry.rating) == ("2015", 2015, "2020-05-01", "4")
    assert (entry.status, entry.text) == ("read", "Shortcuts.")


@cases("link", ["[[{}][link]]", "[[{}]]", "{}", "[[{}][Link to paper here]]", "Paper: {}", "[[{}][pdf]]"])
def test_a_heading_directly_above_an_untitled_link_is_the_title(link):
    entry = paper(
        "* Read\n** Paxos Made Simple\n\n" + link.format("https://example.org/paxos.pdf") + "\n\nThree roles.\n"
    )
    assert (entry.title, entry.text) == ("Paxos Made Simple", "Three roles.")
    assert entry.identifiers == ("url:example.org/paxos.pdf",)


def test_a_link_with_its_own_title_is_filed_under_the_heading():
    text = (
        "* Academic Work\n** CSP Hoare 1978\n\n"
        "   [[https://example.org/hoare.pdf][Communicating Sequential Processes]]\n"
    )
    assert paper(text).topics == ("Academic Work", "CSP Hoare 1978")


def test_labelled_links_below_belong_to_the_paper():
    entry = paper(
        "** [[https://arxiv.org/abs/1905.11946][EfficientNet]] (Tan, Le: May 2019)\n\n"
        "- Source Code (Keras): https://github.com/qubvel/efficientnet\n"
        "- Talk: https://www.youtube.com/watch?v=3svIm5UC94I\n"
    )
    assert entry.identifiers == ("arxiv:1905.11946",)
    assert [link.role for link in entry.links] == ["landing", "code", "video"]
    assert (entry.authors, entry.published) == (("Tan", "Le"), "2019-05")


def test_another_paper_below_is_its_own_entry():
    text = (
        "** [[https://arxiv.org/abs/1905.11946][EfficientNet]]\n"
        "Builds on an older one.\n"
        "- [[https://arxiv.org/abs/1801.04381][MobileNetV2: Inverted Residuals and Linear Bottlenecks]]\n"
    )
    first, second = papers(text)
    assert (first.last, second.first) == (2, 3)
    assert second.identifiers == ("arxiv:1801.04381",)


def test_titles_without_links_are_papers_only_among_papers():
    text = (
        "* Storage\n"
        "** TODO The Google File System\nhttps://dl.acm.org/doi/10.1145/945445.945450\n"
        "** TODO Bigtable: A Distributed Storage System for Structured Data\n"
        "** TODO buy a new chair\n"
        "* Hardware\n"
        "** Disks and Tapes\n"
        "*** [[https://arxiv.org/abs/1905.11946][EfficientNet]]\n"
    )
    assert [(entry.title, bool(entry.identifiers)) for entry in papers(text)] == [
        ("The Google File System", True),
        ("Bigtable: A Distributed Storage System for Structured Data", False),
        ("EfficientNet", True),
    ]
    kinds = {entry.title or entry.text: entry.kind for entry in read(text)}
    assert kinds["buy a new chair"] == "snippet"
    assert kinds["Disks and Tapes"] == "topic"


def test_headings_inside_notes_on_a_paper_are_not_topics():
    text = "* DONE Reliable Systems: The Paper\n** Question\nWhat now?\n** Results\nFast.\n*** Details\n"
    assert [entry.kind for entry in read(text)] == ["paper", "snippet", "snippet", "snippet"]


@cases(
    "citation",
    ["[[cite:lipp-2018][Lipp et al. 2018: Meltdown]]", "[[Cite:lipp-2018]]", "cite:lipp-2018", "[cite:@lipp-2018]"],
)
def test_a_heading_above_a_citation_is_the_title_and_its_year_that_of_the_work(citation):
    entry = paper(f"* Topics\n** TODO Meltdown\n{citation}\n")
    assert (entry.title, entry.identifiers, entry.year, entry.first, entry.last) == ("Meltdown", (), 2018, 2, 3)


def test_a_citation_key_is_joined_with_its_entry_in_the_same_note():
    text = (
        "* TODO Fixing Weight Decay Regularization in Adam\n[[cite:loshchilov17]]\n"
        "* Bibliography\n#+begin_src bibtex\n@article{loshchilov17,\n"
        "  title = {Fixing Weight Decay Regularization in Adam},\n"
        "  author = {Loshchilov, Ilya and Hutter, Frank},\n  eprint = {1711.05101},\n}\n#+end_src\n"
    )
    entry = paper(text)
    assert entry.identifiers == ("arxiv:1711.05101",)
    assert entry.authors == ("Ilya Loshchilov", "Frank Hutter")
    assert [(each.kind, each.first, each.last) for each in read(text)][-1] == ("mention", 4, 10)


def test_a_list_of_bare_citation_keys_gives_unresolved_references():
    assert [entry.kind for entry in read("#+title: Films\n- [cite:@Maus2023] (drama)\n- [[cite:kingma14]]\n")][1:] == [
        "lead",
        "lead",
    ]


@cases(
    ("heading", "title", "authors"),
    [
        (
            "** TOREAD Fang, Y., & Ji, W. (2020): Sensitivity of chest ct",
            "Sensitivity of chest ct",
            ("Y. Fang", "W. Ji"),
        ),
        (
            "** Morris et al.: [[https://example.org/click.pdf][*The Click modular router*]], /ACM TOCS/, 2000.",
            "The Click modular router",
            ("Morris",),
        ),
        (
            "** TODO [[papers:Light in therapy][yun2017light]]: Light in diagnosis, therapy and surgery :optics:",
            "Light in diagnosis, therapy and surgery",
            (),
        ),
        (
            "** Algorithms Unlocked ([[/home/me/papers/cormen-2013.pdf][cormen-2013]])",
            "Algorithms Unlocked",
            (),
        ),
        ("** DONE Read Out of the Tar Pit\nhttps://example.org/tar.pdf", "Out of the Tar Pit", ()),
    ],
)
def test_heading_formats_of_other_tools_give_title_and_authors(heading, title, authors):
    entry = paper(f"* Papers\n{heading}\n")
    assert (entry.title, entry.authors) == (title, authors)


def test_a_heading_wrapped_by_an_exporter_is_read_completely():
    entry = paper(
        "#+title: x\n** TOREAD Steffen, J. H. (2008): Optimal boarding method for airline\npassengers\n"
        "   :PROPERTIES:\n   :CUSTOM_ID: toread-steffen\n   :END:\n"
    )
    assert entry.title == "Optimal boarding method for airline passengers"
    assert (entry.first, entry.last) == (2, 6)


def test_settings_comments_drawers_and_code_create_nothing():
    text = (
        ":PROPERTIES:\n:ID: 1234\n:END:\n#+TITLE: x\n# https://arxiv.org/abs/1111.11111\n* A Topic of Mine\n"
        "#+BEGIN_SRC python\n# https://arxiv.org/abs/2222.22222\n#+END_SRC\n#+RESULTS:\n: 42\n"
    )
    assert [(entry.kind, entry.first, entry.last) for entry in read(text)] == [
        ("junk", 1, 3),
        ("junk", 4, 4),
        ("junk", 5, 5),
        ("topic", 6, 6),
        ("snippet", 7, 9),
        ("junk", 10, 10),
        ("snippet", 11, 11),
    ]


def test_a_table_rule_is_a_rule():
    text = "* Phases of Paxos\n| name | msg |\n|------+-----|\n| one  | two |\n"
    assert [(entry.kind, entry.first, entry.last) for entry in read(text)][1:] == [("table", 2, 4)]


@pytest.mark.parametrize(
    "text",
    [
        "# Papers\n\n* [Attention](https://arxiv.org/abs/1706.03762)\n* TODO later\n",
        "* [Attention](https://arxiv.org/abs/1706.03762)\n* [BERT](https://arxiv.org/abs/1810.04805)\n",
        "## A\n## B\n* one\n** two\n",
    ],
)
def test_an_asterisk_is_a_bullet_in_markdown(text):
    assert not any(entry.kind == "junk" and "Org" in entry.reason for entry in parser.parse(text))
    assert not any(entry.kind == "topic" and entry.title == "Attention" for entry in parser.parse(text))


def deep(size):
    return "\n".join("*" * (number % 15 + 1) + f" TODO h{number} :a:b:" for number in range(size // 25))


@cases(
    "text_of",
    [
        deep,
        repeat("* x :t:\n:PROPERTIES:\n", ":a: b\n"),
        repeat("", "#+begin_src\n"),
        repeat("", "* [[cite:"),
        repeat("* x\n", "[[a][b"),
    ],
    ids=["deep", "open drawer", "open blocks", "half citations", "half links"],
)
def test_hostile_org_files_are_parsed_in_linear_time(text_of):
    assert_grows_with_its_text(parser.parse, text_of)
    entries = [entry for entry in parser.parse(text_of(LONG)) if entry.part == 1]
    assert sum(entry.last - entry.first + 1 for entry in entries) == len(text_of(LONG).splitlines())


def test_a_note_on_one_paper_has_its_identifier_above_the_title():
    text = (
        ":PROPERTIES:\n:ID: 1\n:ROAM_REFS: https://arxiv.org/abs/1706.03762\n:END:\n"
        "#+title: Attention Is All You Need\n\n"
        "* Abstract\nOnly attention.[fn:1]\n\n[fn:1] As in https://arxiv.org/abs/1409.0473\n"
    )
    first, second = papers(text)
    assert (first.title, first.identifiers, first.last) == ("Attention Is All You Need", ("arxiv:1706.03762",), 4)
    assert (second.identifiers, second.first) == (("arxiv:1409.0473",), 10)


def test_a_page_linked_in_a_heading_above_papers_is_a_topic():
    text = (
        "* Langs\n** [[https://www.rust-lang.org][Rust]]\n"
        "*** [[https://arxiv.org/abs/1903.00982][Oxide: The Essence of Rust]]\n"
    )
    assert paper(text).topics == ("Langs", "Rust")


def test_under_a_heading_of_bare_identifiers_the_emphasised_line_is_the_title():
    entry = paper(
        "* Preprints\n** [[https://arxiv.org/abs/2112.14669][arXiv:2112.14669]]\\\\\n"
        "*Optimality of finite-support parameter shift rules*\\\\\nDirk Oliver Theis, Javier Gil Vidal\n"
    )
    assert entry.title == "Optimality of finite-support parameter shift rules"
    assert entry.authors == ("Dirk Oliver Theis", "Javier Gil Vidal")


ATTENTION = "[[https://arxiv.org/abs/1706.03762][Attention Is All You Need]]"


def test_a_drawer_among_the_remarks_of_a_paper_is_left_out_of_them():
    found = paper(f'* {ATTENTION}\nTo be read twice.\n:LOGBOOK:\n- State "DONE"\n:END:\nOr thrice.\n')
    assert (found.last, found.text) == (6, "To be read twice.\nOr thrice.")


def test_a_link_within_a_long_sentence_is_a_paper_of_its_own():
    found = papers(
        f"* {ATTENTION}\nthis goes back to what others wrote in [[https://arxiv.org/abs/1409.0473]] many years before\n"
    )
    assert [each.identifiers for each in found] == [("arxiv:1706.03762",), ("arxiv:1409.0473",)]


@cases("heading", ["Another Title about Small Models, 2021", "Another Title about Small Models (2021)"])
def test_a_year_after_a_title_without_a_link_is_its_date(heading):
    link = "[[https://arxiv.org/abs/2305.15778][On the Training of Large Models]]"
    _, found = papers(f"#+title: x\n* Papers\n** {link}\n** {heading}\n")
    assert (found.title, found.published) == ("Another Title about Small Models", "2021")


def test_fields_right_below_a_heading_describe_the_paper_up_to_an_unknown_one():
    found = paper(
        "#+title: x\n* On the Training of Large Models\nAuthor: Ada Lovelace\n"
        "Link: https://arxiv.org/abs/2305.15778\nMood: good\n"
    )
    assert (found.identifiers, found.authors, found.text) == (("arxiv:2305.15778",), ("Ada Lovelace",), "Mood: good")


def test_a_link_of_a_reference_manager_is_called_by_its_target_or_label():
    found = papers(f"#+title: x\n* Papers\n** [[papers:Some Title][key]]\n** {ATTENTION}\n")
    assert [each.title for each in found] == ["Some Title", "Attention Is All You Need"]


def test_a_citation_with_words_that_are_no_title_names_no_paper():
    text = f"* Papers\n** TODO cite:vaswani2017\n** cite:vaswani2017 see\n** {ATTENTION}\n"
    assert [each.identifiers for each in papers(text)] == [("arxiv:1706.03762",)]


@cases("line", ["SCHEDULED: <2024-01-01 Mon>", "#+begin_quote", "#+begin_src never closed"])
def test_a_line_that_only_org_understands_makes_nothing(line):
    (_, found, *others) = read(f"#+title: x\n{line}\n* Caching\n")
    assert (found.first, found.last, found.kind, found.decision) == (2, 2, "junk", "skip")
    assert [each.title for each in others] == ["Caching"]


def test_what_an_org_quotation_holds_is_read():
    found = paper("#+title: x\n#+begin_quote\nhttps://arxiv.org/abs/1706.03762\n#+end_quote\n")
    assert (found.first, found.identifiers) == (3, ("arxiv:1706.03762",))


def test_a_bullet_with_a_citation_and_an_address_is_the_paper_at_the_address():
    assert paper("#+title: x\n- cite:vaswani2017 https://arxiv.org/abs/1706.03762\n").identifiers == (
        "arxiv:1706.03762",
    )


@pytest.mark.parametrize(
    ("below", "venue", "year"),
    [
        ("Altschul et al., J Mol Biol 1990", "J Mol Biol", 1990),
        ("Cell 2002", "Cell", 2002),
        ("McCulloch & Pitts 1943.", "", 1943),
    ],
)
def test_a_line_below_a_heading_that_only_says_where_it_appeared_makes_it_a_paper(below, venue, year):
    (paper,) = [
        each for each in parser.parse(f"* TODO Basic wires of local caches\n  {below}\n") if each.kind == "paper"
    ]
    assert (paper.title, paper.venue, paper.year) == ("Basic wires of local caches", venue, year)


def test_a_task_with_a_deadline_among_papers_is_none():
    text = "* TODO Wires of local caches [[https://arxiv.org/abs/2305.1577{}]]\n"
    task = "* TODO Referee report for the local caches\n  DEADLINE: <2023-09-20 Wed>\n"
    found = [each.title for each in parser.parse(text.format(1) + task + text.format(2)) if each.kind == "paper"]
    assert found == ["Wires of local caches"] * 2
