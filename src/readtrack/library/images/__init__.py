"""Images in texts: uploaded by people, re-encoded, served to signed-in users."""
