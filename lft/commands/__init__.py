"""The command line, one file per group of commands; each is loaded only when it is called."""
