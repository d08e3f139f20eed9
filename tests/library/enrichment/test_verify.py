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
        (said(), RequestedPaper(own=True)),
        (said(), RequestedPaper(named=TitleAndAuthors(TITLE.upper()), own=True)),
        (said(), RequestedPaper(named=TitleAndAuthors("Just-In-Time Checkpointing"), own=True)),
        (
            said("DistServe: Disaggregating Prefill and Decoding"),
            RequestedPaper(named=TitleAndAuthors("DistServe"), own=True),
        ),
        (
            said("OSDI '23 - Relational Debugging: Pinpointing Causes"),
            RequestedPaper(named=TitleAndAuthors("relational debugging"), own=True),
        ),
        (said(), RequestedPaper(named=TitleAndAuthors(TITLE), fellows=(FELLOW,))),
        (said("Gemini: A Family of Models", PEOPLE), RequestedPaper(named=TitleAndAuthors("Gemini", PEOPLE))),
        (said(), RequestedPaper(fellows=(FELLOW,))),
        (said(authors=()), RequestedPaper(fellows=(FELLOW,))),
        (said(), RequestedPaper(fellows=(TitleAndAuthors(TITLE),))),
        (said(authors=("T. Gupta", "S. Krishnan", "R. Kumar")), RequestedPaper(fellows=(FELLOW,))),
        (said("Just-In-Time Checkpointing"), RequestedPaper(fellows=(FELLOW,))),
        (said(RENAMED), RequestedPaper(fellows=(FELLOW,))),
        (said(), RequestedPaper(fellows=(TitleAndAuthors(TITLE, OTHERS), FELLOW))),
        (said(TITLE.replace("Failures", "Failure")), RequestedPaper(fellows=(FELLOW,))),
        (said("Quite another title"), RequestedPaper(fellows=(FELLOW,), own=True, renamed=True)),
        (said("Quite another title"), RequestedPaper(named=TitleAndAuthors(TITLE), fellows=(FELLOW,), renamed=True)),
    ],
)
def test_it_fits(answer, meant):
    assert describe_mismatch(answer, meant) == ""


@pytest.mark.parametrize(
    ("answer", "meant", "problem"),
    [
        (said(title=""), RequestedPaper(own=True), "it gives no title"),
        (
            said(),
            RequestedPaper(named=TitleAndAuthors("Elastic Training in Clusters"), own=True),
            "another title than in the notes",
        ),
        (
            said(),
            RequestedPaper(named=TitleAndAuthors("Elastic Training in Clusters")),
            "another title than in the notes",
        ),
        (said(), RequestedPaper(), "nobody confirms that it is this work"),
        (
            said("OSDI '23 - Relational Debugging: Pinpointing Causes"),
            RequestedPaper(named=TitleAndAuthors("relational debugging")),
            "another title than in the notes",
        ),
        (
            said("How Pegasus Was Built at Last"),
            RequestedPaper(named=TitleAndAuthors("Pegasus"), own=True),
            "another title than in the notes",
        ),
        (
            said("Gemini: A Family of Models"),
            RequestedPaper(named=TitleAndAuthors("Gemini")),
            "another title than in the notes",
        ),
        (said(), RequestedPaper(named=TitleAndAuthors(TITLE, OTHERS)), "other authors"),
        (said("Elastic Training in Clusters"), RequestedPaper(fellows=(FELLOW,)), "another title"),
        (said(authors=OTHERS), RequestedPaper(fellows=(FELLOW,)), "other authors"),
        (said(authors=OTHERS), RequestedPaper(named=TitleAndAuthors(TITLE), fellows=(FELLOW,)), "other authors"),
        (said("Just-In-Time Checkpointing", OTHERS), RequestedPaper(fellows=(FELLOW,)), "other authors"),
        (
            said("Just-In-Time Compilation: Low Cost Recovery", OTHERS),
            RequestedPaper(fellows=(FELLOW,)),
            "another title",
        ),
        (said(RENAMED, ()), RequestedPaper(fellows=(FELLOW,)), "another title"),
        (said("Other", OTHERS), RequestedPaper(fellows=(FELLOW,), own=True, renamed=True), "other authors"),
    ],
)
def test_it_is_about_another_work(answer, meant, problem):
    assert describe_mismatch(answer, meant) == problem
