"""Whom to ask next about a paper: its identifiers' own sites first, then whoever adds what is missing. Pure."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from readtrack.metadata import registry
from readtrack.metadata.types import FIELDS, PaperDescription, Ref, Service

ServiceKey = tuple[str, str]  # service and key
ENDED = frozenset({"unknown", "refused"})
_MUCH = 5  # claims of one paper that are looked into


@dataclass(frozen=True)
class Situation:
    """What is known when it is decided whom to ask. `claims`: names that answers gave it, not checked yet."""

    about: PaperDescription
    claims: tuple[Ref, ...]
    asked: Mapping[ServiceKey, str]  # -> state of the inquiry
    lacking: frozenset[str]  # see sources.FIELDS
    agreed: bool  # whether any answer fits: about what may be another work nobody else is asked
    resting: Collection[str] = ()  # services that do not answer at present


def next_requests(now: Situation) -> list[ServiceKey]:
    """The questions to put next; none when everybody was asked who could add something, or an answer is awaited."""
    first = _authority_requests(now)
    if first or _is_awaited(now, (question for question in now.asked if _is_own(now, question))):
        return first
    return _supplementary_requests(now) if now.agreed and now.about.kind == "paper" else []


def missing_fields(*, shown: Mapping[str, object], published: bool, schemes: Collection[str]) -> frozenset[str]:
    """What a paper still lacks, of sources.FIELDS. `published`: one of its names is that of its published form."""
    blank = {name for name in FIELDS & shown.keys() if not shown[name]}
    forms = {"published": published, "preprint": "arxiv" in schemes}
    return frozenset(blank | {form for form, there in forms.items() if not there})


def _authority_requests(now: Situation) -> list[ServiceKey]:
    """For each name the first site that speaks for it and has not been asked, or does not know it."""
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
    """The next who adds something; those that rest are asked when they are back, and nobody waits for them."""
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
