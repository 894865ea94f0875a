"""Videos that people already have: annotations read, checked against the files, and filed as clips."""
