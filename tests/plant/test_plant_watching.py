"""What the parent counts of an FMU's files: those with a name, and open ones that have none."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cranebridge.plant.sandbox import watching

SIZE = 1 << 20


def test_open_files_without_a_name_count_and_named_ones_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = watching._open_files(os.getpid())
    monkeypatch.setattr(watching, "DISK", before + SIZE + SIZE // 2)
    with (tmp_path / "named").open("wb") as named, (tmp_path / "gone").open("wb") as gone:
        for file in (named, gone):
            file.write(os.urandom(SIZE))
            file.flush()
            os.fsync(file.fileno())
        os.unlink(tmp_path / "gone")
        assert watching._open_files(os.getpid()) - before == pytest.approx(SIZE, rel=0.05)
        # one megabyte with a name and one without are two
        assert "larger than" in str(watching.excess(os.getpid(), str(tmp_path)))
    assert watching.excess(os.getpid(), str(tmp_path)) is None
