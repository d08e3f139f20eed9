"""Texts as people edit them: where two differ, and what comes of one that two edited. Pure, and bounded work."""
