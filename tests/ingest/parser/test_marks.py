"""Marks that people set: how far they have read, how good it was, which number it has in the list."""

import time

from hypothesis import given
from hypothesis import strategies as st

from readtrack.infra.text.titles.marks import rating_of, status_of, take_marks, take_number, take_status
from tests.tables import cases


@cases(
    ("words", "status"),
    [
        (
            "✅|✔|✔️|☑|[x]|[X]|DONE|Done|read|Yes|已读|读完|読了|読んだ|既読|✅ read|(Read)|Finished!|*Done*|archive",
            "read",
        ),
        (
            "⬜|☐|[ ]|🔲|❌|TODO|NEXT|INBOX|unread|to read|To-Read|Not Started|No|未读|待读|未読|積読|読みたい|未开始",
            "to_read",
        ),
        ("📖|🚧|READING|In Progress|doing|在读|阅读中|途中|読書中|⏳ In Progress|40 %", "reading"),
        ("⏸|WAIT|HOLD|on hold|paused|暂停|搁置|保留", "paused"),
        ("🗑|CANCELLED|canceled|dropped|skip|ABORT|弃|放弃|やめた|won't read", "dropped"),
    ],
)
def test_a_complete_cell_or_keyword_states_the_status(words, status):
    assert {word: status_of(word) for word in words.split("|")} == dict.fromkeys(words.split("|"), status)


@cases(
    ("word", "status"), [("Done (2023/05)", "read"), ("read 2023-05-16", "read"), ("100%", "read"), ("0 %", "to_read")]
)
def test_a_date_or_percentage_with_the_status_gives_the_same_status(word, status):
    assert status_of(word) == status


@cases("word", ["", "-", "—", "n/a", "x", "A Story", "[-]", "5", "done " * 20])
def test_unrelated_text_states_no_status(word):
    assert status_of(word) is None


@cases(
    ("text", "rest", "status"),
    [
        ("✅ A Story", "A Story", "read"),
        ("A Story ✅", "A Story", "read"),
        ("[x] A Story", "A Story", "read"),
        ("**[x]** A Story", "A Story", "read"),
        ("[ ] A Story", "A Story", "to_read"),
        ("[-] A Story", "A Story", None),
        ("[/] A Story", "A Story", "reading"),
        ("TODO A Story", "A Story", "to_read"),
        ("DONE [[https://example.org/a][A Story]]", "[[https://example.org/a][A Story]]", "read"),
        ("[Done] A Story", "A Story", "read"),
        ("Read: A Story", "A Story", "read"),
        ("To read: A Story", "A Story", "to_read"),
        ("【已读】缓存", "缓存", "read"),
        ("未読 A Story", "A Story", "to_read"),
        ("読んだ: A Story", "A Story", "read"),
        ("途中：A Story", "A Story", "reading"),
        ("A Story (to read)", "A Story", "to_read"),
        ("A Story（已读）", "A Story", "read"),
        ("A Story - DONE", "A Story", "read"),
        ("READ: Recurrent Adapters", "READ: Recurrent Adapters", None),
        ("Reading Stories to Answer Questions", "Reading Stories to Answer Questions", None),
        ("To Read or Not to Read", "To Read or Not to Read", None),
        ("Next Generation Caches", "Next Generation Caches", None),
        ("The work is done", "The work is done", None),
        ("[ ](https://example.org/a) A Story", "[ ](https://example.org/a) A Story", None),
        ("[Read](https://example.org/a) A Story", "[Read](https://example.org/a) A Story", None),
        ("📖 A Story", "📖 A Story", None),
    ],
)
def test_a_mark_next_to_a_title_is_removed_and_states_the_status(text, rest, status):
    assert take_marks(text) == (rest, status, "")


@cases(
    ("text", "rest", "rating"),
    [
        ("⭐⭐⭐ A Story", "A Story", "⭐⭐⭐"),
        ("⭐️⭐️ A Story", "A Story", "⭐️⭐️"),
        ("`⭐⭐⭐` A Story", "A Story", "⭐⭐⭐"),
        ("[⭐⭐] A Story", "A Story", "⭐⭐"),
        ("A Story ★★★☆☆", "A Story", "★★★☆☆"),
        ("A Story, ★4", "A Story", "★4"),
        ("A Story 🔥", "A Story", "🔥"),
        ("👍 A Story", "A Story", "👍"),
        ("A Story (rating: 4/5)", "A Story", "4/5"),
        ("评分：8/10 A Story", "A Story", "8/10"),
        ("A Story 4/5", "A Story 4/5", ""),
        ("🚀 A Story", "🚀 A Story", ""),
    ],
)
def test_stars_next_to_a_title_are_kept_as_written(text, rest, rating):
    assert take_marks(text) == (rest, None, rating)


@cases("cell", ["⭐⭐", "★★★☆☆", "★4", "4/5", "4.5 / 5", "8/10", "3 stars", "五星", "🔥"])
def test_a_cell_of_stars_or_a_score_is_a_rating(cell):
    assert rating_of(cell) == cell


@cases("cell", ["", "5", "9/04/24", "A Story", "4/7"])
def test_other_cells_are_not_ratings(cell):
    assert rating_of(cell) == ""


@cases(
    ("text", "rest"),
    [
        ("12. A Story", "A Story"),
        ("12.A Story", "A Story"),
        ("3) A Story", "A Story"),
        ("(3) A Story", "A Story"),
        ("（3）缓存", "缓存"),
        ("①缓存", "缓存"),
        ("1️⃣ A Story", "A Story"),
        ("[12] A Story", "A Story"),
        ("1、缓存", "缓存"),
        ("#3 A Story", "A Story"),
        ("第3篇：缓存", "缓存"),
        ("1.58-bit Stories", "1.58-bit Stories"),
        ("3D Stories", "3D Stories"),
        ("2.1 Stories", "2.1 Stories"),
        ("(2022) A Story", "(2022) A Story"),
        ("100 Stories", "100 Stories"),
        ("[12](https://example.org/a) A Story", "[12](https://example.org/a) A Story"),
        ("No Story Left Behind", "No Story Left Behind"),
        ("12.", "12."),
    ],
)
def test_a_list_number_is_removed_and_a_number_in_a_name_stays(text, rest):
    assert take_number(text) == rest


def test_number_stars_and_status_are_removed_in_any_order():
    assert take_marks("🔥🔥 12. A Story ✅") == ("A Story", "read", "🔥🔥")
    assert take_marks("[x] ⭐ (3) A Story (read)") == ("A Story", "read", "⭐")


@given(st.one_of(st.text(max_size=40), st.text("[]x ✅⭐12.()読了TODO:*\ufe0f", max_size=30)))
def test_any_text_is_read_without_failing(text):
    marks = take_marks(text)
    assert len(marks.remainder) <= len(text)
    assert status_of(text) in {None, "to_read", "reading", "paused", "read", "dropped"}
    rating_of(text)


@cases("unit", ["[x] ", "⭐", "12. ", "[", "*", " ", "读", "(", "⭐ x", "read "])
def test_a_long_hostile_text_is_read_quickly(unit):
    started = time.process_time()
    take_marks(unit * 100_000)
    assert time.process_time() - started < 10


@cases(
    ("text", "status"),
    [
        ("NOW [A Title](https://arxiv.org/abs/1706.03762)", "reading"),
        ("LATER [A Title](https://arxiv.org/abs/1706.03762)", "to_read"),
        ("Now and Later: A Title", None),
    ],
)
def test_states_of_logseq_are_statuses_in_capitals_only(text, status):
    assert take_status(text).status == status
