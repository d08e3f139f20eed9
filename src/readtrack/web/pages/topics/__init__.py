"""Topics in a browser: the index, one topic, its form, its order and links, merging and splitting, and filing."""
