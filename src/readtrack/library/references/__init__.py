"""References in texts to papers and topics, by `[[title]]`, identifier or URL, and their backlinks."""
