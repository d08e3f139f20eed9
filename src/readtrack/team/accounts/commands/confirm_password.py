"""Confirmation that a person, not just a session, is present before credentials change.

The password is counted and compared before the transaction, as at sign-in; `confirm` uses the result.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.db import Write
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Person, UserSession
from readtrack.infra.permissions import CurrentUser, require_browser
from readtrack.team.accounts.commands import login_throttle
from readtrack.team.accounts.commands.second_factor import CodeAttempt, verify_code
from readtrack.team.accounts.commands.sessions import Claim, get_person_for_update
from readtrack.team.accounts.passwords import Verdict

CONFIRMED_FOR = timedelta(minutes=10)  # for how long a sign-in confirms a person without a password
MISSING = N_("Enter your password to confirm.")
WRONG = N_("Incorrect password.")
TOO_OLD = N_("You signed in more than 10 minutes ago. Sign out, sign in again, then retry.")
CODE_MISSING = N_("Enter the code from your authenticator app, or a recovery code.")
WRONG_CODE = N_("Incorrect or already used code. Wait for the next one and try again.")


@dataclass(frozen=True)
class Proof:
    """The password of a request, counted and compared, and the code.

    `claim` is None without a password.
    """

    claim: Claim | None
    verdict: Verdict
    code_attempt: CodeAttempt


def confirm(tx: Write, me: CurrentUser, proof: Proof) -> CurrentUser | Mapping[str, str]:
    """Return the confirmed user, or an error by field.

    Errors are returned, not raised, so that the count of wrong codes is committed.
    """
    require_browser(me)
    person = get_person_for_update(tx, me.id)
    error = _password_error(tx, me, person, proof)
    if error:
        return {"current": error}
    if person.totp_salt and not proof.code_attempt.code.strip():
        return {"code": _(CODE_MISSING)}
    if person.totp_salt and not verify_code(tx, person, proof.code_attempt):
        return {"code": _(WRONG_CODE)}
    if proof.claim is not None:
        login_throttle.forgive_attempts(tx, proof.claim.subject)
    return replace(me, confirmed=True)


def _password_error(tx: Write, me: CurrentUser, person: Person, proof: Proof) -> str:
    if not person.password_hash:
        return "" if _is_recent_sign_in(tx, me) else _(TOO_OLD)
    if proof.claim is None:
        return _(MISSING)
    is_right = proof.verdict.is_correct and proof.claim.password_hash == person.password_hash
    return "" if is_right else _(WRONG)


def _is_recent_sign_in(tx: Write, me: CurrentUser) -> bool:
    """Return True for a recent session, and for a user authenticated by the trusted proxy."""
    if me.sign_in_id is None:
        return True
    created_at = tx.scalar(sa.select(col(UserSession.created_at)).where(col(UserSession.id) == me.sign_in_id))
    return created_at is not None and created_at > now() - CONFIRMED_FOR
