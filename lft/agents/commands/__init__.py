"""The commands of the agents suite."""
