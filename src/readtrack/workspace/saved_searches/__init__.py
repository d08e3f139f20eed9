"""Saved views: questions with a name, private or the team's; their order in the side bar, their counts, their feeds."""
