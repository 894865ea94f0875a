"""Settling readings: sheets for people, a second reader, and their decisions, stored in the run."""
