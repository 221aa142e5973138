"""The report in words and rows of tables."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.report.rows import sentences, tables
    from cranebridge.report.rows.budget_rows import budget_table
    from cranebridge.report.rows.fact_rows import facts
    from cranebridge.report.rows.least_forces import rope_forces
    from cranebridge.report.rows.lines import (
        Band,
        Touched,
        limit_bands,
        ranges_in_force,
        touched_limits,
    )
    from cranebridge.report.rows.number_texts import (
        prefix,
        pretty_unit,
        quantity,
        rate_unit,
        readable,
        stated,
    )
    from cranebridge.report.rows.obstacle_rows import (
        clearance_ranges,
        clearance_title,
        closest_times,
        described,
        distances,
        obstacle_table,
    )
    from cranebridge.report.rows.plan_rows import GAP, drawn_ways, plan_table, way_label
    from cranebridge.report.rows.sentences import headline
    from cranebridge.report.rows.tables import error_rows, verdict_rows
else:
    __getattr__, __dir__ = front(__name__)
