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
    "readings": N_("Reading status"),
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
    "paper.edited": VerbText(N_("edited {paper}"), "papers"),
    "paper.deleted": VerbText(N_("deleted a paper"), "papers"),
    "paper.restored": VerbText(N_("restored {paper}"), "papers"),
    "paper.merged": VerbText(N_("merged “{title}” into {paper}"), "papers"),
    "paper.unmerged": VerbText(N_("unmerged {paper}"), "papers"),
    "paper.split": VerbText(N_("split {paper}"), "papers"),
    "paper.field_chosen": VerbText(N_("edited {paper}"), "papers"),
    "paper.field_released": VerbText(N_("edited {paper}"), "papers"),
    "paper.record_accepted": VerbText(N_("edited {paper}"), "papers"),
    "paper.record_refused": VerbText(N_("edited {paper}"), "papers"),
    "paper.record_reopened": VerbText(N_("edited {paper}"), "papers"),
    "paper.fetched": VerbText(N_("Metadata fetched for {paper}"), "sources"),
    "paper.disagreement": VerbText(N_("Conflicting metadata for {paper}"), "sources"),
    "gloss.set": VerbText(N_("edited the translated title of {paper}"), "papers"),
    "gloss.removed": VerbText(N_("edited the translated title of {paper}"), "papers"),
    "relation.added": VerbText(N_("changed the related papers of {paper}"), "papers"),
    "relation.changed": VerbText(N_("changed the related papers of {paper}"), "papers"),
    "relation.refused": VerbText(N_("changed the related papers of {paper}"), "papers"),
    "relation.removed": VerbText(N_("changed the related papers of {paper}"), "papers"),
    "duplicate.kept_apart": VerbText(N_("marked {paper} as not a duplicate"), "papers"),
    "duplicate.reopened": VerbText(N_("reopened a possible duplicate of {paper}"), "papers"),
    "proposal.accepted": VerbText(N_("reviewed a suggestion"), "papers"),
    "proposal.rejected": VerbText(N_("reviewed a suggestion"), "papers"),
    "proposal.reopened": VerbText(N_("reviewed a suggestion"), "papers"),
    "lead.found": VerbText(N_("identified {paper} from notes"), "papers"),
    "lead.dropped": VerbText(N_("dismissed an unresolved reference"), "papers"),
    "lead.reopened": VerbText(N_("reopened an unresolved reference"), "papers"),
    "reading.set": VerbText(N_("updated their reading of {paper}"), "readings"),
    "reading.set:recommendation": VerbText(N_("rated {paper}"), "readings"),
    "reading.set:progress_at": VerbText(N_("made progress on {paper}"), "readings"),
    "reading.set:to_read": VerbText(N_("wants to read {paper}"), "readings"),
    "reading.set:reading": VerbText(N_("is reading {paper}"), "readings"),
    "reading.set:paused": VerbText(N_("paused {paper}"), "readings"),
    "reading.set:read": VerbText(N_("finished {paper}"), "readings"),
    "reading.set:dropped": VerbText(N_("dropped {paper}"), "readings"),
    "reading.removed": VerbText(N_("removed {paper} from their list"), "readings"),
    MY_QUEUE: VerbText(N_("moved {paper} in their queue"), "readings"),
    "reading.undone": VerbText(N_("undid a change to {paper}"), "readings"),
    "summary.added": VerbText(N_("summarized {paper}"), "summaries"),
    "summary.saved": VerbText(N_("edited a summary of {paper}"), "summaries"),
    "summary.brought": VerbText(N_("imported a summary of {paper} by {person}")),
    "folder.brought": VerbText(N_("imported a Markdown folder")),
    "summary.deleted": VerbText(N_("deleted a summary of {paper}"), "summaries"),
    "summary.restored": VerbText(N_("restored a summary of {paper}"), "summaries"),
    "comment.added": VerbText(N_("{comment:commented} on {about}"), "discussion"),
    "comment.noted": VerbText(N_("imported a {comment:comment} on {about}"), "discussion"),
    "comment.edited": VerbText(N_("edited a {comment:comment} on {about}"), "discussion"),
    "comment.deleted": VerbText(N_("deleted a comment on {about}"), "discussion"),
    "comment.restored": VerbText(N_("restored a {comment:comment} on {about}"), "discussion"),
    "comment.hidden": VerbText(N_("hid a comment on {about}"), "discussion"),
    "comment.shown": VerbText(N_("restored a {comment:comment} on {about}"), "discussion"),
    "thread.resolved": VerbText(N_("resolved a {comment:thread} on {about}"), "discussion"),
    "thread.reopened": VerbText(N_("reopened a {comment:thread} on {about}"), "discussion"),
    "question.asked": VerbText(N_("asked {question}"), "discussion"),
    "question.noted": VerbText(N_("imported {question} from notes"), "discussion"),
    "question.edited": VerbText(N_("edited {question}"), "discussion"),
    "question.answered": VerbText(N_("marked {question} as answered"), "discussion"),
    "question.dropped": VerbText(N_("dropped {question}"), "discussion"),
    "question.reopened": VerbText(N_("reopened {question}"), "discussion"),
    "question.deleted": VerbText(N_("deleted a question"), "discussion"),
    "question.restored": VerbText(N_("restored {question}"), "discussion"),
    "assignment.made": VerbText(N_("assigned {whom} to read {paper}"), "assignments"),
    "assignment.edited": VerbText(N_("changed {whom}’s assignment for {paper}"), "assignments"),
    "assignment.accepted": VerbText(N_("agreed to read {paper}"), "assignments"),
    "assignment.declined": VerbText(N_("declined to read {paper}"), "assignments"),
    "assignment.withdrawn": VerbText(N_("unassigned {whom} from {paper}"), "assignments"),
    "series.added": VerbText(N_("created the series {name}"), "meetings"),
    "series.edited": VerbText(N_("edited the series {name}"), "meetings"),
    "series.ended": VerbText(N_("ended the series {name}"), "meetings"),
    "series.resumed": VerbText(N_("resumed the series {name}"), "meetings"),
    "meeting.planned": VerbText(N_("scheduled {meeting}"), "meetings"),
    "meeting.edited": VerbText(N_("edited {meeting}"), "meetings"),
    "meeting.moved": VerbText(N_("moved {meeting}"), "meetings"),
    "meeting.held": VerbText(N_("marked {meeting} as held"), "meetings"),
    "meeting.cancelled": VerbText(N_("canceled {meeting}"), "meetings"),
    "meeting.resumed": VerbText(N_("restored {meeting}"), "meetings"),
    "meeting.deleted": VerbText(N_("deleted the meeting {name}"), "meetings"),
    "meeting.restored": VerbText(N_("restored {meeting}"), "meetings"),
    "meeting.noted": VerbText(N_("edited the notes of {meeting}"), "meetings"),
    "agenda.added": VerbText(N_("added {about} to the agenda of {meeting}"), "meetings"),
    "agenda.edited": VerbText(N_("edited the agenda of {meeting}"), "meetings"),
    "agenda.moved": VerbText(N_("edited the agenda of {meeting}"), "meetings"),
    "agenda.removed": VerbText(N_("removed {about} from the agenda of {meeting}"), "meetings"),
    "candidate.proposed": VerbText(N_("proposed {paper} for a meeting"), "meetings"),
    "candidate.voted": VerbText(N_("voted on {paper} for a meeting"), "meetings"),
    "candidate.withdrawn": VerbText(N_("withdrew {paper} from the meeting candidates"), "meetings"),
    "template.added": VerbText(N_("created the template “{name}”")),
    "template.edited": VerbText(N_("edited the template “{name}”")),
    "template.deleted": VerbText(N_("deleted the template “{name}”")),
    "topic.added": VerbText(N_("created the topic {topic}"), "topics"),
    "topic.edited": VerbText(N_("edited the topic {topic}"), "topics"),
    "topic.deleted": VerbText(N_("deleted the topic {name}"), "topics"),
    "topic.merged": VerbText(N_("merged the topic {name} into {into}"), "topics"),
    "topic.parted": VerbText(N_("unmerged the topic {topic}"), "topics"),
    "topic.split": VerbText(N_("moved part of the topic {topic} to {into}"), "topics"),
    "topic.rejoined": VerbText(N_("undid the split of the topic {topic}"), "topics"),
    "topic.ordered": VerbText(N_("changed the reading order of {topic}"), "topics"),
    "topic.unordered": VerbText(N_("changed the reading order of {topic}"), "topics"),
    "topic.link-added": VerbText(N_("added the link {link} to {topic}"), "topics"),
    "topic.link-edited": VerbText(N_("edited the link {link} in {topic}"), "topics"),
    "topic.link-removed": VerbText(N_("removed the link {link} from {topic}"), "topics"),
    "topic.linked": VerbText(N_("added {paper} to {topic}"), "topics"),
    "topic.unlinked": VerbText(N_("removed {paper} from {topic}"), "topics"),
    "comparison.added": VerbText(N_("created a {comparison:comparison} for {topic}"), "topics"),
    "comparison.edited": VerbText(N_("edited a {comparison:comparison} for {topic}"), "topics"),
    "comparison.deleted": VerbText(N_("deleted a comparison for {topic}"), "topics"),
    "view.saved": VerbText(N_("saved the search {name}"), "papers"),
    "view.edited": VerbText(N_("edited the saved search {name}"), "papers"),
    "view.shared": VerbText(N_("shared the saved search {name}"), "papers"),
    "view.unshared": VerbText(N_("made the saved search {name} private"), "papers"),
    "view.deleted": VerbText(N_("deleted the saved search {name}"), "papers"),
    "view.restored": VerbText(N_("restored the saved search {name}"), "papers"),
    "note.stored": VerbText(N_("added {note:notes}"), "notes"),
    "import.cancelled": VerbText(N_("canceled an {import:import}"), "notes"),
    "import.committed": VerbText(N_("completed an {import:import}"), "notes"),
    "rule.kept": VerbText(N_("saved an import rule"), "notes"),
    "rule.removed": VerbText(N_("deleted an import rule"), "notes"),
    "image.added": VerbText(N_("uploaded an image")),
    "image.removed": VerbText(N_("deleted an image")),
    "macro.added": VerbText(N_("added the macro {macro}"), "notes"),
    "macro.changed": VerbText(N_("edited the macro {macro}"), "notes"),
    "macro.removed": VerbText(N_("deleted the macro {macro}"), "notes"),
    "host.closed": VerbText(N_("blocked {host}"), "sources"),
    "host.opened": VerbText(N_("unblocked {host}"), "sources"),
    "source.paused": VerbText(N_("paused {source}"), "sources"),
    "source.resumed": VerbText(N_("resumed {source}"), "sources"),
    "source.canceled": VerbText(N_("canceled the requests to {source}"), "sources"),
    "source.restored": VerbText(N_("restored the requests to {source}"), "sources"),
    "person.set-up": VerbText(N_("set up the library"), "people"),
    "person.joined": VerbText(N_("joined the team"), "people"),
    "person.added": VerbText(N_("added {person}")),
    "person.invited": VerbText(N_("invited someone as {role}")),
    "person.link-made": VerbText(N_("created a password link for {person}")),
    "person.role-changed": VerbText(N_("changed the role of {person} to {role}")),
    "person.renamed": VerbText(N_("changed their name to {person}")),
    "person.disabled": VerbText(N_("disabled {person}")),
    "person.enabled": VerbText(N_("enabled {person}")),
    "person.signed-in": VerbText(N_("signed in")),
    "person.password-changed": VerbText(N_("changed their password")),
    "person.edited": VerbText(N_("changed their settings")),
    "person.notices-chosen": VerbText(N_("changed their settings")),
    "person.email-changed": VerbText(N_("changed their email")),
    "person.erased": VerbText(N_("erased {person}")),
    "person.identity-linked": VerbText(N_("added sign-in with {by}")),
    "person.identity-unlinked": VerbText(N_("removed sign-in with {by}")),
    "person.invitation-revoked": VerbText(N_("revoked an invitation")),
    "person.link-asked": VerbText(N_("requested a password link")),
    "person.recovery-code-used": VerbText(N_("used a recovery code")),
    "person.recovery-codes-made": VerbText(N_("created recovery codes")),
    "person.second-factor-failed": VerbText(N_("entered a wrong code")),
    "person.second-factor-off": VerbText(N_("turned off two-factor authentication")),
    "person.second-factor-on": VerbText(N_("turned on two-factor authentication")),
    "person.second-factor-reset": VerbText(N_("reset two-factor authentication for {person}")),
    "person.signed-out": VerbText(N_("signed out")),
    "person.signed-out-elsewhere": VerbText(N_("signed out other sessions")),
    "backup.downloaded": VerbText(N_("downloaded the backup {name}")),
    "token.created": VerbText(N_("created the API token {name}")),
    "token.revoked": VerbText(N_("revoked the API token {name}")),
    "webhook.added": VerbText(N_("created a webhook to {host}")),
    "webhook.edited": VerbText(N_("edited a webhook to {host}")),
    "webhook.deleted": VerbText(N_("deleted a webhook to {host}")),
    "webhook.test": VerbText(N_("sent a test message")),
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
    """Return the private verbs that admins see of everyone: sign-ins, tokens, webhooks and downloads of backups."""
    personal_verbs = {"person.edited", "person.notices-chosen"}  # personal preferences
    return [
        verb
        for verb in hidden_verbs()
        if verb.startswith(("person.", "token.", "webhook.", "backup.")) and verb not in personal_verbs
    ]


def hidden_verbs() -> list[str]:
    """Return the verbs only in the audit trail: sign-ins, tokens and roles."""
    return sorted(verb for verb, verb_text in VERBS.items() if verb_text.group is None)
