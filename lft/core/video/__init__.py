"""Video files read and written: exact frame times, frames as supplied, and H.264 put together from encoded groups."""
