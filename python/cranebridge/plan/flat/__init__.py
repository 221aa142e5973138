"""Planning in the outputs of a flat crane: routes, their refinement, and the best of them."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.plan.flat.drafts import Fineness
    from cranebridge.plan.flat.ends import held_problem
    from cranebridge.plan.flat.strategies import STRATEGIES
    from cranebridge.plan.flat.task_to_plan import find_plan
else:
    __getattr__, __dir__ = front(__name__)
