"""The tables of a report: rows from scored runs, and their text as CSV, Markdown and LaTeX."""
