"""Why two papers may be one, in the language of who reads it."""

import re

import pytest

from readtrack.infra.i18n import use_language
from readtrack.library.duplicates import evidence
from readtrack.library.duplicates.evidence import translate_evidence
from readtrack.library.matching.evidence import _FOUND, translate_match_evidence
from tests.library.duplicates.comparison import find_candidates
from tests.library.duplicates.test_blocking import ANN, LARKS, known

WORDS = re.compile(r"[a-z]{3,}")


@pytest.mark.parametrize("language", ["ja", "zh-Hans"])
@pytest.mark.parametrize(
    "papers",
    [
        [known(1, LARKS, ANN, year=2023), known(2, "Filling Idle Machines at Night")],
        [known(1, LARKS, ANN, year=2023), known(2, "LarkServe: How to Fill the Machines at Night", ANN, year=2024)],
        [known(1, LARKS, ANN, refs=["doi:10.1145/1.2"]), known(2, LARKS, ANN, refs=["doi:10.1109/3.4"])],
        [known(1, LARKS, ANN, refs=["usenix:osdi23/orr"]), known(2, LARKS, ANN, refs=["usenix:atc24/orr"])],
        [known(1, LARKS, ANN, refs=["arxiv:2301.00001"]), known(2, LARKS, ANN, refs=["doi:10.1145/1.2"])],
    ],
)
def test_the_evidence_of_duplicates_has_no_english_word_in_other_languages(papers, language):
    (candidate,) = find_candidates(papers)
    with use_language(language):
        assert WORDS.findall(translate_evidence(candidate.evidence)) == []


def test_evidence_says_the_same_in_japanese_and_chinese():
    stored = "The same title, the same people, 2023 and 2024, one is a preprint, the other published."
    with use_language("ja"):
        said = translate_evidence(stored)
    assert said == "タイトルが同じ、著者が同じ、2023年と2024年、一方はプレプリント、もう一方は出版済み。"
    with use_language("zh-Hans"):
        claim = translate_evidence(evidence.CLAIMED.format(service="DBLP", label="DOI 10.1/2, 3"))
    assert claim == "DBLP 将两篇论文都标为 DOI 10.1/2, 3。"


def test_stored_evidence_in_unknown_words_is_shown_as_it_is():
    with use_language("ja"):
        assert translate_evidence("They sound alike.") == "They sound alike."
        assert translate_match_evidence("They sound alike.") == "They sound alike."


@pytest.mark.parametrize("language", ["ja", "zh-Hans"])
@pytest.mark.parametrize("found", _FOUND.values())
def test_the_evidence_of_a_found_title_has_no_english_word_in_other_languages(found, language):
    stored = found.format(service="This library", venue=" (NSDI 2024)")
    with use_language(language):
        for sentence in (stored, f"The title names “ZB 1” (2024). {stored}"):
            said = translate_match_evidence(sentence)
            assert WORDS.findall(said) == []
            assert "(NSDI 2024)" in said
