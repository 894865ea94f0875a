"""How the tasks and demonstrations of the suite are found: by the experts, from recipes, checked one by one.

`python -m lft.agents.making ENVIRONMENT...` finds those of some environments anew and writes their rows.
"""
