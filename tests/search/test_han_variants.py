"""Other forms of Han characters: which there are, and who finds them."""

from dataclasses import replace

import pytest

from readtrack import search
from readtrack.search.han_variants import MAX_VARIANTS, forms
from readtrack.search.highlight import highlight
from readtrack.search.parser import parse
from tests import make
from tests.search.finding import find, found_by

SAME = [  # simplified, traditional, Japanese
    ("训练", "訓練", "訓練"),
    ("学习", "學習", "学習"),
    ("并列", "並列", "並列"),
    ("并行", "並行", "並行"),
    ("检索", "檢索", "検索"),
    ("处理", "處理", "処理"),
    ("发展", "發展", "発展"),
    ("图", "圖", "図"),
    ("机械", "機械", "機械"),
    ("头发", "頭髮", "頭髪"),
    ("分散学习", "分散學習", "分散学習"),
]


@pytest.mark.parametrize("written", SAME, ids=[f"word {number}" for number in range(len(SAME))])
def test_each_variant_of_a_word_knows_the_others(written):
    for word in written:
        assert set(written) <= set(forms(word))
        assert forms(word)[0] == word


@pytest.mark.parametrize("text", ["attention", "モデル", "", "ｶﾅ", "한국어", "é"])
def test_a_word_without_variants_stands_alone(text):
    assert forms(text) == (text,)


def test_a_long_text_has_a_limited_number_of_variants():
    assert len(forms("干发后里面只系台复历" * 30)) <= MAX_VARIANTS


@pytest.fixture
def library(database):
    with database.write() as tx:
        search.ensure(tx)
        ids = {title: make.paper(tx, title).id for title in ("并行训练", "並列訓練", "分散学習", "無関係")}
        search.update_papers(tx, ids.values())
        me = make.visitor(tx)
    return database, ids, me


ASKED = {
    "训练": ["并行训练"],
    "训练 han:all": ["并行训练", "並列訓練"],
    "學習 han:all": ["分散学習"],
    '"并列训练" han:all': ["並列訓練"],
    "(训练 OR 學習) han:all": ["并行训练", "並列訓練", "分散学習"],
    "title:訓 han:all": ["并行训练", "並列訓練"],
}


def test_a_search_finds_variants_on_request(library):
    database, ids, _me = library
    assert found_by(database, ASKED, ids) == ASKED


def test_a_person_can_always_search_variants_and_override_it_per_search(library):
    database, ids, me = library
    me = replace(me, variants=True)
    assert find(database, "训练", me) == [ids["并行训练"], ids["並列訓練"]]
    assert find(database, "训练 han:same", me) == [ids["并行训练"]]


def test_variants_are_highlighted_in_the_text_as_written():
    assert highlight("並列訓練の手法", parse("训练 han:all")) == [("並列", False), ("訓練", True), ("の手法", False)]
    assert highlight("並列訓練", parse("训练")) == [("並列訓練", False)]
    assert highlight("並列訓練", parse("训练"), variants=True) == [("並列", False), ("訓練", True)]
