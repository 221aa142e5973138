"""All runs of a campaign in one table, ``runs.parquet``: written from parts, read by column.

A row for each run: ``run``, ``status`` (``done`` or ``failed``), ``reason``, the factors, the
results. Nothing in the file depends on when, where, in which order and by how many it was made.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cranebridge.campaign.design import Design
from cranebridge.campaign.results.parts import OWN, Parts, another_campaign
from cranebridge.campaign.workers import RunResult
from cranebridge.errors import InputError, MissingDependencyError, unknown

FILE = "runs.parquet"

# Rows that are in memory at once when the table is written; a part of the file's format.
_ROWS = 4096
_METADATA = b"cranebridge.campaign"


@dataclass(frozen=True, eq=False)
class CampaignRuns:
    """A finished campaign.

    Attributes
    ----------
    file : Path
        The table.
    keys : tuple of str
        The factors.
    results : mapping of str to str
        The columns of results: ``"number"``, ``"text"`` or ``"boolean"``.
    kind : str
        Of the design.
    seed : int or None
        Of the design.
    total, failed : int
        Number of runs, and of those that could not be carried out.
    """

    file: Path
    keys: tuple[str, ...]
    results: Mapping[str, str]
    kind: str
    seed: int | None
    total: int
    failed: int

    def of_kind(self, kind: str) -> list[str]:
        """Return the columns of results of a kind."""
        return [name for name, one in self.results.items() if one == kind]

    def column(self, name: str) -> tuple[NDArray[np.int64], NDArray[Any]]:
        """Return the runs that have a value in a column, and the values."""
        if name not in (*OWN, *self.keys, *self.results):
            raise unknown("column", name, (*OWN, *self.keys, *self.results))
        with self._damage_explained():
            values = self._read(columns=[name]).column(0).combine_chunks()
            which = np.flatnonzero(values.is_valid().to_numpy(zero_copy_only=False))
            return which, values.drop_null().to_numpy(zero_copy_only=False)

    def factors(self) -> NDArray[np.float64]:
        """Return the values of the factors: a row for each run."""
        return np.column_stack([self.column(key)[1] for key in self.keys])

    def row(self, number: int) -> dict[str, Any]:
        """Return one run by column, without what it does not have."""
        if not 0 <= number < self.total:
            raise InputError(f"there is no run {number}: they count from 0 to {self.total - 1}")
        group, place = divmod(number, _ROWS)
        with self._damage_explained(), self._open() as file:
            rows = file.read_row_group(group).slice(place, 1).to_pylist()
            return {name: value for name, value in rows[0].items() if value is not None}

    def table(self) -> Any:
        """Return all of it, as an Arrow table."""
        with self._damage_explained():
            return self._read()

    def _read(self, columns: list[str] | None = None) -> Any:
        _, pq = arrow()
        # by this function: that of an open file takes "passed" for all that begins so
        table = pq.read_table(self.file, columns=columns, page_checksum_verification=True)
        if len(table) != self.total:
            raise ValueError(f"{len(table)} of {self.total} rows")
        return table

    def _open(self) -> Any:
        _, pq = arrow()
        return pq.ParquetFile(self.file, page_checksum_verification=True)

    @contextmanager
    def _damage_explained(self) -> Iterator[None]:
        """Turn what is wrong with the file into a sentence."""
        pa, _ = arrow()
        try:
            yield
        except (OSError, ValueError, LookupError, pa.ArrowException) as error:
            raise _damaged(self.file) from error


def read_runs(file: Path) -> CampaignRuns:
    """Read what a table says of itself; columns are read when they are asked for.

    Raises
    ------
    InputError
        If it is no table of a campaign.
    """
    head = _head(file)
    keys, kind, seed = tuple(head["keys"]), head["kind"], head["random seed"]
    return CampaignRuns(file, keys, head["results"], kind, seed, head["runs"], head["failed"])


def finished_runs(folder: Path, work: str, design: Design) -> CampaignRuns | None:
    """Return the table of a campaign that was finished before; None if there is none.

    Raises
    ------
    InputError
        If the table in the folder is another campaign's.
    """
    file = folder / FILE
    if not file.exists():
        return None
    head = _head(file)
    if (head["work"], head["design"]) != (work, design.hash):
        raise another_campaign(file, head["work"] == work)
    return read_runs(file)


def write_runs(folder: Path, work: str, design: Design, parts: Parts) -> CampaignRuns:
    """Write the table from parts, some rows at a time."""
    pa, pq = arrow()
    columns = parts.columns
    types = {float: pa.float64(), str: pa.string(), bool: pa.bool_()}
    words = {float: "number", str: "text", bool: "boolean"}
    head = {
        "work": work,
        "design": design.hash,
        "keys": list(design.keys),
        "kind": design.kind,
        "random seed": design.seed,
        "runs": len(design),
        "failed": parts.failed,
        "results": {name: words[kind] for name, kind in columns.items()},
    }
    fields = [
        pa.field("run", pa.int64(), nullable=False),
        pa.field("status", pa.string(), nullable=False),
        pa.field("reason", pa.string()),
        *(pa.field(key, pa.float64(), nullable=False) for key in design.keys),
        *(pa.field(name, types[kind]) for name, kind in columns.items()),
    ]
    schema = pa.schema(fields, metadata={_METADATA: json.dumps(head)})
    handle, temporary = tempfile.mkstemp(prefix=f".{FILE}-", suffix=".tmp", dir=folder)
    os.close(handle)
    try:
        with pq.ParquetWriter(
            temporary, schema, compression="zstd", write_page_checksum=True
        ) as writer:
            for begin in range(0, len(design), _ROWS):
                end = min(begin + _ROWS, len(design))
                rows = list(parts.rows(begin, end))
                content = _content(rows, design.values[begin:end], list(columns))
                arrays = [
                    pa.array(column, field.type)
                    for column, field in zip(content, fields, strict=True)
                ]
                writer.write_table(pa.table(arrays, schema=schema), row_group_size=_ROWS)
        os.chmod(temporary, 0o644)
        os.replace(temporary, folder / FILE)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return read_runs(folder / FILE)


def _content(
    rows: Sequence[RunResult], values: NDArray[np.float64], names: Sequence[str]
) -> list[Sequence[Any] | NDArray[np.float64]]:
    """Return the columns of some runs, in the order of the schema."""
    return [
        [row.number for row in rows],
        ["done" if row.reason is None else "failed" for row in rows],
        [row.reason for row in rows],
        *values.T,
        *([row.results.get(name) for row in rows] for name in names),
    ]


def _head(file: Path) -> dict[str, Any]:
    pa, pq = arrow()
    try:
        metadata = pq.read_schema(file).metadata or {}
        head: dict[str, Any] = json.loads(metadata[_METADATA])
    except (OSError, KeyError, ValueError, pa.ArrowException) as error:
        raise InputError(f"'{file}' is not a table of a campaign's runs") from error
    if not _sound(head):
        raise _damaged(file)
    return head


def _sound(head: object) -> bool:
    """Return whether what a table says of itself is what `write_runs` writes."""
    if not isinstance(head, dict) or not isinstance(head.get("results"), dict):
        return False
    whole = all(isinstance(head.get(key), int) for key in ("runs", "failed"))
    return whole and all(key in head for key in ("work", "design", "keys", "kind", "random seed"))


def _damaged(file: Path) -> InputError:
    return InputError(
        f"the table of runs '{file}' is damaged or was removed: carry the campaign out again"
    )


def arrow() -> tuple[Any, Any]:
    """Import pyarrow and its module for Parquet, or say how to get them."""
    try:
        import pyarrow as pa  # type: ignore[import-untyped]
        import pyarrow.parquet as pq  # type: ignore[import-untyped]
    except ImportError as error:
        raise MissingDependencyError(
            "a campaign writes Parquet, which needs pyarrow: pip install 'cranebridge[parquet]'"
        ) from error
    return pa, pq
