"""Whether a user's crane is one: every mistake is one sentence with its place."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.twin.validation.at_rest import require_rest, rest_guess
    from cranebridge.twin.validation.crane_validation import validate
    from cranebridge.twin.validation.declarations import require_motions
    from cranebridge.twin.validation.error_places import class_line, shown
else:
    __getattr__, __dir__ = front(__name__)
