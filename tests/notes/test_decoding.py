"""Bytes of notes in the encodings that the team meets."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from readtrack.notes import decode

JAPANESE = (
    "分散学習のチェックポイントについてまとめる。\n- 推論サービングはどうするか？\nhttps://arxiv.org/abs/2305.15778\n"
)
CHINESE = "大模型训练的检查点与并行策略。\n- 如何选择学习率？\nhttps://zhuanlan.zhihu.com/p/1\n"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (JAPANESE, "utf-8"),
        (JAPANESE, "utf-8-sig"),
        (JAPANESE, "utf-16"),
        (JAPANESE, "utf-32"),
        (JAPANESE, "cp932"),
        (JAPANESE, "euc_jp"),
        (CHINESE, "gb18030"),
        (CHINESE, "gb2312"),
        (CHINESE, "utf-8"),
        ("Plain words and a title: Towards Something\n", "utf-16-le"),
        ("Plain words and a title: Towards Something\n", "utf-16-be"),
        ("Résumé of a naïve café paper, déjà vu and señor Müller\n", "cp1252"),
    ],
)
def test_a_note_is_read_in_the_encoding_it_was_written_in(text, encoding):
    assert decode(text.encode(encoding)) == text


def test_a_big_endian_mark_is_obeyed():
    assert decode(codecs.BOM_UTF16_BE + "訓練".encode("utf-16-be")) == "訓練"


def test_bytes_that_no_encoding_explains_are_shown_as_replaced():
    assert "\ufffd" in decode(b"good words \xff\xff\xfe\x80 and \x81\xff more")


@given(st.binary(max_size=300))
def test_any_bytes_become_text_that_can_be_written_again(data):
    decode(data).encode("utf-8")
