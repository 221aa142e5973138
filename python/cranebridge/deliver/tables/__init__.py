"""A motion as a table, for those who read tables."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.deliver.tables.c_table import TABLE_STATUSES, c_sources
    from cranebridge.deliver.tables.column_selection import (
        BLOCK_DEFAULT,
        CODE_DEFAULT,
        DEFAULT,
        NO_RATE,
        require_given,
        require_rates,
        select,
    )
    from cranebridge.deliver.tables.modelica_block import (
        BLOCK,
        MOST_ROWS,
        PIECES,
        block_times,
        deviations,
        modelica_package,
        number,
        output_names,
        package_name,
        too_many_rows,
    )
    from cranebridge.deliver.tables.rounding import (
        quantisation,
        require_single,
        require_single_parameters,
    )
    from cranebridge.deliver.tables.st_table import function_block
    from cranebridge.deliver.tables.table_writers import (
        SampleTable,
        csv_table,
        mat4_table,
        mat_table,
        modelica_table,
        parquet_table,
    )
else:
    __getattr__, __dir__ = front(__name__)
