"""Tables, figures, case cards and the page, all from scored runs."""
