"""Topics as they were: each version is kept, compared, put together with another, and brought back."""
