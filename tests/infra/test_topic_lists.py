"""Fields that list topics."""

from readtrack.infra.text.topic_lists import split_topic_names
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
