"""Rotation of presenters."""

from collections.abc import Collection, Sequence


def rotate_presenters(
    presenter_order: Sequence[int], past_presenters: Sequence[int], active_people: Collection[int]
) -> list[int]:
    """Return the active people of the rotation, those with the longest wait first.

    People who never presented come before all others, in rotation order. `past_presenters`: past presenters, newest
    first. The order is computed from history, so people may swap dates without losing a turn.
    """
    meetings_since = {person: count for count, person in reversed([*enumerate(past_presenters)])}
    return sorted(
        (person for person in presenter_order if person in active_people),
        key=lambda person_id: -meetings_since.get(person_id, len(past_presenters)),
    )
