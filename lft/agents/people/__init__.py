"""People who play: the desk at which one sits, the page, demonstrations of what was played."""
