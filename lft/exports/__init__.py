"""Clips in the forms that other tools read: Hugging Face `datasets`, Inspect AI, lmms-eval."""
