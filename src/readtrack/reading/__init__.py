"""What each person does with a paper: status and queue, summaries, drafts."""
