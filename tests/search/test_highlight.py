"""Hits are marked in texts as they were written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readtrack.search import highlight, parse


@pytest.mark.parametrize(
    ("text", "query", "marked"),
    [
        ("Exact Attention", "attention", "Exact [Attention]"),
        ("FlashAttention", "attention", "Flash[Attention]"),
        ("Checkpointing", "check", "[Check]pointing"),
        ("It caches queries", "caching", "It [caches] queries"),
        ("It caches queries", '"caching"', "It caches queries"),
        ("QueryCaching", "caches", "Query[Caching]"),
        ("ZeRO-Offload: a", "zero-off", "[ZeRO-Off]load: a"),
        ("大規模分散学習入門", "分散学習", "大規模[分散学習]入門"),
        ("学習と分散学習", "学習", "[学習]と分散[学習]"),
        ("学学学", "学学", "[学学学]"),
        ("万卡GPU集群", "gpu集群", "万卡[GPU集群]"),
        ("万卡 GPU 集群", "gpu集群", "万卡 [GPU 集群]"),
        ("ﾁｪｯｸﾎﾟｲﾝﾄ", "ポイント", "ﾁｪｯｸ[ﾎﾟｲﾝﾄ]"),
        ("ｓｌｕｒｍ!", "slurm", "[ｓｌｕｒｍ]!"),
        ("Mu\u0308ller, Müller", "muller", "[Mu\u0308ller], [Müller]"),
        ("Straße", "strasse", "[Straße]"),
        ("ﬁne", "fine", "[ﬁne]"),
        ("a C++ C", "C++", "a [C++] C"),
        ("a b", "-a b OR x", "a [b]"),
        ("a b", "title:b", "a [b]"),
        ("a b", '"a b"', "[a b]"),
        ("a b", "status:read", "a b"),
        ("a b", "", "a b"),
        ("<b>bold</b>", "bold", "<b>[bold]</b>"),
        ("", "a", ""),
    ],
)
def test_search_terms_are_highlighted_in_the_text_as_written(text, query, marked):
    pieces = highlight(text, parse(query))
    assert "".join(f"[{piece}]" if hit else piece for piece, hit in pieces) == marked


@given(st.text(), st.text("abcé分散学習ガﾞ", min_size=1, max_size=3))
def test_the_fragments_add_up_to_the_text(text, word):
    pieces = highlight(f"{text}{word}{text}", parse(word))
    assert "".join(piece for piece, _ in pieces) == f"{text}{word}{text}"
    assert all(piece for piece, _ in pieces)
