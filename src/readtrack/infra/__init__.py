"""Infrastructure without product concepts: configuration, database, jobs, HTTP, mail, languages, text."""
