"""Pieces of C text that the code generators share."""

from __future__ import annotations

import casadi as ca


def c_string(text: str) -> str:
    """C string literal; every byte outside plain ASCII is an octal escape."""
    escaped = "".join(
        chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\?' else f"\\{byte:03o}"
        for byte in text.encode()
    )
    return f'"{escaped}"'


def function_entry(role: str, function: ca.Function) -> str:
    """Initializer of a CbFunction in a struct."""
    sizes = (function.sz_arg(), function.sz_res(), function.sz_iw(), function.sz_w())
    return f"    .{role} = {{{function.name()}, {', '.join(str(size) for size in sizes)}}},\n"
