"""The tables of a scenario: every key with its default, its rule and what it means."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.scenario.tables.learn_table import ALONE, LearnTable
    from cranebridge.scenario.tables.rules import Choice
    from cranebridge.scenario.tables.schema import (
        ControlTable,
        CraneTable,
        LimitsTable,
        PlantTable,
        ScenarioTables,
    )
    from cranebridge.scenario.tables.typed_table import (
        REQUIRED,
        Mistake,
        Table,
        TableError,
        TableField,
    )
else:
    __getattr__, __dir__ = front(__name__)
