"""What each verb of an event is called, and who is told of it. Pure.

A text goes after the name of who did it. `{paper}` is the paper with a link; `{comment:replied}` is the word with a
link to what the event's data name so; anything else in braces is said by the data themselves.
"""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

Group = Literal["papers", "readings", "summaries", "discussion", "topics", "meetings", "notes", "people", "sources"]


class Words(NamedTuple):
    """The text of a verb, and under what it is found in the feed; without a group it is for the audit trail alone."""

    text: str
    group: Group | None = None


GROUPS: Mapping[Group, str] = {
    "readings": "Reading",
    "summaries": "Summaries",
    "discussion": "Discussion",
    "papers": "Papers",
    "topics": "Topics",
    "meetings": "Meetings",
    "notes": "Notes",
    "people": "People",
    "sources": "Sources",
}
# A verb that has a status is looked up with it first.
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
    "reading.set:to_read": Words("wants to read {paper}", "readings"),
    "reading.set:reading": Words("is reading {paper}", "readings"),
    "reading.set:paused": Words("paused {paper}", "readings"),
    "reading.set:read": Words("finished {paper}", "readings"),
    "reading.set:dropped": Words("dropped {paper}", "readings"),
    "reading.removed": Words("took {paper} off their list", "readings"),
    "reading.undone": Words("took back a change on {paper}", "readings"),
    "summary.added": Words("summarised {paper}", "summaries"),
    "summary.saved": Words("worked on a summary of {paper}", "summaries"),
    "summary.deleted": Words("deleted a summary of {paper}", "summaries"),
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
    "token.created": Words("made the token {name}"),
    "token.revoked": Words("revoked the token {name}"),
}
LINKS: Mapping[str, str] = {  # where what the data name is found
    "comment": "/comments/{}",
    "question": "/questions/{}",
    "meeting": "/meetings/{}",
    "note": "/notes/{}",
    "import": "/imports/{}",
    "topic": "/topics/{}",
    "into": "/topics/{}",
}


def words_of(verb: str, data: Mapping[str, Any]) -> Words:
    """A verb that nobody gave words is shown as it is, to who reads the audit trail."""
    return VERBS.get(f"{verb}:{data.get('status')}") or VERBS.get(verb) or Words(verb)


def told_of(group: str | None = None) -> list[str]:
    """The verbs that the whole team is told of, or those of one group."""
    told = {verb.partition(":")[0] for verb, words in VERBS.items() if words.group and group in {None, words.group}}
    return sorted(told)


def kept_back() -> list[str]:
    """The verbs that only the audit trail tells, whoever they belong to: who came in, tokens, roles."""
    return sorted(verb for verb, words in VERBS.items() if words.group is None)
