"""Why answers are wrong, and how sure one is: ceilings, chance, causes, intervals, power."""
