"""Messages about the result of a bulk action, in the user's language."""

from collections import Counter
from collections.abc import Callable, Mapping

from readtrack.infra.i18n import gettext as _
from readtrack.infra.i18n import ngettext
from readtrack.workspace.bulk_actions.commands import BulkResult
from readtrack.workspace.bulk_actions.undo import UndoResult

MAX_REASONS = 3
# By the button of the form.
DONE: Mapping[str, Callable[[int], str]] = {
    "to_read": lambda n: ngettext("{count} paper now: to read.", "{count} papers now: to read.", n),
    "reading": lambda n: ngettext("{count} paper now: reading.", "{count} papers now: reading.", n),
    "paused": lambda n: ngettext("{count} paper now: paused.", "{count} papers now: paused.", n),
    "read": lambda n: ngettext("{count} paper now: read.", "{count} papers now: read.", n),
    "dropped": lambda n: ngettext("{count} paper now: dropped.", "{count} papers now: dropped.", n),
    "first": lambda n: ngettext("{count} paper now: in your queue.", "{count} papers now: in your queue.", n),
    "next": lambda n: ngettext("{count} paper now: in your queue.", "{count} papers now: in your queue.", n),
    "later": lambda n: ngettext("{count} paper now: in your queue.", "{count} papers now: in your queue.", n),
    "off": lambda n: ngettext("{count} paper now: off your list.", "{count} papers now: off your list.", n),
    "file": lambda n: ngettext("{count} paper is filed there now.", "{count} papers are filed there now.", n),
    "unfile": lambda n: ngettext("{count} paper is taken out.", "{count} papers are taken out.", n),
    "assign": lambda n: ngettext("Asked to read {count} paper.", "Asked to read {count} papers.", n),
    "propose": lambda n: ngettext("{count} paper is proposed.", "{count} papers are proposed.", n),
    "keep": lambda n: ngettext("{count} paper is in the library now.", "{count} papers are in the library now.", n),
    "reject": lambda n: ngettext("{count} paper is rejected.", "{count} papers are rejected.", n),
    "inbox": lambda n: ngettext("{count} paper is to be decided now.", "{count} papers are to be decided now.", n),
    "merge": lambda n: ngettext("{count} paper is part of it now.", "{count} papers are part of it now.", n),
    "refresh": lambda n: ngettext(
        "The sources are asked again about {count} paper.", "The sources are asked again about {count} papers.", n
    ),
    "delete": lambda n: ngettext(
        "{count} paper is in the trash, for 30 days.", "{count} papers are in the trash, for 30 days.", n
    ),
    "restore": lambda n: ngettext("{count} paper is back.", "{count} papers are back.", n),
}


def result_message(result: BulkResult, act: str) -> str:
    """Return how many papers changed, how many were unchanged, and why others were refused."""
    reasons = Counter(_generalize_reason(outcome.problem.message) for outcome in result.outcomes if outcome.problem)
    unchanged_count = len(result.outcomes) - result.changed_count - sum(reasons.values())
    sentences = [DONE[act](result.changed_count).format(count=result.changed_count)] if result.changed_count else []
    if unchanged_count:
        unchanged_text = ngettext("{count} paper was so already.", "{count} papers were so already.", unchanged_count)
        sentences.append(unchanged_text.format(count=unchanged_count))
    return " ".join([*sentences, *_refusal_sentences(reasons)])


def undo_message(result: UndoResult) -> str:
    """Return how many papers were restored, and why others were not."""
    count = len(result.papers)
    undone_text = ngettext("Taken back: {count} paper.", "Taken back: {count} papers.", count).format(count=count)
    return " ".join([undone_text, *_refusal_sentences(Counter(map(_generalize_reason, result.unchanged.values())))])


def _refusal_sentences(reasons: Counter[str]) -> list[str]:
    """Return the most frequent reasons with their number of papers; reasons that name a paper count once."""
    frequent = reasons.most_common(MAX_REASONS)
    sentences = [
        ngettext("{count} paper stays: {why}", "{count} papers stay: {why}", count).format(count=count, why=reason)
        for reason, count in frequent
    ]
    if other_count := sum(reasons.values()) - sum(count for _reason, count in frequent):
        other_text = ngettext(
            "{count} more paper stays as it is.", "{count} more papers stay as they are.", other_count
        )
        sentences.append(other_text.format(count=other_count))
    return sentences


def _generalize_reason(message: str) -> str:
    return message.removesuffix(_("{detail} Nothing was changed.").format(detail=""))
