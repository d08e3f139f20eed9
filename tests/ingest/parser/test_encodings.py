"""Bytes of notes in the encodings that the team meets."""

import codecs

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from readtrack.ingest.parser import decode
from tests.tables import cases

JAPANESE = (
    "分散学習のチェックポイントについてまとめる。\n- 推論サービングはどうするか？\nhttps://arxiv.org/abs/2305.15778\n",
    "Reading list\n## 推論\n- A Paper of Things https://arxiv.org/abs/2305.15778\n",
    "# 未読\nhello",
    "通信の最適化",
    "キャッシュ",
    "量子化",
)
SIMPLIFIED = (
    "大模型训练的检查点与并行策略。\n- 如何选择学习率？\nhttps://zhuanlan.zhihu.com/p/1\n",
    "# 训练\nhello world\n" + "- A Paper of Things https://arxiv.org/abs/2305.15778\n" * 200,
    "阅读笔记\nhttps://arxiv.org/abs/1\n",
    "论文列表",
    "缓存",
)
TRADITIONAL = ("大型語言模型的訓練與推論。\n這篇論文很好\n", "# 訓練\nhello\n", "閱讀筆記")
KOREAN = ("분산 학습 논문 목록\n", "# 논문\nhello\n", "대규모 언어 모델")
LATIN = ("Résumé of a naïve café paper, déjà vu and señor Müller\n", "Café – a “paper” of Müller’s\n")
ENCODINGS = {
    JAPANESE: ("utf-8", "utf-8-sig", "utf-16", "utf-32", "cp932", "euc_jp", "iso2022_jp"),
    SIMPLIFIED: ("utf-8", "utf-16", "gb18030", "gb2312"),
    TRADITIONAL: ("utf-8", "utf-16", "utf-16-le", "big5"),
    KOREAN: ("utf-8", "utf-16", "cp949", "euc_kr"),
    LATIN: ("utf-8", "utf-16", "utf-16-le", "utf-16-be", "cp1252"),
}


@cases(
    ("text", "encoding"),
    [(text, encoding) for texts, names in ENCODINGS.items() for text in texts for encoding in names],
)
def test_a_note_is_decoded_with_its_encoding(text, encoding):
    assert decode(text.encode(encoding)) == text


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", [JAPANESE[0], SIMPLIFIED[0], TRADITIONAL[0], KOREAN[1], "# 論文\n"])
def test_utf_16_without_a_byte_order_mark_is_detected_by_its_line_endings(text, encoding):
    assert decode(text.encode(encoding)) == text


@cases("text", ["plain ASCII\n", "a\x00b", "- ⭐ “quotes” – déjà vu 「論文」\n", "😀 emoji\n"])
def test_valid_utf_8_is_never_decoded_as_anything_else(text):
    assert decode(text.encode()) == text


def test_a_big_endian_byte_order_mark_is_respected():
    assert decode(codecs.BOM_UTF16_BE + "訓練".encode("utf-16-be")) == "訓練"


def test_undecodable_bytes_are_replaced():
    assert "\ufffd" in decode(b"good words \xff\xff\xfe\x80 and \x81\xff more")


@given(st.binary(max_size=300))
def test_any_bytes_decode_to_encodable_text(data):
    text = decode(data)
    written = text.encode("utf-8")
    assume("\0" not in text)  # such bytes are no text, and may be UTF-16 the second time
    assert decode(written) == text
