"""Whether an answer is about the paper that was meant."""

import pytest

from readtrack.library.enrichment.verify import RequestedPaper, TitleAndAuthors, describe_mismatch
from readtrack.metadata.types import Metadata, Ref

TITLE = "Just-In-Time Checkpointing: Low Cost Error Recovery from Deep Learning Training Failures"
RENAMED = "Just-In-Time Snapshots for Error Recovery from Training Failures"
PEOPLE = ("Tanmaey Gupta", "Sanjeev Krishnan", "Rituraj Kumar")
OTHERS = ("Ada Example", "Bo Muster")
FELLOW = TitleAndAuthors(TITLE, PEOPLE)


def said(title=TITLE, authors=PEOPLE):
    return Metadata(Ref("doi", "10.1145/1"), title=title, authors=authors)


@pytest.mark.parametrize(
    ("answer", "meant"),
    [
        (said(), RequestedPaper(is_stated_identifier=True)),
        (said(), RequestedPaper(stated=TitleAndAuthors(TITLE.upper()), is_stated_identifier=True)),
        (said(), RequestedPaper(stated=TitleAndAuthors("Just-In-Time Checkpointing"), is_stated_identifier=True)),
        (
            said("DistServe: Disaggregating Prefill and Decoding"),
            RequestedPaper(stated=TitleAndAuthors("DistServe"), is_stated_identifier=True),
        ),
        (
            said("OSDI '23 - Relational Debugging: Pinpointing Causes"),
            RequestedPaper(stated=TitleAndAuthors("relational debugging"), is_stated_identifier=True),
        ),
        (said(), RequestedPaper(stated=TitleAndAuthors(TITLE), agreeing_records=(FELLOW,))),
        (said("Gemini: A Family of Models", PEOPLE), RequestedPaper(stated=TitleAndAuthors("Gemini", PEOPLE))),
        (said(), RequestedPaper(agreeing_records=(FELLOW,))),
        (said(authors=()), RequestedPaper(agreeing_records=(FELLOW,))),
        (said(), RequestedPaper(agreeing_records=(TitleAndAuthors(TITLE),))),
        (said(authors=("T. Gupta", "S. Krishnan", "R. Kumar")), RequestedPaper(agreeing_records=(FELLOW,))),
        (said("Just-In-Time Checkpointing"), RequestedPaper(agreeing_records=(FELLOW,))),
        (said(RENAMED), RequestedPaper(agreeing_records=(FELLOW,))),
        (said(), RequestedPaper(agreeing_records=(TitleAndAuthors(TITLE, OTHERS), FELLOW))),
        (said(TITLE.replace("Failures", "Failure")), RequestedPaper(agreeing_records=(FELLOW,))),
        (
            said("Quite another title"),
            RequestedPaper(agreeing_records=(FELLOW,), is_stated_identifier=True, was_renamed=True),
        ),
        (
            said("Quite another title"),
            RequestedPaper(stated=TitleAndAuthors(TITLE), agreeing_records=(FELLOW,), was_renamed=True),
        ),
    ],
)
def test_a_record_matches(answer, meant):
    assert describe_mismatch(answer, meant) == ""


@pytest.mark.parametrize(
    ("answer", "meant", "problem"),
    [
        (said(title=""), RequestedPaper(is_stated_identifier=True), "no title"),
        (
            said(),
            RequestedPaper(stated=TitleAndAuthors("Elastic Training in Clusters"), is_stated_identifier=True),
            "title differs from the notes",
        ),
        (
            said(),
            RequestedPaper(stated=TitleAndAuthors("Elastic Training in Clusters")),
            "title differs from the notes",
        ),
        (said(), RequestedPaper(), "not confirmed to be this work"),
        (
            said("OSDI '23 - Relational Debugging: Pinpointing Causes"),
            RequestedPaper(stated=TitleAndAuthors("relational debugging")),
            "title differs from the notes",
        ),
        (
            said("How Pegasus Was Built at Last"),
            RequestedPaper(stated=TitleAndAuthors("Pegasus"), is_stated_identifier=True),
            "title differs from the notes",
        ),
        (
            said("Gemini: A Family of Models"),
            RequestedPaper(stated=TitleAndAuthors("Gemini")),
            "title differs from the notes",
        ),
        (said(), RequestedPaper(stated=TitleAndAuthors(TITLE, OTHERS)), "different authors"),
        (said("Elastic Training in Clusters"), RequestedPaper(agreeing_records=(FELLOW,)), "different title"),
        (said(authors=OTHERS), RequestedPaper(agreeing_records=(FELLOW,)), "different authors"),
        (
            said(authors=OTHERS),
            RequestedPaper(stated=TitleAndAuthors(TITLE), agreeing_records=(FELLOW,)),
            "different authors",
        ),
        (said("Just-In-Time Checkpointing", OTHERS), RequestedPaper(agreeing_records=(FELLOW,)), "different authors"),
        (
            said("Just-In-Time Compilation: Low Cost Recovery", OTHERS),
            RequestedPaper(agreeing_records=(FELLOW,)),
            "different title",
        ),
        (said(RENAMED, ()), RequestedPaper(agreeing_records=(FELLOW,)), "different title"),
        (
            said("Other", OTHERS),
            RequestedPaper(agreeing_records=(FELLOW,), is_stated_identifier=True, was_renamed=True),
            "different authors",
        ),
    ],
)
def test_a_record_is_about_another_work(answer, meant, problem):
    assert describe_mismatch(answer, meant) == problem
