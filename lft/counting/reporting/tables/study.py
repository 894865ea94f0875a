"""The study's tables from scored runs, in the order of the published ones, and further ones.

Each row has n, the number of missing trials and an interval; audited scores also have the ceiling and chance. Rates are
fractions in [0, 1] in the data
(and the CSV) and percentages in print. See `lft.counting.reporting.tables.table_text` for the formats.
"""

from __future__ import annotations

from lft.core.reporting.tables import Table
from lft.counting.reporting.figures import access, accounts
from lft.counting.reporting.results import Results
from lft.counting.reporting.tables.frontiers import boundary, contours, count_frontiers, frequency_frontiers
from lft.counting.reporting.tables.outcomes import by_bins, causes, costs, events
from lft.counting.reporting.tables.rates import (
    by_domain,
    by_region,
    intervals,
    interventions,
    models_against_each_other,
)


def all_tables(results: Results) -> list[Table]:
    """Every table that the results can fill, in reading order."""
    made = [
        by_domain(results),
        by_region(results),
        interventions(results),
        models_against_each_other(results),
        boundary(results),
        count_frontiers(results),
        frequency_frontiers(results),
        contours(results),
        intervals(results),
        by_bins(results),
        accounts.table(results),
        access.table(results),
        causes(results),
        events(results),
        *costs(results),
    ]
    return [table for table in made if table.rows]
