"""Compiled templates, kept from run to run: compiling takes longer than filling one in."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import platformdirs
from jinja2 import BytecodeCache
from jinja2.bccache import Bucket

from cranebridge.cache import find, store, usable_folder


class CompiledTemplates(BytecodeCache):
    """Jinja's compiled templates in the user's cache.

    Jinja itself checks that they belong to this source and this version of Python; the cache that
    nobody else can write to it.
    """

    def __init__(self) -> None:
        folder = Path(platformdirs.user_cache_dir("cranebridge")) / "templates"
        self._folder = usable_folder(folder)

    def load_bytecode(self, bucket: Bucket) -> None:
        """Load what is there, if it is sound."""
        entry = find(self._folder, self._name(bucket))
        if entry is not None:
            with suppress(OSError, ValueError, EOFError, TypeError):
                bucket.bytecode_from_string(entry.read_bytes())

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep a template that was compiled; where that fails, it is compiled again next time."""
        with suppress(OSError):
            store(self._folder, self._name(bucket), bucket.bytecode_to_string())

    @staticmethod
    def _name(bucket: Bucket) -> str:
        return f"{bucket.key}-{bucket.checksum[:16]}.jinja"
