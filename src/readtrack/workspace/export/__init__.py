"""Export of papers and the team's texts as files."""
