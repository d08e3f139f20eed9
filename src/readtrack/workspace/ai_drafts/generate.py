"""Generation of a draft within the team's daily token budget.

The steps are: read the facts, reserve tokens, call the model outside of a transaction, settle the usage.
"""

from dataclasses import dataclass
from datetime import datetime, time

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import permissions
from readtrack.infra.clock import now
from readtrack.infra.db import Database, Read, Write
from readtrack.infra.errors import Invalid, ReadtrackError, TooManyRequests
from readtrack.infra.http.llm import LanguageModel
from readtrack.infra.i18n import current_language
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import LlmUsage, Person
from readtrack.infra.permissions import CurrentUser
from readtrack.reading.summaries.commands import MAX_TLDR_CHARS
from readtrack.reading.text_templates.queries import PARTS
from readtrack.workspace.ai_drafts import prompts
from readtrack.workspace.ai_drafts.prompts import MAX_TOKENS, PURPOSES, Purpose

MAX_PROMPT_TOKENS = 2_500  # maximum tokens of a prompt
MAX_TITLE_CHARS = 500


def reserve_tokens(tx: Write, me: CurrentUser, purpose: Purpose, *, budget: int) -> int:
    """Reserve the maximum tokens of an answer from today's team budget; return the id of the usage row.

    Raise TooManyRequests if not enough is left.
    """
    permissions.require(me, "keep")
    # Lock one row, so that reservations are serialized
    tx.execute(sa.select(col(Person.id)).order_by(col(Person.id)).limit(1).with_for_update())
    cost = MAX_PROMPT_TOKENS + MAX_TOKENS[purpose]
    if count_tokens_today(tx) + cost > budget:
        message = _(
            "The team’s budget of {budget:,} tokens for drafts is used up for today. Nothing was drafted; it begins "
            "anew at midnight (UTC)."
        )
        raise TooManyRequests(message.format(budget=budget), retry_after=_seconds_until_midnight())
    usage = LlmUsage(person_id=me.id, purpose=purpose, tokens=cost)
    tx.add(usage)
    tx.flush()
    return usage.id or 0


def finalize_usage(tx: Write, use_id: int, tokens: int | None) -> None:
    """Set the tokens actually used; None if the request failed.

    If the endpoint reports no usage, the reserved amount stays.
    """
    condition = col(LlmUsage.id) == use_id
    if tokens is None:
        tx.execute(sa.delete(LlmUsage).where(condition))
    elif tokens:
        tx.execute(sa.update(LlmUsage).where(condition).values(tokens=tokens))


def count_tokens_today(tx: Read) -> int:
    """Return the tokens used by the team since midnight UTC."""
    midnight = datetime.combine(now().date(), time(), now().tzinfo)
    return tx.scalar(sa.select(sa.func.sum(col(LlmUsage.tokens))).where(col(LlmUsage.created_at) >= midnight)) or 0


def _seconds_until_midnight() -> float:
    current = now()
    return 86_400.0 - (current - datetime.combine(current.date(), time(), current.tzinfo)).total_seconds()


@dataclass(frozen=True)
class AiDraft:
    """A model's draft for a person to review. `topics`: (slug, name) of the topics it chose."""

    purpose: Purpose
    model: str
    text: str
    topics: tuple[tuple[str, str], ...] = ()


def generate_draft(
    database: Database, model: LanguageModel, me: CurrentUser, *, paper_id: int, purpose: str, budget: int
) -> AiDraft:
    """Return a draft in the current user's language.

    Raise Invalid for an unknown purpose, TooManyRequests if the budget is used up, or any error of the model.
    """
    checked_purpose = _validate_purpose(purpose)
    with database.write() as tx:
        facts, topics = (
            prompts.get_prompt_facts(tx, paper_id),
            prompts.find_topic_names(tx) if checked_purpose == "topics" else {},
        )
        use_id = reserve_tokens(tx, me, checked_purpose, budget=budget)
    headings = ", ".join(f"## {_(heading)}" for heading in PARTS)
    messages = prompts.build_messages(
        checked_purpose, facts, language=current_language(), headings=headings, topics=[*topics]
    )
    try:
        completion = model.complete(messages, max_tokens=MAX_TOKENS[checked_purpose])
    except ReadtrackError:
        with database.write() as tx:
            finalize_usage(tx, use_id, None)
        raise
    with database.write() as tx:
        finalize_usage(tx, use_id, completion.tokens)
    return AiDraft(
        checked_purpose,
        model.name,
        _format_answer(checked_purpose, completion.text),
        tuple(prompts.parse_topics(completion.text, topics)),
    )


def _validate_purpose(purpose: str) -> Purpose:
    for valid_purpose in PURPOSES:
        if purpose == valid_purpose:
            return valid_purpose
    message = _("A model can draft these: {purposes}. Nothing was asked.").format(purposes=", ".join(PURPOSES))
    raise Invalid(message)


def _format_answer(purpose: Purpose, text: str) -> str:
    max_length = {"tldr": MAX_TLDR_CHARS, "title": MAX_TITLE_CHARS}.get(purpose)
    return prompts.parse_line(text, max_length) if max_length else text
