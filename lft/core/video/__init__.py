"""Reads and writes video files: exact frame times, supplied frames, and H.264 assembled from encoded groups."""
