"""Planning of requests for a paper: authorities first, then services that add missing fields."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from readtrack.metadata import sources
from readtrack.metadata.types import FIELDS, PaperDescription, Ref, Service

ServiceKey = tuple[str, str]  # (service, key)
ENDED = frozenset({"unknown", "refused"})
_MAX_CLAIMS = 5  # claimed identifiers per paper that are followed up


@dataclass(frozen=True)
class Situation:
    """The state by which requests are planned.

    `claims`: identifiers given by records, not verified yet.
    """

    paper: PaperDescription
    claims: tuple[Ref, ...]
    request_states: Mapping[ServiceKey, str]
    missing_fields: frozenset[str]  # subset of FIELDS
    has_agreement: (
        bool  # a record agrees; without one, only authorities are asked, because the paper may be misidentified
    )
    unavailable_services: Collection[str] = ()


def next_requests(situation: Situation) -> list[ServiceKey]:
    """Return the next requests; none if an answer is awaited or every useful service was asked."""
    requests = _authority_requests(situation)
    if requests or _is_awaited(
        situation, (request for request in situation.request_states if _is_own(situation, request))
    ):
        return requests
    return _supplementary_requests(situation) if situation.has_agreement and situation.paper.kind == "paper" else []


def missing_fields(*, values: Mapping[str, object], published: bool, schemes: Collection[str]) -> frozenset[str]:
    """Return the FIELDS that a paper lacks. `published`: it has an identifier of its published form."""
    missing = {name for name in FIELDS & values.keys() if not values[name]}
    forms = {"published": published, "preprint": "arxiv" in schemes}
    return frozenset(missing | {form for form, is_present in forms.items() if not is_present})


def _authority_requests(situation: Situation) -> list[ServiceKey]:
    """Return a request to the next authority of each identifier, unless one has answered or is awaited."""
    requests: list[ServiceKey] = []
    for ref in (*situation.paper.refs, *situation.claims[:_MAX_CLAIMS]):
        request = _next_authority(replace(situation.paper, refs=(ref,)), situation.request_states)
        if request and request not in requests:
            requests.append(request)
    return requests


def _next_authority(description: PaperDescription, request_states: Mapping[ServiceKey, str]) -> ServiceKey | None:
    for service in sources.authorities(description.refs[0].scheme):
        for key in service.select_keys(description):
            state = request_states.get((service.name, key))
            if state is None:
                return service.name, key
            if state not in ENDED:
                return None
    return None


def _supplementary_requests(situation: Situation) -> list[ServiceKey]:
    """Return the next requests to services that add missing fields.

    Unavailable services are queued too, but not waited for.
    """
    requests: list[ServiceKey] = []
    for service in sources.all_services():
        useful_requests = _useful_requests(situation, service)
        new_requests = [request for request in useful_requests if request not in situation.request_states]
        requests += new_requests
        if service.name not in situation.unavailable_services and (
            new_requests or _is_awaited(situation, useful_requests)
        ):
            return requests
    return requests


def _useful_requests(situation: Situation, service: Service) -> list[ServiceKey]:
    if not service.adds & situation.missing_fields:
        return []
    return [(service.name, key) for key in service.select_keys(situation.paper)[:1]]


def _is_awaited(situation: Situation, awaitable: Iterable[ServiceKey]) -> bool:
    return any(
        situation.request_states.get(request) == "waiting" and request[0] not in situation.unavailable_services
        for request in awaitable
    )


def _is_own(situation: Situation, request: ServiceKey) -> bool:
    own_schemes = sources.service(request[0]).own_schemes
    return any(ref.scheme in own_schemes for ref in (*situation.paper.refs, *situation.claims))
