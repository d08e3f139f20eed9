"""Pages for imports and notes: paste, preview, progress, report, and the imported notes."""
