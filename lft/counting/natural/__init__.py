"""Imported videos: annotations are read, checked against the files, and stored as clips."""
