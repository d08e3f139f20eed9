"""Fields that list topics."""

from hypothesis import given
from hypothesis import strategies as st

from readtrack.infra.text.topic_lists import join_topic_names, split_topic_names
from tests.tables import cases


@cases(
    ("text", "names"),
    [
        ("caches, storage; serving", ["caches", "storage", "serving"]),
        ("分散学習、推論，训练", ["分散学習", "推論", "训练"]),
        ("#caches #storage", ["caches", "storage"]),
        ('"Storage, caching", serving', ["Storage, caching", "serving"]),
        ("[[Storage, caching]], [[a|serving]]", ["Storage, caching", "serving"]),
        ("'Storage, caching'; don't, can't", ["Storage, caching", "don't", "can't"]),
        ('"a ""b"" c"', ['a "b" c']),
        ("CI/CD", ["CI/CD"]),
        (" , ;", []),
    ],
)
def test_a_list_is_split_at_its_separators_outside_of_quotes(text, names):
    assert split_topic_names(text) == names


def test_a_format_may_have_fewer_separators():
    assert split_topic_names("a; b, c", ",") == ["a; b", "c"]


NAMES = st.text("ab ,、;|\"'`#()（）[]/", min_size=1, max_size=8).map(lambda text: " ".join(text.split()))


@given(st.lists(NAMES.filter(bool), max_size=4))
def test_a_list_that_was_written_comes_back(names):
    assert split_topic_names(join_topic_names(names)) == names


def test_plain_names_need_no_quotes():
    assert join_topic_names(["C#", "O'Reilly", "数据/模型", "R&D"]) == "C#, O'Reilly, 数据/模型, R&D"
