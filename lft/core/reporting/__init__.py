"""Shared by all reports: style and layout of figures, colours, tables, and the report folder."""
