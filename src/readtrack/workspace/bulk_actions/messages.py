"""Messages about the result of a bulk action, in the user's language."""

from collections import Counter
from collections.abc import Callable, Mapping

from readtrack.infra.i18n import gettext as _
from readtrack.infra.i18n import ngettext
from readtrack.reading.readings.status_transitions import WORDS
from readtrack.workspace.bulk_actions.commands import BulkResult
from readtrack.workspace.bulk_actions.undo import UndoResult

MAX_REASONS = 3


def _queued(count: int) -> str:
    return ngettext("Added {count} paper to your queue.", "Added {count} papers to your queue.", count)


def _marked(status: str) -> Callable[[int], str]:
    def message(count: int) -> str:
        template = ngettext("Marked {count} paper as {status}.", "Marked {count} papers as {status}.", count)
        return template.replace("{status}", _(WORDS[status]))

    return message


def _updated(count: int) -> str:
    return ngettext("Updated {count} paper.", "Updated {count} papers.", count)


# By the button of the form.
DONE: Mapping[str, Callable[[int], str]] = {
    **dict.fromkeys(("to_read", "first", "next", "later"), _queued),
    **{status: _marked(status) for status in ("reading", "paused", "read", "dropped")},
    **dict.fromkeys(("file", "unfile", "keep", "inbox"), _updated),
    "off": lambda n: ngettext("Removed {count} paper from your queue.", "Removed {count} papers from your queue.", n),
    "assign": lambda n: ngettext("Assigned {count} paper.", "Assigned {count} papers.", n),
    "propose": lambda n: ngettext("Proposed {count} paper.", "Proposed {count} papers.", n),
    "reject": lambda n: ngettext("Marked {count} paper irrelevant.", "Marked {count} papers irrelevant.", n),
    "merge": lambda n: ngettext("Merged {count} paper.", "Merged {count} papers.", n),
    "refresh": lambda n: ngettext("Refreshing metadata of {count} paper.", "Refreshing metadata of {count} papers.", n),
    "delete": lambda n: ngettext("Moved {count} paper to trash.", "Moved {count} papers to trash.", n),
    "restore": lambda n: ngettext("Restored {count} paper.", "Restored {count} papers.", n),
}


def result_message(result: BulkResult, act: str) -> str:
    """Return how many papers changed, how many were unchanged, and why others were refused."""
    reasons = Counter(outcome.problem.message for outcome in result.outcomes if outcome.problem)
    unchanged_count = len(result.outcomes) - result.changed_count - sum(reasons.values())
    changed_count = result.changed_count
    if act == "merge" and changed_count:  # the paper to keep is one of the merged
        changed_count, unchanged_count = changed_count + unchanged_count, 0
    sentences = [DONE[act](changed_count).format(count=changed_count)] if changed_count else []
    if unchanged_count:
        unchanged_text = ngettext("{count} unchanged.", "{count} unchanged.", unchanged_count)
        sentences.append(unchanged_text.format(count=unchanged_count))
    return " ".join([*sentences, *_refusal_sentences(reasons)])


def undo_message(result: UndoResult) -> str:
    """Return how many papers were restored, and why others were not."""
    count = len(result.papers)
    undone_text = ngettext("Undone for {count} paper.", "Undone for {count} papers.", count).format(count=count)
    return " ".join([undone_text, *_refusal_sentences(Counter(result.unchanged.values()))])


def _refusal_sentences(reasons: Counter[str]) -> list[str]:
    """Return the most frequent reasons with their number of papers; equal reasons are counted together."""
    frequent = reasons.most_common(MAX_REASONS)
    sentences = [
        ngettext("{count} paper not changed: {why}", "{count} papers not changed: {why}", count).format(
            count=count, why=reason
        )
        for reason, count in frequent
    ]
    if other_count := sum(reasons.values()) - sum(count for _reason, count in frequent):
        other_text = ngettext(
            "{count} paper not changed for other reasons.", "{count} papers not changed for other reasons.", other_count
        )
        sentences.append(other_text.format(count=other_count))
    return sentences
