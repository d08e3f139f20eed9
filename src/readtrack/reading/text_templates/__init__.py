"""Text templates: headings to begin a summary with, a standard one and the team's."""
