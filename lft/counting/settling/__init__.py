"""Settling what an answer reports: sheets for people, a second reader, and what both decided, kept in the run."""
