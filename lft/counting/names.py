"""What the suite is called, and the models that it brings: module and object of each, nothing of them imported."""

from __future__ import annotations

NAME = "counting"
OWN_PROVIDERS = {
    "observer": "lft.counting.observer:Observer",
    "simulated": "lft.counting.simulated:Simulated",
}
