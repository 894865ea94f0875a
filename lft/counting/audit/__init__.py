"""Why answers are wrong, and the uncertainty of results: ceilings, chance, causes, intervals, power."""
