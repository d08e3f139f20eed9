"""Pages for sign-in, people, and personal settings."""
