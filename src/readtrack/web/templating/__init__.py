"""The Jinja environment and the view models that several pages share."""
