"""What an endpoint takes from an address; pages too, which have no description."""

import re
from collections.abc import Iterator

from fastapi.dependencies.models import Dependant
from fastapi.dependencies.utils import get_flat_params
from fastapi.routing import APIRoute


def query_names(route: APIRoute) -> tuple[str, ...]:
    asked = [parameter for each in _with_dependencies(route.dependant) for parameter in each.query_params]
    return tuple(dict.fromkeys(parameter.alias for parameter in get_flat_params(Dependant(query_params=asked))))


def _with_dependencies(dependant: Dependant) -> Iterator[Dependant]:
    yield dependant
    for each in dependant.dependencies:
        yield from _with_dependencies(each)


def path_numbers(route: APIRoute) -> tuple[str, ...]:
    declared = [parameter for each in _with_dependencies(route.dependant) for parameter in each.path_params]
    numbers = [parameter.alias for parameter in declared if parameter.field_info.annotation is int]
    return tuple(dict.fromkeys([*re.findall(r"{(\w+):int}", route.path), *numbers]))
