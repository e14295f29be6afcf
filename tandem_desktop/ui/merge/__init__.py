"""Three-way merge of a plan with files that changed on disk."""
