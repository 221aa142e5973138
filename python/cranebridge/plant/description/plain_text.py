"""Text that comes from an FMU, made safe to show: it may carry commands for a terminal."""

from __future__ import annotations


def plain(text: str, length: int = 1000) -> str:
    """Return text without control characters, on one line and not longer than `length`.

    Escape sequences would move the cursor, set the window's title or hide what stands before;
    characters that turn the direction of writing would make a text read as another.
    """
    if len(text) > length:
        text = f"{text[: length - 3]}..."
    if text.isascii() and text.isprintable():
        return text
    return "".join(_visible(character) for character in text)


def _visible(character: str) -> str:
    if character.isprintable():
        return character
    return " " if character.isspace() else "\N{REPLACEMENT CHARACTER}"
