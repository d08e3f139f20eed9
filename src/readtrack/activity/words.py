"""What each verb of an event is called, and who is told of it. Pure.

A text goes after the name of who did it. `{paper}` is the paper with a link; `{comment:replied}` is the word with a
link to what the event's data name so; `{about}` is what is discussed; `{whom}` a person; else the data say it.
"""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

Group = Literal[
    "papers",
    "readings",
    "summaries",
    "discussion",
    "assignments",
    "meetings",
    "topics",
    "notes",
    "people",
    "sources",
]


class Words(NamedTuple):
    """The text of a verb, and under what it is found in the feed; without a group it is for the audit trail alone."""

    text: str
    group: Group | None = None


GROUPS: Mapping[Group, str] = {
    "readings": "Reading",
    "summaries": "Summaries",
    "discussion": "Discussion",
    "assignments": "Assignments",
    "meetings": "Meetings",
    "papers": "Papers",
    "topics": "Topics",
    "notes": "Notes",
    "people": "People",
    "sources": "Sources",
}
MY_QUEUE = "reading.moved"  # there are many, and they are nobody else's business
# A change of a reading is looked up with what it was about first.
VERBS: Mapping[str, Words] = {
    "paper.added": Words("added {paper}", "papers"),
    "paper.edited": Words("corrected {paper}", "papers"),
    "paper.deleted": Words("deleted a paper", "papers"),
    "paper.restored": Words("restored {paper}", "papers"),
    "paper.merged": Words("merged “{title}” into {paper}", "papers"),
    "paper.unmerged": Words("took {paper} apart again", "papers"),
    "paper.split": Words("made two papers of {paper}", "papers"),
    "paper.field_chosen": Words("chose what {paper} shows", "papers"),
    "paper.field_released": Words("let the sources speak again for {paper}", "papers"),
    "paper.record_accepted": Words("accepted a source’s answer about {paper}", "papers"),
    "paper.record_refused": Words("refused a source’s answer about {paper}", "papers"),
    "paper.record_reopened": Words("took back a decision about an answer on {paper}", "papers"),
    "paper.fetched": Words("The sources told of {paper}", "sources"),
    "paper.disagreement": Words("A source disagrees about {paper}", "sources"),
    "relation.added": Words("related {paper} to another paper", "papers"),
    "relation.removed": Words("took a relation off {paper}", "papers"),
    "duplicate.kept_apart": Words("said that {paper} is a work of its own", "papers"),
    "duplicate.reopened": Words("asked again whether {paper} is here twice", "papers"),
    "proposal.accepted": Words("confirmed what was found", "papers"),
    "proposal.rejected": Words("rejected what was found", "papers"),
    "proposal.reopened": Words("took back a no to what was found", "papers"),
    "lead.found": Words("found what the notes mean: {paper}", "papers"),
    "lead.dropped": Words("dropped something that notes only describe", "papers"),
    "lead.reopened": Words("took up again what notes only describe", "papers"),
    "reading.set": Words("changed their reading of {paper}", "readings"),
    "reading.set:recommendation": Words("said whether {paper} is worth reading", "readings"),
    "reading.set:progress_at": Words("read on in {paper}", "readings"),
    "reading.set:to_read": Words("wants to read {paper}", "readings"),
    "reading.set:reading": Words("is reading {paper}", "readings"),
    "reading.set:paused": Words("paused {paper}", "readings"),
    "reading.set:read": Words("finished {paper}", "readings"),
    "reading.set:dropped": Words("dropped {paper}", "readings"),
    "reading.removed": Words("took {paper} off their list", "readings"),
    MY_QUEUE: Words("put {paper} elsewhere in their queue", "readings"),
    "reading.undone": Words("took back a change on {paper}", "readings"),
    "summary.added": Words("summarised {paper}", "summaries"),
    "summary.saved": Words("worked on a summary of {paper}", "summaries"),
    "summary.deleted": Words("deleted a summary of {paper}", "summaries"),
    "comment.added": Words("{comment:commented} on {about}", "discussion"),
    "comment.edited": Words("edited a {comment:comment} on {about}", "discussion"),
    "comment.deleted": Words("deleted a comment on {about}", "discussion"),
    "comment.restored": Words("took back the deletion of a {comment:comment} on {about}", "discussion"),
    "comment.hidden": Words("hid a comment on {about}", "discussion"),
    "comment.shown": Words("showed a hidden {comment:comment} on {about} again", "discussion"),
    "thread.resolved": Words("resolved a {comment:thread} on {about}", "discussion"),
    "thread.reopened": Words("reopened a {comment:thread} on {about}", "discussion"),
    "question.asked": Words("asked {question}", "discussion"),
    "question.noted": Words("brought {question} in from notes", "discussion"),
    "question.edited": Words("edited {question}", "discussion"),
    "question.answered": Words("marked {question} as answered", "discussion"),
    "question.dropped": Words("dropped {question}", "discussion"),
    "question.reopened": Words("reopened {question}", "discussion"),
    "question.deleted": Words("deleted a question", "discussion"),
    "assignment.made": Words("asked {whom} to read {paper}", "assignments"),
    "assignment.edited": Words("changed what {whom} is asked about {paper}", "assignments"),
    "assignment.accepted": Words("will read {paper}", "assignments"),
    "assignment.declined": Words("declined to read {paper}", "assignments"),
    "assignment.withdrawn": Words("no longer asks {whom} to read {paper}", "assignments"),
    "series.added": Words("began the series {name}", "meetings"),
    "series.edited": Words("changed the series {name}", "meetings"),
    "series.ended": Words("ended the series {name}", "meetings"),
    "series.resumed": Words("resumed the series {name}", "meetings"),
    "meeting.planned": Words("planned {meeting}", "meetings"),
    "meeting.edited": Words("changed {meeting}", "meetings"),
    "meeting.moved": Words("moved {meeting}", "meetings"),
    "meeting.held": Words("marked {meeting} as held", "meetings"),
    "meeting.cancelled": Words("cancelled {meeting}", "meetings"),
    "meeting.resumed": Words("planned {meeting} again", "meetings"),
    "meeting.deleted": Words("deleted the meeting {name}", "meetings"),
    "meeting.noted": Words("wrote notes of {meeting}", "meetings"),
    "agenda.added": Words("put {about} on the agenda of {meeting}", "meetings"),
    "agenda.edited": Words("changed {about} on the agenda of {meeting}", "meetings"),
    "agenda.moved": Words("put the agenda of {meeting} in another order", "meetings"),
    "agenda.removed": Words("took {about} off the agenda of {meeting}", "meetings"),
    "candidate.proposed": Words("proposed {paper} for a meeting", "meetings"),
    "candidate.voted": Words("voted on {paper} for a meeting", "meetings"),
    "candidate.withdrawn": Words("took back the proposal of {paper} for a meeting", "meetings"),
    "topic.added": Words("made the topic {topic}", "topics"),
    "topic.edited": Words("worked on the topic {topic}", "topics"),
    "topic.deleted": Words("deleted the topic {name}", "topics"),
    "topic.merged": Words("merged the topic {name} into {into}", "topics"),
    "topic.linked": Words("filed {paper} under {topic}", "topics"),
    "topic.unlinked": Words("took {paper} out of {topic}", "topics"),
    "note.stored": Words("brought in {note:notes}", "notes"),
    "import.committed": Words("carried out an {import:import}", "notes"),
    "rule.kept": Words("kept a rule for imports", "notes"),
    "rule.removed": Words("removed a rule for imports", "notes"),
    "host.closed": Words("closed the host {host}", "sources"),
    "host.opened": Words("opened the host {host}", "sources"),
    "person.set-up": Words("set the library up", "people"),
    "person.joined": Words("joined the team", "people"),
    "person.added": Words("added {person}"),
    "person.invited": Words("invited somebody as {role}"),
    "person.link-made": Words("made {person} a link to set a password"),
    "person.role-changed": Words("made {person} {role}"),
    "person.renamed": Words("is now called {person}"),
    "person.disabled": Words("disabled {person}"),
    "person.enabled": Words("enabled {person}"),
    "person.signed-in": Words("signed in"),
    "person.password-changed": Words("changed their password"),
    "person.edited": Words("changed their settings"),
    "person.notices-chosen": Words("chose what they are told of"),
    "person.email-changed": Words("changed their address"),
    "person.erased": Words("erased {person}"),
    "person.identity-linked": Words("linked a sign-in by {by}"),
    "person.identity-unlinked": Words("unlinked a sign-in by {by}"),
    "person.invitation-revoked": Words("revoked an invitation"),
    "person.link-asked": Words("asked for a link to set a password"),
    "person.recovery-code-used": Words("used a recovery code"),
    "person.recovery-codes-made": Words("made recovery codes"),
    "person.second-factor-failed": Words("gave a wrong code"),
    "person.second-factor-off": Words("turned the second factor off"),
    "person.second-factor-on": Words("turned the second factor on"),
    "person.second-factor-reset": Words("reset the second factor of {person}"),
    "person.signed-out": Words("signed out"),
    "person.signed-out-elsewhere": Words("signed out elsewhere"),
    "token.created": Words("made the token {name}"),
    "token.revoked": Words("revoked the token {name}"),
}
LINKS: Mapping[str, str] = {  # where what the data name is found
    "comment": "/comments/{}",
    "question": "/questions/{}",
    "meeting": "/meetings/{}",
    "note": "/notes/{}",
    "import": "/imports/{}",
    "into": "/topics/{}",
}


def words_of(verb: str, data: Mapping[str, Any]) -> Words:
    """A verb that nobody gave words is shown as it is, to who reads the audit trail."""
    return VERBS.get(f"{verb}:{_which(data)}") or VERBS.get(verb) or Words(verb)


def _which(data: Mapping[str, Any]) -> object:
    """What a change of a reading was about: its status, else what a reader would tell first."""
    changed = data.get("changed")
    if not isinstance(changed, list) or "status" in changed:
        return data.get("status")
    return next((name for name in ("recommendation", "progress_at") if name in changed), None)


def told_of(group: str | None = None) -> list[str]:
    """The verbs that the whole team is told of, or those of one group."""
    told = {verb.partition(":")[0] for verb, words in VERBS.items() if words.group and group in {None, words.group}}
    return sorted(told)


def kept_back() -> list[str]:
    """The verbs that only the audit trail tells, whoever they belong to: who came in, tokens, roles."""
    return sorted(verb for verb, words in VERBS.items() if words.group is None)
