"""Planning of requests for a paper: authorities first, then services that add missing fields."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from readtrack.metadata import registry
from readtrack.metadata.types import FIELDS, PaperDescription, Ref, Service

ServiceKey = tuple[str, str]  # (service, key)
ENDED = frozenset({"unknown", "refused"})
_MUCH = 5  # claimed identifiers per paper that are followed up


@dataclass(frozen=True)
class Situation:
    """The state by which requests are planned.

    `claims`: identifiers given by records, not verified yet.
    """

    about: PaperDescription
    claims: tuple[Ref, ...]
    asked: Mapping[ServiceKey, str]  # -> state of the request
    lacking: frozenset[str]  # subset of FIELDS
    agreed: bool  # a record agrees; without one, only authorities are asked, because the paper may be misidentified
    resting: Collection[str] = ()  # services that are unavailable at present


def next_requests(now: Situation) -> list[ServiceKey]:
    """Return the next requests; none if an answer is awaited or every useful service was asked."""
    first = _authority_requests(now)
    if first or _is_awaited(now, (question for question in now.asked if _is_own(now, question))):
        return first
    return _supplementary_requests(now) if now.agreed and now.about.kind == "paper" else []


def missing_fields(*, shown: Mapping[str, object], published: bool, schemes: Collection[str]) -> frozenset[str]:
    """Return the FIELDS that a paper lacks. `published`: it has an identifier of its published form."""
    blank = {name for name in FIELDS & shown.keys() if not shown[name]}
    forms = {"published": published, "preprint": "arxiv" in schemes}
    return frozenset(blank | {form for form, there in forms.items() if not there})


def _authority_requests(now: Situation) -> list[ServiceKey]:
    """Return a request to the next authority of each identifier, unless one has answered or is awaited."""
    found: list[ServiceKey] = []
    for ref in (*now.about.refs, *now.claims[:_MUCH]):
        question = _next_authority(replace(now.about, refs=(ref,)), now.asked)
        if question and question not in found:
            found.append(question)
    return found


def _next_authority(about: PaperDescription, asked: Mapping[ServiceKey, str]) -> ServiceKey | None:
    for service in registry.authorities(about.refs[0].scheme):
        for key in service.asks(about):
            state = asked.get((service.name, key))
            if state is None:
                return service.name, key
            if state not in ENDED:
                return None
    return None


def _supplementary_requests(now: Situation) -> list[ServiceKey]:
    """Return the next requests to services that add missing fields.

    Unavailable services are queued too, but not waited for.
    """
    found: list[ServiceKey] = []
    for service in registry.all_services():
        questions = _useful_requests(now, service)
        fresh = [question for question in questions if question not in now.asked]
        found += fresh
        if service.name not in now.resting and (fresh or _is_awaited(now, questions)):
            return found
    return found


def _useful_requests(now: Situation, service: Service) -> list[ServiceKey]:
    if not service.adds & now.lacking:
        return []
    return [(service.name, key) for key in service.asks(now.about)[:1]]


def _is_awaited(now: Situation, questions: Iterable[ServiceKey]) -> bool:
    return any(now.asked.get(question) == "waiting" and question[0] not in now.resting for question in questions)


def _is_own(now: Situation, question: ServiceKey) -> bool:
    own = registry.service(question[0]).own
    return any(ref.scheme in own for ref in (*now.about.refs, *now.claims))
