"""What each verb of an event is called, and who is told of it. Pure.

A text goes after the name of who did it. `{paper}` is the paper with a link; `{comment:replied}` is the word with a
link to what the event's data name so; `{about}` is what is discussed; `{whom}` a person; else the data say it.
"""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from readtrack.infra.i18n import N_
from readtrack.reading.readings.history import MY_QUEUE

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
    "readings": N_("Reading"),
    "summaries": N_("Summaries"),
    "discussion": N_("Discussion"),
    "assignments": N_("Assignments"),
    "meetings": N_("Meetings"),
    "papers": N_("Papers"),
    "topics": N_("Topics"),
    "notes": N_("Notes"),
    "people": N_("People"),
    "sources": N_("Sources"),
}
# A change of a reading is looked up with what it was about first.
VERBS: Mapping[str, Words] = {
    "paper.added": Words(N_("added {paper}"), "papers"),
    "paper.edited": Words(N_("corrected {paper}"), "papers"),
    "paper.deleted": Words(N_("deleted a paper"), "papers"),
    "paper.restored": Words(N_("restored {paper}"), "papers"),
    "paper.merged": Words(N_("merged “{title}” into {paper}"), "papers"),
    "paper.unmerged": Words(N_("took {paper} apart again"), "papers"),
    "paper.split": Words(N_("made two papers of {paper}"), "papers"),
    "paper.field_chosen": Words(N_("chose what {paper} shows"), "papers"),
    "paper.field_released": Words(N_("let the sources speak again for {paper}"), "papers"),
    "paper.record_accepted": Words(N_("accepted a source’s answer about {paper}"), "papers"),
    "paper.record_refused": Words(N_("refused a source’s answer about {paper}"), "papers"),
    "paper.record_reopened": Words(N_("took back a decision about an answer on {paper}"), "papers"),
    "paper.fetched": Words(N_("The sources told of {paper}"), "sources"),
    "paper.disagreement": Words(N_("A source disagrees about {paper}"), "sources"),
    "gloss.set": Words(N_("gave {paper} a title in another language"), "papers"),
    "gloss.removed": Words(N_("took a title in another language off {paper}"), "papers"),
    "relation.added": Words(N_("related {paper} to another paper"), "papers"),
    "relation.changed": Words(N_("changed how {paper} is related to another paper"), "papers"),
    "relation.refused": Words(N_("said that {paper} does not belong to another paper"), "papers"),
    "relation.removed": Words(N_("took a relation off {paper}"), "papers"),
    "duplicate.kept_apart": Words(N_("said that {paper} is a work of its own"), "papers"),
    "duplicate.reopened": Words(N_("asked again whether {paper} is here twice"), "papers"),
    "proposal.accepted": Words(N_("confirmed what was found"), "papers"),
    "proposal.rejected": Words(N_("rejected what was found"), "papers"),
    "proposal.reopened": Words(N_("took back a no to what was found"), "papers"),
    "lead.found": Words(N_("found what the notes mean: {paper}"), "papers"),
    "lead.dropped": Words(N_("dropped something that notes only describe"), "papers"),
    "lead.reopened": Words(N_("took up again what notes only describe"), "papers"),
    "reading.set": Words(N_("changed their reading of {paper}"), "readings"),
    "reading.set:recommendation": Words(N_("said whether {paper} is worth reading"), "readings"),
    "reading.set:progress_at": Words(N_("read on in {paper}"), "readings"),
    "reading.set:to_read": Words(N_("wants to read {paper}"), "readings"),
    "reading.set:reading": Words(N_("is reading {paper}"), "readings"),
    "reading.set:paused": Words(N_("paused {paper}"), "readings"),
    "reading.set:read": Words(N_("finished {paper}"), "readings"),
    "reading.set:dropped": Words(N_("dropped {paper}"), "readings"),
    "reading.removed": Words(N_("took {paper} off their list"), "readings"),
    MY_QUEUE: Words(N_("put {paper} elsewhere in their queue"), "readings"),
    "reading.undone": Words(N_("took back a change on {paper}"), "readings"),
    "summary.added": Words(N_("summarised {paper}"), "summaries"),
    "summary.saved": Words(N_("worked on a summary of {paper}"), "summaries"),
    "summary.brought": Words(N_("brought in what {person} wrote of {paper}")),
    "folder.brought": Words(N_("brought a folder of Markdown in")),
    "summary.deleted": Words(N_("deleted a summary of {paper}"), "summaries"),
    "summary.restored": Words(N_("brought a summary of {paper} back"), "summaries"),
    "comment.added": Words(N_("{comment:commented} on {about}"), "discussion"),
    "comment.edited": Words(N_("edited a {comment:comment} on {about}"), "discussion"),
    "comment.deleted": Words(N_("deleted a comment on {about}"), "discussion"),
    "comment.restored": Words(N_("took back the deletion of a {comment:comment} on {about}"), "discussion"),
    "comment.hidden": Words(N_("hid a comment on {about}"), "discussion"),
    "comment.shown": Words(N_("showed a hidden {comment:comment} on {about} again"), "discussion"),
    "thread.resolved": Words(N_("resolved a {comment:thread} on {about}"), "discussion"),
    "thread.reopened": Words(N_("reopened a {comment:thread} on {about}"), "discussion"),
    "question.asked": Words(N_("asked {question}"), "discussion"),
    "question.noted": Words(N_("brought {question} in from notes"), "discussion"),
    "question.edited": Words(N_("edited {question}"), "discussion"),
    "question.answered": Words(N_("marked {question} as answered"), "discussion"),
    "question.dropped": Words(N_("dropped {question}"), "discussion"),
    "question.reopened": Words(N_("reopened {question}"), "discussion"),
    "question.deleted": Words(N_("deleted a question"), "discussion"),
    "question.restored": Words(N_("brought back {question}"), "discussion"),
    "assignment.made": Words(N_("asked {whom} to read {paper}"), "assignments"),
    "assignment.edited": Words(N_("changed what {whom} is asked about {paper}"), "assignments"),
    "assignment.accepted": Words(N_("will read {paper}"), "assignments"),
    "assignment.declined": Words(N_("declined to read {paper}"), "assignments"),
    "assignment.withdrawn": Words(N_("no longer asks {whom} to read {paper}"), "assignments"),
    "series.added": Words(N_("began the series {name}"), "meetings"),
    "series.edited": Words(N_("changed the series {name}"), "meetings"),
    "series.ended": Words(N_("ended the series {name}"), "meetings"),
    "series.resumed": Words(N_("resumed the series {name}"), "meetings"),
    "meeting.planned": Words(N_("planned {meeting}"), "meetings"),
    "meeting.edited": Words(N_("changed {meeting}"), "meetings"),
    "meeting.moved": Words(N_("moved {meeting}"), "meetings"),
    "meeting.held": Words(N_("marked {meeting} as held"), "meetings"),
    "meeting.cancelled": Words(N_("cancelled {meeting}"), "meetings"),
    "meeting.resumed": Words(N_("planned {meeting} again"), "meetings"),
    "meeting.deleted": Words(N_("deleted the meeting {name}"), "meetings"),
    "meeting.restored": Words(N_("brought back {meeting}"), "meetings"),
    "meeting.noted": Words(N_("wrote notes of {meeting}"), "meetings"),
    "agenda.added": Words(N_("put {about} on the agenda of {meeting}"), "meetings"),
    "agenda.edited": Words(N_("changed {about} on the agenda of {meeting}"), "meetings"),
    "agenda.moved": Words(N_("put the agenda of {meeting} in another order"), "meetings"),
    "agenda.removed": Words(N_("took {about} off the agenda of {meeting}"), "meetings"),
    "candidate.proposed": Words(N_("proposed {paper} for a meeting"), "meetings"),
    "candidate.voted": Words(N_("voted on {paper} for a meeting"), "meetings"),
    "candidate.withdrawn": Words(N_("took back the proposal of {paper} for a meeting"), "meetings"),
    "template.added": Words(N_("made the template “{name}” for texts")),
    "template.edited": Words(N_("changed the template “{name}”")),
    "template.deleted": Words(N_("removed the template “{name}”")),
    "topic.added": Words(N_("made the topic {topic}"), "topics"),
    "topic.edited": Words(N_("worked on the topic {topic}"), "topics"),
    "topic.deleted": Words(N_("deleted the topic {name}"), "topics"),
    "topic.merged": Words(N_("merged the topic {name} into {into}"), "topics"),
    "topic.parted": Words(N_("took the topic {topic} apart again"), "topics"),
    "topic.split": Words(N_("moved part of the topic {topic} to {into}"), "topics"),
    "topic.rejoined": Words(N_("put the topic {topic} together again"), "topics"),
    "topic.ordered": Words(N_("put {paper} in its place in the reading order of {topic}"), "topics"),
    "topic.unordered": Words(N_("took {paper} out of the reading order of {topic}"), "topics"),
    "topic.link-added": Words(N_("put the link {link} under {topic}"), "topics"),
    "topic.link-edited": Words(N_("changed the link {link} under {topic}"), "topics"),
    "topic.link-removed": Words(N_("took the link {link} away from {topic}"), "topics"),
    "topic.linked": Words(N_("filed {paper} under {topic}"), "topics"),
    "topic.unlinked": Words(N_("took {paper} out of {topic}"), "topics"),
    "comparison.added": Words(N_("made a {comparison:table} of {topic}"), "topics"),
    "comparison.edited": Words(N_("changed a {comparison:table} of {topic}"), "topics"),
    "comparison.deleted": Words(N_("deleted a table of {topic}"), "topics"),
    "view.saved": Words(N_("saved the view {name}"), "papers"),
    "view.edited": Words(N_("changed the view {name}"), "papers"),
    "view.shared": Words(N_("shared the view {name}"), "papers"),
    "view.unshared": Words(N_("made the view {name} private"), "papers"),
    "view.deleted": Words(N_("deleted the view {name}"), "papers"),
    "view.restored": Words(N_("restored the view {name}"), "papers"),
    "note.stored": Words(N_("brought in {note:notes}"), "notes"),
    "import.committed": Words(N_("carried out an {import:import}"), "notes"),
    "rule.kept": Words(N_("kept a rule for imports"), "notes"),
    "rule.removed": Words(N_("removed a rule for imports"), "notes"),
    "image.added": Words(N_("uploaded a picture")),
    "image.removed": Words(N_("removed a picture")),
    "macro.added": Words(N_("added the macro {macro}"), "notes"),
    "macro.changed": Words(N_("changed the macro {macro}"), "notes"),
    "macro.removed": Words(N_("removed the macro {macro}"), "notes"),
    "host.closed": Words(N_("closed the host {host}"), "sources"),
    "host.opened": Words(N_("opened the host {host}"), "sources"),
    "person.set-up": Words(N_("set the library up"), "people"),
    "person.joined": Words(N_("joined the team"), "people"),
    "person.added": Words(N_("added {person}")),
    "person.invited": Words(N_("invited somebody as {role}")),
    "person.link-made": Words(N_("made {person} a link to set a password")),
    "person.role-changed": Words(N_("made {person} {role}")),
    "person.renamed": Words(N_("is now called {person}")),
    "person.disabled": Words(N_("disabled {person}")),
    "person.enabled": Words(N_("enabled {person}")),
    "person.signed-in": Words(N_("signed in")),
    "person.password-changed": Words(N_("changed their password")),
    "person.edited": Words(N_("changed their settings")),
    "person.notices-chosen": Words(N_("chose what they are told of")),
    "person.email-changed": Words(N_("changed their address")),
    "person.erased": Words(N_("erased {person}")),
    "person.identity-linked": Words(N_("linked a sign-in by {by}")),
    "person.identity-unlinked": Words(N_("unlinked a sign-in by {by}")),
    "person.invitation-revoked": Words(N_("revoked an invitation")),
    "person.link-asked": Words(N_("asked for a link to set a password")),
    "person.recovery-code-used": Words(N_("used a recovery code")),
    "person.recovery-codes-made": Words(N_("made recovery codes")),
    "person.second-factor-failed": Words(N_("gave a wrong code")),
    "person.second-factor-off": Words(N_("turned the second factor off")),
    "person.second-factor-on": Words(N_("turned the second factor on")),
    "person.second-factor-reset": Words(N_("reset the second factor of {person}")),
    "person.signed-out": Words(N_("signed out")),
    "person.signed-out-elsewhere": Words(N_("signed out elsewhere")),
    "token.created": Words(N_("made the token {name}")),
    "token.revoked": Words(N_("revoked the token {name}")),
}
LINKS: Mapping[str, str] = {  # where what the data name is found
    "comment": "/comments/{}",
    "question": "/questions/{}",
    "meeting": "/meetings/{}",
    "note": "/notes/{}",
    "import": "/imports/{}",
    "into": "/topics/{}",
    "comparison": "/comparisons/{}",
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


def about_access() -> list[str]:
    """Return the verbs that admins read of everybody, though they are private: who came in, by which way, tokens."""
    own = {"person.edited", "person.notices-chosen"}  # what somebody likes to see is theirs alone
    return [verb for verb in kept_back() if verb.startswith(("person.", "token.")) and verb not in own]


def kept_back() -> list[str]:
    """The verbs that only the audit trail tells, whoever they belong to: who came in, tokens, roles."""
    return sorted(verb for verb, words in VERBS.items() if words.group is None)
