"""Texts and visibility of the event verbs.

A text follows the person's name. `{paper}` is the linked paper; `{comment:replied}` is the word "replied" with a link
to the comment in the event's data; `{about}` is the target of a discussion; `{whom}` a person; other names are keys of
the data.
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


class VerbText(NamedTuple):
    """The text of a verb and its group in the feed.

    Without a group it is only in the audit trail.
    """

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
# Changes of a reading are looked up with the changed field first.
VERBS: Mapping[str, VerbText] = {
    "paper.added": VerbText(N_("added {paper}"), "papers"),
    "paper.edited": VerbText(N_("corrected {paper}"), "papers"),
    "paper.deleted": VerbText(N_("deleted a paper"), "papers"),
    "paper.restored": VerbText(N_("restored {paper}"), "papers"),
    "paper.merged": VerbText(N_("merged “{title}” into {paper}"), "papers"),
    "paper.unmerged": VerbText(N_("took {paper} apart again"), "papers"),
    "paper.split": VerbText(N_("made two papers of {paper}"), "papers"),
    "paper.field_chosen": VerbText(N_("chose what {paper} shows"), "papers"),
    "paper.field_released": VerbText(N_("let the sources speak again for {paper}"), "papers"),
    "paper.record_accepted": VerbText(N_("accepted a source’s answer about {paper}"), "papers"),
    "paper.record_refused": VerbText(N_("refused a source’s answer about {paper}"), "papers"),
    "paper.record_reopened": VerbText(N_("took back a decision about an answer on {paper}"), "papers"),
    "paper.fetched": VerbText(N_("The sources told of {paper}"), "sources"),
    "paper.disagreement": VerbText(N_("A source disagrees about {paper}"), "sources"),
    "gloss.set": VerbText(N_("gave {paper} a title in another language"), "papers"),
    "gloss.removed": VerbText(N_("took a title in another language off {paper}"), "papers"),
    "relation.added": VerbText(N_("related {paper} to another paper"), "papers"),
    "relation.changed": VerbText(N_("changed how {paper} is related to another paper"), "papers"),
    "relation.refused": VerbText(N_("said that {paper} does not belong to another paper"), "papers"),
    "relation.removed": VerbText(N_("took a relation off {paper}"), "papers"),
    "duplicate.kept_apart": VerbText(N_("said that {paper} is a work of its own"), "papers"),
    "duplicate.reopened": VerbText(N_("asked again whether {paper} is here twice"), "papers"),
    "proposal.accepted": VerbText(N_("confirmed what was found"), "papers"),
    "proposal.rejected": VerbText(N_("rejected what was found"), "papers"),
    "proposal.reopened": VerbText(N_("took back a no to what was found"), "papers"),
    "lead.found": VerbText(N_("found what the notes mean: {paper}"), "papers"),
    "lead.dropped": VerbText(N_("dropped something that notes only describe"), "papers"),
    "lead.reopened": VerbText(N_("took up again what notes only describe"), "papers"),
    "reading.set": VerbText(N_("changed their reading of {paper}"), "readings"),
    "reading.set:recommendation": VerbText(N_("said whether {paper} is worth reading"), "readings"),
    "reading.set:progress_at": VerbText(N_("read on in {paper}"), "readings"),
    "reading.set:to_read": VerbText(N_("wants to read {paper}"), "readings"),
    "reading.set:reading": VerbText(N_("is reading {paper}"), "readings"),
    "reading.set:paused": VerbText(N_("paused {paper}"), "readings"),
    "reading.set:read": VerbText(N_("finished {paper}"), "readings"),
    "reading.set:dropped": VerbText(N_("dropped {paper}"), "readings"),
    "reading.removed": VerbText(N_("took {paper} off their list"), "readings"),
    MY_QUEUE: VerbText(N_("put {paper} elsewhere in their queue"), "readings"),
    "reading.undone": VerbText(N_("took back a change on {paper}"), "readings"),
    "summary.added": VerbText(N_("summarised {paper}"), "summaries"),
    "summary.saved": VerbText(N_("worked on a summary of {paper}"), "summaries"),
    "summary.brought": VerbText(N_("brought in what {person} wrote of {paper}")),
    "folder.brought": VerbText(N_("brought a folder of Markdown in")),
    "summary.deleted": VerbText(N_("deleted a summary of {paper}"), "summaries"),
    "summary.restored": VerbText(N_("brought a summary of {paper} back"), "summaries"),
    "comment.added": VerbText(N_("{comment:commented} on {about}"), "discussion"),
    "comment.edited": VerbText(N_("edited a {comment:comment} on {about}"), "discussion"),
    "comment.deleted": VerbText(N_("deleted a comment on {about}"), "discussion"),
    "comment.restored": VerbText(N_("took back the deletion of a {comment:comment} on {about}"), "discussion"),
    "comment.hidden": VerbText(N_("hid a comment on {about}"), "discussion"),
    "comment.shown": VerbText(N_("showed a hidden {comment:comment} on {about} again"), "discussion"),
    "thread.resolved": VerbText(N_("resolved a {comment:thread} on {about}"), "discussion"),
    "thread.reopened": VerbText(N_("reopened a {comment:thread} on {about}"), "discussion"),
    "question.asked": VerbText(N_("asked {question}"), "discussion"),
    "question.noted": VerbText(N_("brought {question} in from notes"), "discussion"),
    "question.edited": VerbText(N_("edited {question}"), "discussion"),
    "question.answered": VerbText(N_("marked {question} as answered"), "discussion"),
    "question.dropped": VerbText(N_("dropped {question}"), "discussion"),
    "question.reopened": VerbText(N_("reopened {question}"), "discussion"),
    "question.deleted": VerbText(N_("deleted a question"), "discussion"),
    "question.restored": VerbText(N_("brought back {question}"), "discussion"),
    "assignment.made": VerbText(N_("asked {whom} to read {paper}"), "assignments"),
    "assignment.edited": VerbText(N_("changed what {whom} is asked about {paper}"), "assignments"),
    "assignment.accepted": VerbText(N_("will read {paper}"), "assignments"),
    "assignment.declined": VerbText(N_("declined to read {paper}"), "assignments"),
    "assignment.withdrawn": VerbText(N_("no longer asks {whom} to read {paper}"), "assignments"),
    "series.added": VerbText(N_("began the series {name}"), "meetings"),
    "series.edited": VerbText(N_("changed the series {name}"), "meetings"),
    "series.ended": VerbText(N_("ended the series {name}"), "meetings"),
    "series.resumed": VerbText(N_("resumed the series {name}"), "meetings"),
    "meeting.planned": VerbText(N_("planned {meeting}"), "meetings"),
    "meeting.edited": VerbText(N_("changed {meeting}"), "meetings"),
    "meeting.moved": VerbText(N_("moved {meeting}"), "meetings"),
    "meeting.held": VerbText(N_("marked {meeting} as held"), "meetings"),
    "meeting.cancelled": VerbText(N_("cancelled {meeting}"), "meetings"),
    "meeting.resumed": VerbText(N_("planned {meeting} again"), "meetings"),
    "meeting.deleted": VerbText(N_("deleted the meeting {name}"), "meetings"),
    "meeting.restored": VerbText(N_("brought back {meeting}"), "meetings"),
    "meeting.noted": VerbText(N_("wrote notes of {meeting}"), "meetings"),
    "agenda.added": VerbText(N_("put {about} on the agenda of {meeting}"), "meetings"),
    "agenda.edited": VerbText(N_("changed {about} on the agenda of {meeting}"), "meetings"),
    "agenda.moved": VerbText(N_("put the agenda of {meeting} in another order"), "meetings"),
    "agenda.removed": VerbText(N_("took {about} off the agenda of {meeting}"), "meetings"),
    "candidate.proposed": VerbText(N_("proposed {paper} for a meeting"), "meetings"),
    "candidate.voted": VerbText(N_("voted on {paper} for a meeting"), "meetings"),
    "candidate.withdrawn": VerbText(N_("took back the proposal of {paper} for a meeting"), "meetings"),
    "template.added": VerbText(N_("made the template “{name}” for texts")),
    "template.edited": VerbText(N_("changed the template “{name}”")),
    "template.deleted": VerbText(N_("removed the template “{name}”")),
    "topic.added": VerbText(N_("made the topic {topic}"), "topics"),
    "topic.edited": VerbText(N_("worked on the topic {topic}"), "topics"),
    "topic.deleted": VerbText(N_("deleted the topic {name}"), "topics"),
    "topic.merged": VerbText(N_("merged the topic {name} into {into}"), "topics"),
    "topic.parted": VerbText(N_("took the topic {topic} apart again"), "topics"),
    "topic.split": VerbText(N_("moved part of the topic {topic} to {into}"), "topics"),
    "topic.rejoined": VerbText(N_("put the topic {topic} together again"), "topics"),
    "topic.ordered": VerbText(N_("put {paper} in its place in the reading order of {topic}"), "topics"),
    "topic.unordered": VerbText(N_("took {paper} out of the reading order of {topic}"), "topics"),
    "topic.link-added": VerbText(N_("put the link {link} under {topic}"), "topics"),
    "topic.link-edited": VerbText(N_("changed the link {link} under {topic}"), "topics"),
    "topic.link-removed": VerbText(N_("took the link {link} away from {topic}"), "topics"),
    "topic.linked": VerbText(N_("filed {paper} under {topic}"), "topics"),
    "topic.unlinked": VerbText(N_("took {paper} out of {topic}"), "topics"),
    "comparison.added": VerbText(N_("made a {comparison:table} of {topic}"), "topics"),
    "comparison.edited": VerbText(N_("changed a {comparison:table} of {topic}"), "topics"),
    "comparison.deleted": VerbText(N_("deleted a table of {topic}"), "topics"),
    "view.saved": VerbText(N_("saved the view {name}"), "papers"),
    "view.edited": VerbText(N_("changed the view {name}"), "papers"),
    "view.shared": VerbText(N_("shared the view {name}"), "papers"),
    "view.unshared": VerbText(N_("made the view {name} private"), "papers"),
    "view.deleted": VerbText(N_("deleted the view {name}"), "papers"),
    "view.restored": VerbText(N_("restored the view {name}"), "papers"),
    "note.stored": VerbText(N_("brought in {note:notes}"), "notes"),
    "import.committed": VerbText(N_("carried out an {import:import}"), "notes"),
    "rule.kept": VerbText(N_("kept a rule for imports"), "notes"),
    "rule.removed": VerbText(N_("removed a rule for imports"), "notes"),
    "image.added": VerbText(N_("uploaded a picture")),
    "image.removed": VerbText(N_("removed a picture")),
    "macro.added": VerbText(N_("added the macro {macro}"), "notes"),
    "macro.changed": VerbText(N_("changed the macro {macro}"), "notes"),
    "macro.removed": VerbText(N_("removed the macro {macro}"), "notes"),
    "host.closed": VerbText(N_("closed the host {host}"), "sources"),
    "host.opened": VerbText(N_("opened the host {host}"), "sources"),
    "person.set-up": VerbText(N_("set the library up"), "people"),
    "person.joined": VerbText(N_("joined the team"), "people"),
    "person.added": VerbText(N_("added {person}")),
    "person.invited": VerbText(N_("invited somebody as {role}")),
    "person.link-made": VerbText(N_("made {person} a link to set a password")),
    "person.role-changed": VerbText(N_("made {person} {role}")),
    "person.renamed": VerbText(N_("is now called {person}")),
    "person.disabled": VerbText(N_("disabled {person}")),
    "person.enabled": VerbText(N_("enabled {person}")),
    "person.signed-in": VerbText(N_("signed in")),
    "person.password-changed": VerbText(N_("changed their password")),
    "person.edited": VerbText(N_("changed their settings")),
    "person.notices-chosen": VerbText(N_("chose what they are told of")),
    "person.email-changed": VerbText(N_("changed their address")),
    "person.erased": VerbText(N_("erased {person}")),
    "person.identity-linked": VerbText(N_("linked a sign-in by {by}")),
    "person.identity-unlinked": VerbText(N_("unlinked a sign-in by {by}")),
    "person.invitation-revoked": VerbText(N_("revoked an invitation")),
    "person.link-asked": VerbText(N_("asked for a link to set a password")),
    "person.recovery-code-used": VerbText(N_("used a recovery code")),
    "person.recovery-codes-made": VerbText(N_("made recovery codes")),
    "person.second-factor-failed": VerbText(N_("gave a wrong code")),
    "person.second-factor-off": VerbText(N_("turned the second factor off")),
    "person.second-factor-on": VerbText(N_("turned the second factor on")),
    "person.second-factor-reset": VerbText(N_("reset the second factor of {person}")),
    "person.signed-out": VerbText(N_("signed out")),
    "person.signed-out-elsewhere": VerbText(N_("signed out elsewhere")),
    "token.created": VerbText(N_("made the token {name}")),
    "token.revoked": VerbText(N_("revoked the token {name}")),
}
LINKS: Mapping[str, str] = {  # addresses of the objects in an event's data
    "comment": "/comments/{}",
    "question": "/questions/{}",
    "meeting": "/meetings/{}",
    "note": "/notes/{}",
    "import": "/imports/{}",
    "into": "/topics/{}",
    "comparison": "/comparisons/{}",
}


def get_verb_text(verb: str, data: Mapping[str, Any]) -> VerbText:
    """Return the text of a verb. A verb without a text is shown verbatim in the audit trail."""
    return VERBS.get(f"{verb}:{_changed_field(data)}") or VERBS.get(verb) or VerbText(verb)


def _changed_field(data: Mapping[str, Any]) -> object:
    """Return the new status of a changed reading, or else the most important changed field."""
    changed_fields = data.get("changed")
    if not isinstance(changed_fields, list) or "status" in changed_fields:
        return data.get("status")
    return next((name for name in ("recommendation", "progress_at") if name in changed_fields), None)


def public_verbs(group: str | None = None) -> list[str]:
    """Return the verbs that the whole team sees, or those of one group."""
    verbs = {
        verb.partition(":")[0]
        for verb, verb_text in VERBS.items()
        if verb_text.group and group in {None, verb_text.group}
    }
    return sorted(verbs)


def access_verbs() -> list[str]:
    """Return the private verbs that admins see of everyone: sign-ins and tokens."""
    personal_verbs = {"person.edited", "person.notices-chosen"}  # personal preferences
    return [verb for verb in hidden_verbs() if verb.startswith(("person.", "token.")) and verb not in personal_verbs]


def hidden_verbs() -> list[str]:
    """Return the verbs only in the audit trail: sign-ins, tokens and roles."""
    return sorted(verb for verb, verb_text in VERBS.items() if verb_text.group is None)
