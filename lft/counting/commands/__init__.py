"""The commands of the counting suite, one file per command; each is loaded only when it is called."""
