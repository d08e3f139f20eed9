"""Whether an answer is about the paper that was meant."""

import pytest

from readtrack.library.enrichment.verify import Meant, Work, problem_with
from readtrack.metadata.types import Metadata, Ref

TITLE = "Just-In-Time Checkpointing: Low Cost Error Recovery from Deep Learning Training Failures"
RENAMED = "Just-In-Time Snapshots for Error Recovery from Training Failures"
PEOPLE = ("Tanmaey Gupta", "Sanjeev Krishnan", "Rituraj Kumar")
OTHERS = ("Ada Example", "Bo Muster")
FELLOW = Work(TITLE, PEOPLE)


def said(title=TITLE, authors=PEOPLE):
    return Metadata(Ref("doi", "10.1145/1"), title=title, authors=authors)


@pytest.mark.parametrize(
    ("answer", "meant"),
    [
        (said(), Meant(own=True)),
        (said(), Meant(named=Work(TITLE.upper()), own=True)),
        (said(), Meant(named=Work("Just-In-Time Checkpointing"), own=True)),
        (said("DistServe: Disaggregating Prefill and Decoding"), Meant(named=Work("DistServe"), own=True)),
        (
            said("OSDI '23 - Relational Debugging: Pinpointing Causes"),
            Meant(named=Work("relational debugging"), own=True),
        ),
        (said(), Meant(named=Work(TITLE), fellows=(FELLOW,))),
        (said("Gemini: A Family of Models", PEOPLE), Meant(named=Work("Gemini", PEOPLE))),
        (said(), Meant(fellows=(FELLOW,))),
        (said(authors=()), Meant(fellows=(FELLOW,))),
        (said(), Meant(fellows=(Work(TITLE),))),
        (said(authors=("T. Gupta", "S. Krishnan", "R. Kumar")), Meant(fellows=(FELLOW,))),
        (said("Just-In-Time Checkpointing"), Meant(fellows=(FELLOW,))),
        (said(RENAMED), Meant(fellows=(FELLOW,))),
        (said(), Meant(fellows=(Work(TITLE, OTHERS), FELLOW))),
        (said(TITLE.replace("Failures", "Failure")), Meant(fellows=(FELLOW,))),
        (said("Quite another title"), Meant(fellows=(FELLOW,), own=True, renamed=True)),
        (said("Quite another title"), Meant(named=Work(TITLE), fellows=(FELLOW,), renamed=True)),
    ],
)
def test_it_fits(answer, meant):
    assert problem_with(answer, meant) == ""


@pytest.mark.parametrize(
    ("answer", "meant", "problem"),
    [
        (said(title=""), Meant(own=True), "it gives no title"),
        (said(), Meant(named=Work("Elastic Training in Clusters"), own=True), "another title than in the notes"),
        (said(), Meant(named=Work("Elastic Training in Clusters")), "another title than in the notes"),
        (said(), Meant(), "nobody confirms that it is this work"),
        (
            said("OSDI '23 - Relational Debugging: Pinpointing Causes"),
            Meant(named=Work("relational debugging")),
            "another title than in the notes",
        ),
        (
            said("How Pegasus Was Built at Last"),
            Meant(named=Work("Pegasus"), own=True),
            "another title than in the notes",
        ),
        (said("Gemini: A Family of Models"), Meant(named=Work("Gemini")), "another title than in the notes"),
        (said(), Meant(named=Work(TITLE, OTHERS)), "other authors"),
        (said("Elastic Training in Clusters"), Meant(fellows=(FELLOW,)), "another title"),
        (said(authors=OTHERS), Meant(fellows=(FELLOW,)), "other authors"),
        (said(authors=OTHERS), Meant(named=Work(TITLE), fellows=(FELLOW,)), "other authors"),
        (said("Just-In-Time Checkpointing", OTHERS), Meant(fellows=(FELLOW,)), "other authors"),
        (said("Just-In-Time Compilation: Low Cost Recovery", OTHERS), Meant(fellows=(FELLOW,)), "another title"),
        (said(RENAMED, ()), Meant(fellows=(FELLOW,)), "another title"),
        (said("Other", OTHERS), Meant(fellows=(FELLOW,), own=True, renamed=True), "other authors"),
    ],
)
def test_it_is_about_another_work(answer, meant, problem):
    assert problem_with(answer, meant) == problem
