"""What can be done to people: coming in, accounts, tokens. One module per family of verbs, all reachable from here."""

from readtrack.people.commands.accounts import (
    add_person,
    change_password,
    claim_password_change,
    disable_person,
    edit_me,
    enable_person,
    set_role,
)
from readtrack.people.commands.coming_in import (
    Claim,
    claim_sign_in,
    note_use,
    sign_in,
    sign_in_new,
    sign_out,
    sign_out_others,
)
from readtrack.people.commands.invitations import invite, invite_back, join, make_set_up_code, reset_password, set_up
from readtrack.people.commands.tokens import create_token, revoke_token

__all__ = [
    "Claim",
    "add_person",
    "change_password",
    "claim_password_change",
    "claim_sign_in",
    "create_token",
    "disable_person",
    "edit_me",
    "enable_person",
    "invite",
    "invite_back",
    "join",
    "make_set_up_code",
    "note_use",
    "reset_password",
    "revoke_token",
    "set_role",
    "set_up",
    "sign_in",
    "sign_in_new",
    "sign_out",
    "sign_out_others",
]
