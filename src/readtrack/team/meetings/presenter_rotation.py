"""Rotation of presenters."""

from collections.abc import Collection, Sequence


def rotate_presenters(rota: Sequence[int], presented: Sequence[int], here: Collection[int]) -> list[int]:
    """Return the active people of the rotation, those with the longest wait first.

    People who never presented come before all others, in rotation order. `presented`: past presenters, newest first.
    The order is computed from history, so people may swap dates without losing a turn.
    """
    waited = {person: meetings for meetings, person in reversed([*enumerate(presented)])}
    return sorted((person for person in rota if person in here), key=lambda one: -waited.get(one, len(presented)))
