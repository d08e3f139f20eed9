"""What knows no concept of the product: configuration, database, jobs, HTTP, mail, languages, text."""
