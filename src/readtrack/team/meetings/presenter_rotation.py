"""Whose turn it is. Pure."""

from collections.abc import Collection, Sequence


def rotate_presenters(rota: Sequence[int], presented: Sequence[int], here: Collection[int]) -> list[int]:
    """The people of the rota who are `here`, those first who have waited longest; who never presented, in its order.

    `presented`: who did so far, the newest first. So two may change places, and nobody's turn is lost.
    """
    waited = {person: meetings for meetings, person in reversed([*enumerate(presented)])}
    return sorted((person for person in rota if person in here), key=lambda one: -waited.get(one, len(presented)))
