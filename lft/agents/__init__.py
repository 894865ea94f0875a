"""The suite `agents`: a model watches demonstrations of an environment and then acts in it, one step at a time."""
