"""Agendas of reading groups: what a dated session becomes, and what is no session."""

from readtrack.ingest import parser
from tests.tables import cases

OTHER = "**Jan 2** — Attention Is All You Need (NeurIPS'17)\n"
TITLE = "Spanner: Google's Globally-Distributed Database"


def papers(text):
    return [(each.title, each.venue, each.year) for each in parser.parse(text) if each.kind == "paper"]


@cases(
    "session",
    [
        f"**Jan 9** — {TITLE} (OSDI'12) — presented by *Ada*",
        f"Jan 9: {TITLE} (OSDI 2012), speaker: Ada",
        f'Thu 9 Jan  "{TITLE}" (OSDI 2012), led by Ada Lovelace',
        f"Thu 9 Jan\t{TITLE}\n\tOSDI 2012, presenter: Ada (?)",
        f"1月9日（木）  {TITLE} (OSDI 2012)、担当：佐藤",
    ],
)
def test_a_session_is_its_paper_without_the_day_and_the_speaker(session):
    assert papers(f"{OTHER}{session}\n")[1:] == [(TITLE, "OSDI", 2012)]


@cases("session", ["**Jan 9** — no meeting", "Jan 9: cancelled, public holiday", "Jan 9 — guest talk by Prof. Sato"])
def test_a_session_without_a_paper_is_none(session):
    assert len(papers(f"{OTHER}{session}\n")) == 1


SYLLABUS = f"""Week 1 (Jan 17, 19): Consistency
  Tue  {TITLE}. J. Corbett et al. OSDI 2012.
       Linearizability: A Correctness Condition for Concurrent Objects. TOPLAS 1990.
  Thu  Homework 1 out

Week 2 (Jan 24, 26): Logs
  Tue  In Search of an Understandable Consensus Algorithm.
       D. Ongaro and J. Ousterhout. USENIX ATC 2014.
"""


def test_the_days_of_a_week_and_the_titles_of_a_day_are_papers_of_their_own():
    assert [(venue, year) for _, venue, year in papers(SYLLABUS)] == [
        ("OSDI", 2012),
        ("TOPLAS", 1990),
        ("USENIX ATC", 2014),
    ]


@cases("day", ["10 Oct, 14:00 —", "24 Oct, 15:00 (!) —", "10/9（水）16:30-"])
def test_the_time_and_the_presenter_before_a_title_are_no_part_of_it(day):
    assert papers(f"{OTHER}- {day} Ada (remote) — {TITLE} (OSDI 2012)\n")[1:] == [(TITLE, "OSDI", 2012)]


def test_a_single_dated_line_is_no_agenda():
    assert [each.kind for each in parser.parse("Jan 9: met with the reviewers of the grant\n")] != ["paper"]


def test_the_last_session_of_a_note_may_go_on_below_as_others_do():
    entries = parser.parse(
        "- 3 Oct — Attention Is All You Need\n  Ashish Vaswani\n"
        "- 10 Oct — Paxos Made Simple\n  [pdf](https://lamport.azurewebsites.net/pubs/paxos-simple.pdf)"
    )

    assert [entry.title for entry in entries] == ["Attention Is All You Need", "Paxos Made Simple"]
