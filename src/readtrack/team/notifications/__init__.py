"""What concerns a person and happened without them: shown in their inbox, and in a daily mail if they want."""
