"""What a search finds is what the documented rule of tokens says, applied to each text by an oracle of its own."""

import re
import unicodedata

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from readtrack import search
from readtrack.search.tokens import MIN_PREFIX_CHARS
from tests import make
from tests.depth import examples
from tests.search.finding import find

pytestmark = [pytest.mark.slow, pytest.mark.both_databases]  # a library is written and searched for each example

LETTERS = "ab学習训练并行のモﾓデル１1Cc4é＋+#-_.'\"％ "
TEXTS = st.text(LETTERS, max_size=12) | st.sampled_from(
    [
        "分散学習の最適化",
        "数据并行训练",
        "モデル並列",
        "ﾓﾃﾞﾙ並列",
        "FlashAttention 2",
        "C++ and C#",
        "gpu集群",
        "ＧＰＵ クラスタ",
        "Müller",
    ]
)
CJK = re.compile(r"[\u3005\u3041-\u309f\u30a1-\u30ff\u3400-\u9fff]")


def plain(text):
    """Full and half width are one, and accents do not count, but for those that make other kana."""
    spread = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text))
    kept = "".join(sign for sign in spread if unicodedata.category(sign) != "Mn" or sign in "\u3099\u309a")
    return unicodedata.normalize("NFKC", kept)


def stretches(text):
    """Runs of one writing: CJK, or letters and digits, these with ++ or # behind them."""
    run = ""
    for sign in plain(text) + " ":
        joins = run and bool(CJK.match(sign)) == bool(CJK.match(run[-1])) and sign.isalnum() | bool(CJK.match(sign))
        if run and not joins:
            yield run
            run = ""
        run += sign if sign.isalnum() or CJK.match(sign) else ""


def has(text, word):
    """Whether a text has that word: CJK wherever it stands, others from their beginning, the shortest whole only."""
    wanted = word.casefold()
    there = [run.casefold() for run in stretches(text)]
    if CJK.match(wanted):
        return any(wanted in run for run in there)
    return any(run.startswith(wanted) if len(wanted) >= MIN_PREFIX_CHARS else run == wanted for run in there)


SIMPLE = st.text("ab学習训练并行のモデル1Cc4é ", max_size=12)  # without signs that join words


@pytest.mark.deep
@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(SIMPLE, min_size=1, max_size=6), words=st.lists(SIMPLE.filter(str.strip), min_size=1, max_size=6))
def test_random_texts_are_found_exactly_where_the_rule_says(database, texts, words):
    with database.write() as tx:
        search.ensure(tx)
        ids = [make.paper(tx, "x", abstract=text).id for text in texts]
        search.update_papers(tx, ids)
    for word in words:
        single = list(stretches(word))
        expected = [number for number, text in zip(ids, texts, strict=True) if all(has(text, run) for run in single)]
        found = [number for number in find(database, " ".join(f"abstract:{run}" for run in single)) if number in ids]
        assert found == expected, (word, texts)


@pytest.mark.deep
@settings(max_examples=examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(TEXTS, min_size=1, max_size=4))
def test_every_text_is_found_by_itself_whatever_characters_it_has(database, texts):
    with database.write() as tx:
        search.ensure(tx)
        ids = [make.paper(tx, "x", abstract=text).id for text in texts]
        search.update_papers(tx, ids)
    for number, text in zip(ids, texts, strict=True):
        phrase = re.sub(r'["\\\\]', " ", text)
        if any(map(str.isalnum, plain(phrase))):
            assert number in find(database, f'abstract:"{phrase}"'), text
