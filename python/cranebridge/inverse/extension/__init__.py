"""Index reduction by minimal extension: what is differentiated, and the stages that result."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.inverse.extension.assumptions import Assumption, check_assumptions
    from cranebridge.inverse.extension.derivatives import Derivatives, QrFactorisation, slices
    from cranebridge.inverse.extension.free_states import (
        FreeStates,
        Numbers,
        StageBlock,
        choose_free,
        stage_blocks,
    )
    from cranebridge.inverse.extension.regularity import (
        block_equations,
        fading_block,
        require_regular,
        singular_block,
        slack_rope,
        worst_condition,
    )
    from cranebridge.inverse.extension.servo_structure import (
        Structure,
        analyse,
        present,
        residuals,
        unknowns,
    )
    from cranebridge.inverse.extension.stages import Stages, build_stages, lifted_stages
else:
    __getattr__, __dir__ = front(__name__)
