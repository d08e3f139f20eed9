"""The job queue and periodic tasks."""
