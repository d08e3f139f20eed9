"""Pure functions on text: addresses, titles, differences, CSV."""
