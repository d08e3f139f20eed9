"""Text becomes tokens: tables of cases, and an oracle that says the rule otherwise."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readtrack.search.tokens import (
    BARRIER,
    MAX_HOST_CHARS,
    MAX_WORD_CHARS,
    Needle,
    host_needle,
    hosts_text,
    index_text,
    needle,
)

ENGLISH = st.sampled_from(
    ["gpu", "GPU", "C4", "C++", "C#", "ZeRO", "Flash", "Attention", "at", "c", "check", "pointing"]
)
CHINESE = st.text("并行训练集群的学万卡", min_size=1, max_size=6)
JAPANESE = st.lists(st.sampled_from([*"分散学習のデーターチェックポイント々", "ｶﾞ"]), min_size=1, max_size=6).map(
    "".join
)
BETWEEN = st.sampled_from(["", " ", "-", "、", "・", "_", "/", ".", "\n", "\0"])
WRITING = st.lists(st.tuples(ENGLISH | CHINESE | JAPANESE, BETWEEN), max_size=8).map(
    lambda pieces: "".join(word + gap for word, gap in pieces)
)

HAN_AND_KANA = re.compile(r"[々\u3041-\u3096\u30a1-\u30fa\u30fc\u4e00-\u9fff]")


def finds(query: str, text: str, *, exact: bool = False) -> bool:
    """What an index does with the tokens: looks for them one after the other."""
    wanted = needle(query, exact=exact)
    tokens = index_text([text]).split()
    assert wanted is not None
    size = len(wanted.tokens)
    return any(fits(tokens[at : at + size], wanted) for at in range(len(tokens) - size + 1))


def fits(found: list[str], wanted: Needle) -> bool:
    *before, last = wanted.tokens
    return found[:-1] == before and (found[-1].startswith(last) if wanted.prefix else found[-1] == last)


def oracle(query: str, text: str) -> bool:
    """The same rule said otherwise: a regular expression on the plain text, and once more on its camelCase parts."""
    pattern = written_as(query)
    return any(re.search(pattern, words.casefold()) for words in (plain(text), *camel_parts(plain(text))))


def camel_parts(text: str) -> list[str]:
    sign = r"(?:\+\+|#)?"
    words = re.findall(rf"[A-Za-z0-9]+{sign}", text)
    cut = [re.findall(rf"(?:[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+){sign}", word) for word in words]
    return [part for parts in cut if len(parts) > 1 for part in parts if len(part) >= 3]


def plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


def written_as(query: str) -> str:
    """Words begin where a word begins and end where it ends, unless they are long; CJK begins and ends anywhere."""
    pieces = re.findall(rf"(?:{HAN_AND_KANA.pattern})+|[a-z0-9]+(?:\+\+|#)?", plain(query).casefold())
    pattern = r"(?!\+\+|#)[\W_]*".join(map(re.escape, pieces))
    first, last = pieces[0], pieces[-1]
    opening = "" if HAN_AND_KANA.match(first) else r"(?<![a-z0-9])"
    open_end = HAN_AND_KANA.match(last) or len(last) >= 3 or last.endswith("#")
    closing = "" if open_end else r"(?![a-z0-9]|\+\+|#)"
    return opening + pattern + closing


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("C4", "trained on C4 and more"),
        ("c4", "C4"),
        ("C++", "a C++ library"),
        ("C#", "C# bindings"),
        ("ZeRO", "ZeRO-Offload"),
        ("zero-offload", "ZeRO-Offload: Democratizing"),
        ("ZeRO Offload".replace(" ", "-"), "ZeRO/Offload"),
        ("offload", "ZeRO-Offload"),
        ("attention", "FlashAttention"),
        ("flash", "FlashAttention"),
        ("flashattention", "FlashAttention"),
        ("parser", "an HTMLParser"),
        ("check", "checkpointing"),
        ("学習", "分散学習の基礎"),
        ("分散学習", "大規模分散学習"),
        ("学", "分散学習"),
        ("習", "分散学習"),
        ("并行", "数据并行训练"),
        ("并", "并行"),
        ("gpu集群", "万卡GPU集群"),
        ("gpu集群", "万卡 GPU 集群互联"),
        ("群gpu", "集群GPU"),
        ("slurm", "ｓｌｕｒｍ"),
        ("ｓｌｕｒｍ", "Slurm"),
        ("チェック", "ﾁｪｯｸﾎﾟｲﾝﾄ"),
        ("チェックポイント", "チェックポイント"),
        ("ガ", unicodedata.normalize("NFD", "ガイド")),
        ("muller", "Müller"),
        ("MÜLLER", "muller"),
        ("strasse", "Straße"),
        ("2305.15778", "arxiv:2305.15778"),
        ("2305.15778", "2305.15778v2"),
        ("10.1145/3627703", "doi:10.1145/3627703.3650085"),
        ("人々", "人々の"),
        ("훈련", "분산훈련"),
        ("обучение", "Обучение моделей"),
        ("𠮷野", "𠮷野家"),
    ],
)
def test_a_word_is_found_where_it_occurs(query, text):
    assert finds(query, text)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("C4", "C41"),
        ("at", "attention"),
        ("c", "C++"),
        ("tention", "attention"),
        ("学習", "学校で習う"),
        ("習学", "分散学習"),
        ("学習", "学 習"),
        ("か", "が"),
        ("ハ", "パ"),
        ("offload zero", "ZeRO-Offload"),
        ("gpu集群", "集群GPU"),
    ],
)
def test_a_word_is_not_found_elsewhere(query, text):
    assert not finds(query, text)


@pytest.mark.parametrize(
    ("query", "found"), [("check", False), ("checkpointing", True), ("学", True), ("分散学習", True)]
)
def test_a_phrase_ends_at_a_word_boundary_except_in_cjk(query, found):
    assert finds(query, "checkpointing 大規模分散学習", exact=True) is found


@pytest.mark.parametrize("text", ["", " ", "%", "*", '"', "_", "\0", "\ud800", "・", "--", "()", "🙂"])
def test_a_query_without_letters_or_digits_searches_nothing(text):
    assert needle(text, exact=False) is None
    assert index_text([text]) == ""


def test_no_phrase_spans_two_texts():
    assert not fits_any(index_text(["Jane Doe", "John Roe"]), "doe john")
    assert fits_any(index_text(["Jane Doe", "John Roe"]), "jane doe")


def fits_any(text: str, phrase: str) -> bool:
    return f" {phrase} " in f" {text} "


def test_a_very_long_word_is_found_by_its_prefix():
    assert finds("a" * 500, "a" * 500)
    assert max(map(len, index_text(["a" * 500]).split())) == MAX_WORD_CHARS


@given(CHINESE | JAPANESE, WRITING)
def test_cjk_text_is_found_exactly_where_it_occurs(query, text):
    assert finds(query, text) == (plain(query).casefold() in plain(text).casefold())


@given(st.lists(ENGLISH | CHINESE | JAPANESE, min_size=1, max_size=3).map("".join), WRITING)
def test_tokens_agree_with_the_reference_implementation(query, text):
    assert finds(query, text) == oracle(query, text)


@given(st.text())
def test_tokens_contain_nothing_a_database_would_parse_as_syntax(text):
    for token in index_text([text]).split(" "):
        assert not re.search(r"[\s\0'\"\\:*()^-]", token)
        assert token == BARRIER or "_" not in token


@pytest.mark.parametrize(
    ("address", "host", "found"),
    [
        ("https://github.com/a/b", "github.com", True),
        ("https://gist.github.com/a", "github.com", True),
        ("https://www.GitHub.com./a", "github.com", True),
        ("https://github.com/a", "com", True),
        ("https://github.com/a", "gist.github.com", False),
        ("https://github.com.evil.example/a", "github.com", False),
        ("https://notgithub.com/a", "github.com", False),
        ("https://b.a.com", "a-b.com", False),
        ("https://a-b.com", "a-b.com", True),
        ("https://例え.jp/", "例え.jp", True),
        ("https://[::1]:80/", "1", False),
        ("not an address", "address", False),
        ("http://[", "a", False),
    ],
)
def test_a_host_is_found_by_its_name_and_its_parent_domains(address, host, found):
    (token,) = host_needle(host).tokens
    assert (token in hosts_text([address]).split()) is found


@given(st.lists(st.text(), max_size=4))
def test_host_tokens_are_distinct_from_words_and_of_bounded_length(addresses):
    hostile = [f"https://{text}" for text in (*addresses, "a." * 2_000, "ﷺ." * 2_000)]
    tokens = hosts_text(hostile).split(" ")
    assert all(re.fullmatch(r"[^\s\0'\"\\:*()^_-]*", token) for token in tokens)
    assert len(tokens) == len({*tokens})
    assert max(map(len, tokens)) <= MAX_HOST_CHARS
    assert not [token for token in tokens if (found := needle(token, exact=True)) and found.tokens == (token,)]
