"""The environments of the suite, by family. `lft.agents.environments.registry` lists them."""
