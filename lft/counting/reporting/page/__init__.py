"""The page of a report: its index, one data file per cell, and the scripts that show them."""
