"""Tables and the page of scored runs."""
