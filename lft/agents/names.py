"""What the suite is called, and the models that it brings: module and object of each, nothing of them imported."""

from __future__ import annotations

NAME = "agents"
OWN_PROVIDERS = {
    name: f"lft.agents.embedded:{name.capitalize()}"
    for name in ("random", "constant", "copy", "nearest", "expert", "actions")
}
