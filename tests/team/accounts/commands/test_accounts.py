"""Accounts: set-up, invitations, roles, shutting out, and what people change about themselves."""

import threading
from datetime import timedelta

import pytest
import sqlalchemy as sa
import time_machine
from sqlmodel import col

from readtrack.infra import clock
from readtrack.infra.errors import (
    Conflict,
    Invalid,
    NotAllowed,
    NotConfirmed,
    NotFound,
    ReadtrackError,
    TooManyRequests,
)
from readtrack.infra.models import Event, Invitation, Person
from readtrack.infra.pagination import PageRequest
from readtrack.infra.permissions import OPERATOR, CurrentUser
from readtrack.team.accounts import commands, queries
from readtrack.team.accounts.commands import CodeAttempt, Proof, login_throttle
from readtrack.team.accounts.passwords import Verdict
from readtrack.team.accounts.schemas import InvitationCreate, MeUpdate, PersonCreate, PersonSetUp, TokenCreate
from tests import make

pytestmark = pytest.mark.slow

PASSWORD = "correct horse battery"
HASHED = "hashed elsewhere"


def new(name, **fields):
    return PersonSetUp(name=name, password=PASSWORD, **fields)


def set_up_code(database):
    with database.write() as tx:
        return commands.make_set_up_code(tx)


def set_up(database, code, name="Ada"):
    with database.write() as tx:
        return commands.set_up(tx, code, new(name), password_hash=HASHED)


@pytest.fixture
def admin(database):
    with database.write() as tx:
        return make.visitor(tx, "Ada", role="admin", password_hash=HASHED)


def test_the_setup_link_creates_the_first_admin_once(database):
    code = set_up_code(database)
    assert set_up(database, code).role == "admin"
    with pytest.raises(NotFound):
        set_up(database, code, "Bob")
    with pytest.raises(Conflict):
        set_up_code(database)


def test_a_new_start_invalidates_the_earlier_setup_link(database):
    first, second = set_up_code(database), set_up_code(database)
    with pytest.raises(NotFound, match="no longer valid"):
        set_up(database, first)
    assert set_up(database, second).name == "Ada"


def test_an_invitation_is_not_a_setup_link_and_vice_versa(database, admin):
    with database.write() as tx:
        code = commands.invite(tx, admin, InvitationCreate())
    with pytest.raises(NotFound):
        set_up(database, code)


def test_of_several_concurrent_uses_of_the_setup_link_only_one_succeeds(database):
    code, begin, ended = set_up_code(database), threading.Barrier(4), []

    def come(name):
        begin.wait()
        try:
            ended.append(set_up(database, code, name).name)
        except ReadtrackError as error:
            ended.append(type(error).__name__)

    threads = [threading.Thread(target=come, args=(f"Admin {number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with database.read() as tx:
        assert queries.count_people(tx) == 1
    assert sorted(ended)[1:] == ["NotFound"] * 3


def test_codes_are_stored_only_as_hashes(database):
    code = set_up_code(database)
    with database.read() as tx:
        assert code not in str(tx.execute(sa.select(sa.text("*")).select_from(Invitation)).all())


@pytest.mark.parametrize("role", ["viewer", "member", "editor", "admin"])
def test_an_invitation_creates_one_person_with_its_role(database, admin, role):
    with database.write() as tx:
        code = commands.invite(tx, admin, InvitationCreate(role=role))
        assert commands.join(tx, code, new("Ken"), password_hash=HASHED).role == role
    with pytest.raises(NotFound), database.write() as tx:
        commands.join(tx, code, new("Mei"), password_hash=HASHED)


def test_an_invitation_expires_after_a_week_and_when_its_creator_is_demoted(database, admin):
    with database.write() as tx:
        other = make.visitor(tx, "Eve", role="admin")
        hers, mine = commands.invite(tx, other, InvitationCreate()), commands.invite(tx, admin, InvitationCreate())
        commands.set_role(tx, admin, other.id, "member")
    with database.read() as tx:
        with pytest.raises(NotFound):
            queries.get_invitation(tx, "join", hers)
        assert queries.get_invitation(tx, "join", mine).role == "member"
        with time_machine.travel(clock.now() + timedelta(days=7)), pytest.raises(NotFound):
            queries.get_invitation(tx, "join", mine)


def test_a_password_reset_link_is_valid_for_half_an_hour_and_signs_out_everywhere(database, admin):
    with database.write() as tx:
        ken = make.visitor(tx, "Ken", password_hash=HASHED)
        _, secret = commands.sign_in_new(tx, queries.get_person(tx, ken.id), agent="")
        first, second = (commands.create_reset_link(tx, admin, ken.id) for _ in range(2))
    with pytest.raises(NotFound), database.write() as tx:
        commands.reset_password(tx, first, password_hash="new")
    with time_machine.travel(clock.now() + timedelta(minutes=31)), pytest.raises(NotFound), database.write() as tx:
        commands.reset_password(tx, second, password_hash="new")
    with database.write() as tx:
        commands.reset_password(tx, second, password_hash="new")
        assert queries.find_visitor_by_sign_in(tx, secret) is None
        assert queries.get_person(tx, ken.id).password_hash == "new"


def test_the_first_person_the_operator_adds_is_an_admin(database):
    with database.write() as tx:
        assert commands.add_person(tx, OPERATOR, PersonCreate(name="Ada")).role == "admin"
        assert commands.add_person(tx, OPERATOR, PersonCreate(name="Ken")).role == "member"


def test_the_first_person_must_be_an_admin(database):
    with database.write() as tx:
        with pytest.raises(Conflict, match="at least one admin"):
            commands.add_person(tx, OPERATOR, PersonCreate(name="Ken", role="member"))
        assert not queries.has_people(tx)


def test_a_person_created_by_the_operator_signs_in_with_a_link(database):
    with database.write() as tx:
        make.person(tx, "Ada", role="admin")
        commands.add_person(tx, OPERATOR, PersonCreate(name="Ken", role="editor"))
        ken = queries.get_visitor(tx, "Ken")
        code = commands.create_reset_link(tx, OPERATOR, ken.id)
    with database.write() as tx:
        assert queries.get_invitation(tx, "join", code).name == "Ken"
        assert commands.reset_password(tx, code, password_hash=HASHED).id == ken.id
        assert tx.scalars(sa.select(col(Event.person_id)).where(col(Event.verb) == "person.added")).all() == [None]


@pytest.mark.parametrize(
    ("name", "email", "fields"),
    [
        ("KEN", "", {"/name"}),
        ("Ｋｅｎ", "", {"/name"}),
        ("Mei", "ken@example.org", {"/email"}),
        ("Ken", "Ken@Example.org", {"/name", "/email"}),
    ],
)
def test_a_name_or_address_already_in_use_is_refused(database, name, email, fields):
    with database.write() as tx:
        commands.add_person(tx, OPERATOR, PersonCreate(name="Ken", email="ken@example.org"))
    with pytest.raises(Invalid) as refused, database.write() as tx:
        commands.add_person(tx, OPERATOR, PersonCreate(name=name, email=email))
    assert {error.pointer for error in refused.value.errors} == fields


@pytest.mark.parametrize(
    "password", ["short", "eleven char", "x" * 257, "Professor Ken Ito", "professor  KEN ito", "prof.ken@example.org"]
)
def test_a_password_that_is_short_or_equals_the_name_is_refused(password):
    with pytest.raises(ValueError, match="password"):
        PersonSetUp(name="Professor Ken Ito", email="Prof.Ken@example.org", password=password)


def test_a_password_keeps_its_spaces():
    assert PersonSetUp(name="Ken", password="  twelve or more  ").password == "  twelve or more  "


MANAGING = {
    "invite": lambda tx, me, ken: commands.invite(tx, me, InvitationCreate(role="admin")),
    "invite back": commands.create_reset_link,
    "add": lambda tx, me, ken: commands.add_person(tx, me, PersonCreate(name="Mei")),
    "set role": lambda tx, me, ken: commands.set_role(tx, me, ken, "admin"),
    "disable": commands.disable_person,
    "enable": commands.enable_person,
}


@pytest.mark.parametrize("act", MANAGING)
@pytest.mark.parametrize("role", ["viewer", "member", "editor"])
def test_only_admins_can_manage_people(database, admin, act, role):
    with database.write() as tx:
        me, ken = make.visitor(tx, role=role), make.visitor(tx, "Ken")
    with pytest.raises(NotAllowed), database.write() as tx:
        MANAGING[act](tx, me, ken.id)


@pytest.mark.parametrize("act", ["invite", "invite back"])
def test_a_token_cannot_create_sign_in_links(database, admin, act):
    with database.write() as tx:
        ken = make.visitor(tx, "Ken")
    program = CurrentUser(admin.id, admin.name, "admin", scopes=frozenset({"admin"}), token_id=1)
    with pytest.raises(NotAllowed), database.write() as tx:
        MANAGING[act](tx, program, ken.id)


def test_a_disabled_person_is_signed_out_at_once_and_returns_without_tokens(database, admin):
    with database.write() as tx:
        ken = make.visitor(tx, "Ken", password_hash=HASHED)
        _, session = commands.sign_in_new(tx, queries.get_person(tx, ken.id), agent="")
        _, token = commands.create_token(tx, ken, TokenCreate(name="ci", scopes=["read"]))
        link = commands.create_reset_link(tx, admin, ken.id)
        commands.disable_person(tx, admin, ken.id)
    with database.write() as tx:
        assert queries.find_visitor_by_sign_in(tx, session) is None
        assert queries.find_visitor_by_token(tx, token) is None
        with pytest.raises(NotFound):
            queries.get_invitation(tx, "join", link)
        with pytest.raises(Conflict):
            commands.create_reset_link(tx, admin, ken.id)
        commands.enable_person(tx, admin, ken.id)
    with database.read() as tx:
        assert queries.find_visitor(tx, ken.id) is not None
        assert queries.find_visitor_by_token(tx, token) is None
        with pytest.raises(NotFound):
            queries.get_invitation(tx, "join", link)


def test_the_last_admin_cannot_be_removed(database, admin):
    with database.write() as tx:
        make.visitor(tx, "Gone", role="admin", disabled_at=clock.now())
    for act in (
        lambda tx: commands.disable_person(tx, admin, admin.id),
        lambda tx: commands.set_role(tx, OPERATOR, admin.id, "editor"),
    ):
        with pytest.raises(Conflict, match="at least one admin"), database.write() as tx:
            act(tx)
    with database.write() as tx:
        make.visitor(tx, "Eve", role="admin")
        commands.set_role(tx, admin, admin.id, "member")


def test_two_admins_disabling_each_other_leave_one(database, admin):
    with database.write() as tx:
        eve = make.visitor(tx, "Eve", role="admin")
    begin, refused = threading.Barrier(2), []

    def disable(me, whom):
        begin.wait()
        try:
            with database.write() as tx:
                commands.disable_person(tx, me, whom.id)
        except Conflict as error:
            refused.append(error.code)

    threads = [threading.Thread(target=disable, args=pair) for pair in ((admin, eve), (eve, admin))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert refused == ["last-admin"]


def test_people_can_change_their_own_name_address_and_appearance(database, admin):
    with database.write() as tx:
        commands.edit_me(tx, admin, MeUpdate(name="Ada L", email="ada@example.org", theme="dark", single_keys=False))
    with database.write() as tx:
        mine = queries.get_me(tx, admin)
        assert (mine.name, mine.email, mine.theme, mine.single_keys) == ("Ada L", "ada@example.org", "dark", False)
        commands.edit_me(tx, admin, MeUpdate(theme="light"))
        assert queries.get_me(tx, admin).email == "ada@example.org"
        commands.edit_me(tx, admin, MeUpdate(email=""))
        assert queries.get_me(tx, admin).email == ""
        commands.edit_me(tx, admin, MeUpdate(name="ADA L"))  # one's own name in other letters


def test_a_token_can_change_appearance_but_not_credentials(database, admin):
    with database.write() as tx:
        token, _ = commands.create_token(tx, admin, TokenCreate(name="ci", scopes=["write"]))
        program = CurrentUser(admin.id, admin.name, "admin", scopes=frozenset({"write"}), token_id=token.id)
        commands.edit_me(tx, program, MeUpdate(theme="dark"))
    with pytest.raises(NotAllowed), database.write() as tx:
        commands.edit_me(tx, program, MeUpdate(email="other@example.org"))


def test_a_new_password_needs_the_current_one_and_ends_other_sessions(database, admin):
    with database.write() as tx:
        person = tx.get(Person, admin.id)
        me, _ = commands.sign_in_new(tx, person, agent="here")
        _, elsewhere = commands.sign_in_new(tx, person, agent="there")
        claim = commands.claim_password_change(tx, me)
    with database.write() as tx:
        refused = commands.confirm(tx, me, Proof(claim, Verdict(is_correct=False), CodeAttempt("", "")))
        assert not isinstance(refused, CurrentUser)
        assert set(refused) == {"current"}
        with pytest.raises(NotConfirmed):
            commands.change_password(tx, me, password_hash="new")
        assert queries.find_visitor_by_sign_in(tx, elsewhere) is not None
    with database.write() as tx:
        confirmed = commands.confirm(tx, me, Proof(claim, Verdict(is_correct=True), CodeAttempt("", "")))
        assert isinstance(confirmed, CurrentUser)
        commands.change_password(tx, confirmed, password_hash="new")
        assert queries.find_visitor_by_sign_in(tx, elsewhere) is None
        assert [row.agent for row in queries.list_sign_ins(tx, me)] == ["here"]


def test_current_password_attempts_are_limited_to_ten(database, admin):
    for _ in range(login_throttle.MAX_ATTEMPTS):
        with database.write() as tx:
            commands.claim_password_change(tx, admin)
    with pytest.raises(TooManyRequests), database.write() as tx:
        commands.claim_password_change(tx, admin)


def test_addresses_are_visible_to_admins_and_oneself(database, admin):
    with database.write() as tx:
        ken = make.visitor(tx, "Ken", email="ken@example.org", email_key="ken@example.org")
        mei = make.visitor(tx, "Mei", email="mei@example.org", email_key="mei@example.org", disabled_at=clock.now())
    with database.read() as tx:
        seen = {
            me.name: [row.email for row in queries.list_people(tx, me, PageRequest()).items]
            for me in (admin, ken, OPERATOR)
        }
        assert [row.disabled for row in queries.list_people(tx, ken, PageRequest()).items] == [False, False, True]
    assert mei.name == "Mei"
    assert seen["Ada"] == seen[OPERATOR.name] == ["", "ken@example.org", "mei@example.org"]
    assert seen["Ken"] == ["", "ken@example.org", ""]


def test_pages_of_people_join_without_gaps_or_repeats(database, admin):
    with database.write() as tx:
        for number in range(7):
            make.person(tx, f"Person {number}")
    seen, after = [], None
    with database.read() as tx:
        while True:
            page = queries.list_people(tx, admin, PageRequest(3, after))
            seen += [row.name for row in page.items]
            after = page.next
            if after is None:
                break
    assert seen == ["Ada", *(f"Person {number}" for number in range(7))]


def test_the_only_active_person_is_used_when_nobody_is_named(database):
    with database.read() as tx, pytest.raises(Invalid, match="no active members"):
        queries.get_only_active_person(tx)
    with database.write() as tx:
        ken = make.visitor(tx, "Ken")
        make.visitor(tx, "Gone", disabled_at=clock.now())
        assert queries.get_only_active_person(tx).id == ken.id
        make.visitor(tx, "Mei")
        with pytest.raises(Invalid, match=r"Ken, Mei\."):
            queries.get_only_active_person(tx)
        assert queries.get_visitor(tx, "KEN").id == ken.id
        with pytest.raises(NotFound):
            queries.get_visitor(tx, "Gone")
