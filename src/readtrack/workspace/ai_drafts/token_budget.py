"""The team's daily token budget: tokens are reserved before a request and settled after it."""

from datetime import datetime, time

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import permissions
from readtrack.infra.clock import now
from readtrack.infra.db import Read, Write
from readtrack.infra.errors import TooManyRequests
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import LlmUsage, Person
from readtrack.infra.permissions import CurrentUser
from readtrack.workspace.ai_drafts.prompts import MAX_TOKENS, Purpose

MAX_PROMPT_TOKENS = 2_500  # maximum tokens of a prompt


def reserve_tokens(tx: Write, me: CurrentUser, purpose: Purpose, *, budget: int) -> int:
    """Reserve the maximum tokens of an answer from today's team budget; return the id of the usage row.

    Raise TooManyRequests if not enough is left.
    """
    permissions.require(me, "keep")
    # Lock one row, so that reservations are serialized
    tx.execute(sa.select(col(Person.id)).order_by(col(Person.id)).limit(1).with_for_update())
    cost = MAX_PROMPT_TOKENS + MAX_TOKENS[purpose]
    if count_tokens_today(tx) + cost > budget:
        message = _("Today's AI budget of {budget:,} tokens is used up. It resets at midnight (UTC).")
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
