"""Shared by all suites: video, prompts, models, runs, statistics, cost, reports. Uses no term of any suite."""
