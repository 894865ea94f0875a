"""Exports of clips to other tools: Hugging Face `datasets`, Inspect AI, lmms-eval."""
