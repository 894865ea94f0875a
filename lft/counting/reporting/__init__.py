"""What people look at: tables, figures, case cards and the page, all from scored runs."""
