"""The API does what its description says, and accepts what the description allows: schemathesis tries it out.

What the requests change is not kept, so each of them finds the furnished library.
"""

from collections.abc import Iterator, Mapping
from typing import Any, get_args

import pytest
import schemathesis
import sqlalchemy as sa
from pydantic_core.core_schema import ErrorType
from schemathesis.config import SchemathesisConfig
from schemathesis.engine.events import FatalError, NonFatalError, ScenarioFinished
from sqlmodel import col

from readtrack.infra import config as operator
from readtrack.infra.config import Settings
from readtrack.infra.models import Event
from readtrack.team.accounts import commands as people
from readtrack.team.accounts.schemas import TokenCreate
from readtrack.web.api.activity import EventData
from readtrack.web.app import create_app
from tests.conftest import ADDRESS
from tests.depth import one_in
from tests.sample_library import Forgetful, Library, furnished

pytestmark = pytest.mark.slow

# JSON Schema takes 5.0 for an integer, which is refused; and texts are trimmed before their length is checked.
ABOUT_FORM = {name.replace("_", "-") for name in get_args(ErrorType)} - {"value-error", "int-type", "string-too-short"}
CHECKS: dict[str, Any] = {
    # A request may be refused for what it means: a stale tag, a forged cursor, a search with a syntax error, a person
    # who is not there. `refused_for_its_meaning` sees to it that it is not refused for its form.
    "positive_data_acceptance": {
        "expected-statuses": ["2xx", "301", "400", "401", "403", "404", "409", "412", "422", "428", "503"]
    },
    # Much of what is deleted can still be read: a series has ended, an assignment is withdrawn.
    "use_after_free": {"enabled": False},
    # A repeated Idempotency-Key answers 201 with what may have been deleted since.
    "ensure_resource_availability": {"enabled": False},
    # RFC 6585: 428 asks for If-Match. A tag of another form is like one of another version.
    "negative_data_rejection": {
        "expected-statuses": ["400", "401", "403", "404", "405", "409", "412", "415", "422", "428"]
    },
    "missing_required_header": {"expected-statuses": ["401", "428"]},
}


def build_config(
    secret: str, of: Mapping[str, object], *phases: str, seed: int = 1, examples: int = 1
) -> SchemathesisConfig:
    """A run of these phases with an admin's token. `of`: what stands in addresses, if not anything."""
    return SchemathesisConfig.from_dict(
        {
            "base-url": ADDRESS,
            "headers": {"Authorization": f"Bearer {secret}"},
            "parameters": {f"path.{name}": value for name, value in of.items()},
            "phases": {
                "examples": {"enabled": "examples" in phases, "fill-missing": True},
                **{name: {"enabled": name in phases} for name in ("coverage", "fuzzing", "stateful")},
            },
            "generation": {"max-examples": examples},
            "checks": CHECKS,
            "seed": seed,
            "continue-on-failure": True,
        }
    )


@schemathesis.serializer("application/zip")
def send_as_it_is(_context: Any, value: Any) -> Any:
    return value


@schemathesis.hook
def before_load_schema(_context: Any, raw_schema: dict[str, Any]) -> None:
    """Clients are generated from the description: an answer has no field that it does not name."""
    for name, component in raw_schema["components"]["schemas"].items():
        if "properties" in component and name != "ImageUpload":  # a form, whose other fields are overlooked
            component.setdefault("additionalProperties", False)


@schemathesis.check
def refused_for_its_meaning(_context: Any, response: Any, case: Any) -> None:
    """What JSON Schema can say about a request, the description says."""
    is_valid = case.meta is not None and case.meta.generation.mode.is_positive
    if is_valid and response.status_code in {400, 422}:
        problem = response.json()
        codes = {problem["code"], *(error["code"] for error in problem["errors"])}
        assert not codes & ABOUT_FORM, problem


class World:
    """The application over a furnished library, and an admin's token."""

    def __init__(self, database: Forgetful, library: Library, settings: Settings) -> None:
        with database.write() as tx:
            token = TokenCreate(name="ci", scopes=["read", "write", "import", "admin"])
            self.secret = people.create_token(tx, library.admin, token)[1]
        self.app, self.database, self.of = create_app(settings, database), database, library.of

    def mismatches(self, config: SchemathesisConfig, *, one_operation_in: int = 1) -> list[str]:
        """What schemathesis finds. `one_operation_in`: of so many operations one is tried."""
        headers = {"Authorization": f"Bearer {self.secret}", "Host": ADDRESS.removeprefix("http://")}
        schema = schemathesis.openapi.from_asgi("/api/openapi.json", self.app, config=config, headers=headers)
        chosen = schema.include(lambda context: one_in(one_operation_in, context.operation.label))
        found = []
        for event in schemathesis.engine.from_schema(chosen).execute():
            if isinstance(event, NonFatalError | FatalError):
                found.append(str(event.value if isinstance(event, NonFatalError) else event.exception))
            if isinstance(event, ScenarioFinished):
                found += list(_failures(event.recorder))
        return found


def _failures(recorder: Any) -> Iterator[str]:
    for case_id, checks in recorder.checks.items():
        for check in checks:
            if check.failure_info is not None:
                request = recorder.interactions[case_id].request
                failure = check.failure_info.failure
                yield f"{failure.title}: {failure.message}\n{request.method} {request.uri} {request.body!r}"


@pytest.fixture(scope="module")
def world(sqlite_files, tmp_path_factory) -> Iterator[World]:
    url = sqlite_files.copy(furnished)
    database = Forgetful(url)
    data = tmp_path_factory.mktemp("data")
    settings = operator.load({}, data=data, database_url=url, base_url=ADDRESS, secret_key="only for tests " * 4)
    yield World(database, sqlite_files.told(furnished), settings.ready())
    database.dispose()
    sqlite_files.drop(url)


@pytest.fixture
def forgetful(world) -> Iterator[None]:
    world.database.forgets = True
    yield
    world.database.forgets = False


def test_every_operation_answers_its_example_as_described(world, forgetful):
    assert world.mismatches(build_config(world.secret, world.of, "examples"), one_operation_in=5) == []


def test_requests_at_the_limits_of_the_description_are_answered_as_described(world, forgetful):
    config = build_config(world.secret, world.of, "coverage")
    assert world.mismatches(config, one_operation_in=24) == []


def test_events_have_the_data_that_is_described(world):
    with world.database.read() as tx:
        events = tx.execute(sa.select(col(Event.verb), col(Event.data))).all()
    assert len({event.verb for event in events}) > 10
    for event in events:
        EventData.model_validate(event.data, strict=True, extra="forbid")


@pytest.mark.deep
@pytest.mark.parametrize("seed", [1, 2])
def test_any_request_is_answered_as_described(world, forgetful, seed):
    of = world.of if seed % 2 else {}  # the second run asks for what is not there
    config = build_config(world.secret, of, "coverage", "fuzzing", seed=seed, examples=10)
    assert world.mismatches(config) == []


@pytest.mark.deep
def test_requests_that_follow_from_earlier_answers_are_answered_as_described(world):
    config = build_config(world.secret, {}, "stateful", examples=200)
    assert world.mismatches(config) == []
