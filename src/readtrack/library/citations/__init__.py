"""What the papers of the library cite, as services say: among themselves, and what is cited often and not here."""
