"""What an address of the API is asked with: a parameter that it does not know is refused, never overlooked."""

from collections.abc import Iterator
from difflib import get_close_matches

from fastapi import BackgroundTasks, Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute
from pydantic import BaseModel

from readtrack.infra.errors import FieldError, Invalid
from readtrack.infra.i18n import gettext as _
from readtrack.web.dependencies.auth import get_current_user

MAX_ERRORS = 20
SHOWN = 100  # characters of a name


async def refuse_unknown(request: Request, afterwards: BackgroundTasks) -> None:
    """Raises Invalid, pointing at each unknown parameter and naming the one that may be meant."""
    if not request.scope["query_string"]:
        return
    await get_current_user(request, afterwards)  # strangers are told nothing, not even this
    known = _list_known_names(request.scope["route"])
    unknown = [name for name in dict.fromkeys(request.query_params) if name not in known][:MAX_ERRORS]
    if unknown:
        problems = [
            FieldError(f"/{name[:SHOWN]}", "extra-forbidden", _sentence(name[:SHOWN], known)) for name in unknown
        ]
        raise Invalid(_("Some of the parameters are not known here. Nothing was changed."), problems)


def _list_known_names(route: APIRoute) -> tuple[str, ...]:
    """The names in the order of the description; those of a model are its fields."""
    return tuple(_iterate_names(route.dependant))


def _iterate_names(dependant: Dependant) -> Iterator[str]:
    """Also what its dependencies ask for."""
    for field in dependant.query_params:
        yield from _field_names(field.alias, field.field_info.annotation)
    for further in dependant.dependencies:
        yield from _iterate_names(further)


def _field_names(alias: str, kind: object) -> tuple[str, ...]:
    return tuple(kind.model_fields) if isinstance(kind, type) and issubclass(kind, BaseModel) else (alias,)


def _sentence(name: str, known: tuple[str, ...]) -> str:
    close = get_close_matches(name.lower(), known, 1)
    if close:
        return _("There is no parameter “{name}”; did you mean “{close}”?").format(name=name, close=close[0])
    if not known:
        return _("There is no parameter “{name}” at this address; it takes none.").format(name=name)
    said = _("There is no parameter “{name}” at this address; it knows {known}.")
    return said.format(name=name, known=", ".join(known))
