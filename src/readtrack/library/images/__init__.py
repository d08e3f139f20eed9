"""Images in texts: uploaded by people, encoded anew, shown to who is signed in."""
