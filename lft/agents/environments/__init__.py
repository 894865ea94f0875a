"""The environments of the agents suite, behind one surface (`lft.agents.environments.base`)."""

import os

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # stdout is for what commands print
