"""Templates of texts: headings that a summary can begin with, one that comes with readtrack and those of the team."""
