"""The tables of a scenario: every key with its default, its rule and what it means."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.scenario.tables.learn_table import ALONE, LearnTable
    from cranebridge.scenario.tables.rules import CHOICE, RULE, Choice, Table
    from cranebridge.scenario.tables.schema import (
        ControlTable,
        CraneTable,
        LimitsTable,
        PlantTable,
        ReportTable,
        ScenarioTables,
    )
else:
    __getattr__, __dir__ = front(__name__)
