"""The trash: deleted items can be restored for thirty days, then they are purged."""
