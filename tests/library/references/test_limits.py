"""However long texts are and whatever stands in them: nobody waits long for where a name is said."""

import pytest

from readtrack.library.references import phrases as references_phrases
from readtrack.library.references import unlinked_mentions
from readtrack.library.references.phrases import MAX_PARSED_CHARS, Phrase
from readtrack.library.references.resolve import find_short, get_render_context
from readtrack.team.discussion.commands import CommentCreate, add_comment
from readtrack.team.discussion.targets import DiscussionTarget
from tests import make

LONG = "A line of words that say nothing. " * 2_900


@pytest.mark.parametrize("blank", [" ", "\u3000", " \n", "\u00a0"])
def test_endless_blanks_are_scanned_once(blank):
    phrase = Phrase("Fast failure recovery", case_sensitive=False)
    assert references_phrases.passage_around_words(f"Fast{blank * 20_000}furious", [phrase]) == []
    assert references_phrases.insert_link(f"Fast{blank * 20_000}furious", [phrase], "Gemini") is None


def test_a_shortened_excerpt_leaves_no_broken_brackets_around_a_name():
    around = f"[[{'Long ' * 30}name]] and [[Gemini]], unlike [[{'Another ' * 30}one]]."
    said = "".join(words for words, _meant in references_phrases.passage_around_key(around, "name:gemini"))
    assert "name and Gemini, unlike Another" in said
    assert not {"[", "]"} & {*said}


def test_words_are_found_across_line_breaks_but_not_across_paragraphs():
    phrase = Phrase("Fast failure", case_sensitive=False)
    assert references_phrases.insert_link("Fast \n  failure", [phrase], "Gemini") == "[[Gemini|Fast failure]]"
    assert references_phrases.insert_link("Fast\n\nfailure", [phrase], "Gemini") is None


def test_a_limited_number_of_texts_is_read_per_page_the_newest_first(database):
    with database.write() as tx:
        ada, paper, other = make.visitor(tx), make.paper(tx, "Gemini: Recovery"), make.paper(tx)
        for text in ("As Gemini does", *["`Gemini` " + LONG] * (MAX_PARSED_CHARS // len(LONG) + 1), "Unlike Gemini"):
            add_comment(tx, ada, DiscussionTarget("paper", other.id, str(other.id)), CommentCreate(markdown=text))
    with database.read() as tx:
        found = unlinked_mentions.list_unlinked_mentions(tx, ada, ("paper", paper.id))
    assert (len(found.items), found.has_more) == (1, True)


@pytest.mark.deep
def test_linking_is_tried_at_few_positions_of_a_long_text_and_many_of_a_short_one():
    few, many = "`Gemini` " * 30, "`Gemini` " * (references_phrases.MAX_TRIED_PLACES + 1)
    phrases = [Phrase("Gemini", case_sensitive=True)]
    assert (references_phrases.insert_link(f"{few} Gemini", phrases, "Gemini") or "").endswith("[[Gemini]]")
    assert references_phrases.insert_link(f"{many} Gemini", phrases, "Gemini") is None
    assert references_phrases.insert_link(f"{few} Gemini {LONG}", phrases, "Gemini") is None


def test_a_short_name_is_literal_whatever_characters_it_contains(database):
    with database.write() as tx:
        first, _second = make.paper(tx, "100%: All of it"), make.paper(tx, "100 and more: Not it")
        make.paper(tx, "Twice: One"), make.paper(tx, "Twice: Two")
        text = "[[100%]] [[100_]] [[%]] [[Twice]] [[1]] [[100%: ]]"
        led = get_render_context(tx, [text]).references[text]
    assert {key: target.href for key, target in led.items()} == {"name:100%": f"/papers/{first.id}"}


def test_short_names_are_found_with_an_index(database, dialect, statements):
    if dialect == "postgresql":
        pytest.skip("sorts as its language does: there, the table is read")
    with database.read() as tx:
        with statements() as seen:
            find_short(tx, ["name:gemini"])
        plan = tx.connection().exec_driver_sql(f"EXPLAIN QUERY PLAN {seen[-1]}", tuple("a:a;99")[: seen[-1].count("?")])
        assert "USING INDEX ix_paper_title_key_id" in plan.fetchall()[0][-1]
