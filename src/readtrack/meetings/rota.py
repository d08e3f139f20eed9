"""Whose turn it is. Pure."""

from collections.abc import Collection, Sequence


def next_in_turn(rota: Sequence[int], presented: Sequence[int], here: Collection[int]) -> int | None:
    """Who presents next: whoever comes after the one of the rota that presented last.

    `presented`: who did so far, the newest first; those who are not on the rota do not count. Whoever is not `here`
    any more keeps their place, but is passed over. None when nobody is left.
    """
    last = next((person for person in presented if person in rota), None)
    start = 0 if last is None else rota.index(last) + 1
    return next((person for person in (*rota[start:], *rota[:start]) if person in here), None)


def in_turn(rota: Sequence[int], presented: Sequence[int], here: Collection[int], most: int) -> list[int]:
    """The next ones, each once."""
    first = next_in_turn(rota, presented, here)
    if first is None:
        return []
    start = rota.index(first)
    return [person for person in (*rota[start:], *rota[:start]) if person in here][:most]
