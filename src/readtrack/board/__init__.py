"""The board: my papers by status, or what everybody is reading, side by side."""
