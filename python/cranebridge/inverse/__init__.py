"""From path to controls: structure analysis, index reduction, solvers."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.inverse.checking import StructureCheck, check, require_consistent
    from cranebridge.inverse.equilibrium import rest_path
    from cranebridge.inverse.extension import Structure, analyse
    from cranebridge.inverse.feedforward import Feedforward, Nodes
    from cranebridge.inverse.friction import (
        FRICTIONS,
        DriveFriction,
        FrictionForces,
        FrictionPieces,
        add_friction,
        constant_row,
        follow_friction,
        follow_travel,
        read_friction,
        with_friction,
    )
    from cranebridge.inverse.index1 import (
        SetSolution,
        solve_in_parts,
        solve_index1,
        solve_parameter_sets,
    )
    from cranebridge.inverse.internal import solve_inversion
    from cranebridge.inverse.internal_check import check_internal
    from cranebridge.inverse.methods import COMPILE, COORDINATES, METHODS, REFUSED, SCHEMES
    from cranebridge.inverse.nodes import node_times
    from cranebridge.inverse.piecewise import Piecewise, hermite
    from cranebridge.inverse.problem import ServoProblem, require_points, time_grid
    from cranebridge.inverse.sampling import Samples, cycle_times, sample, solved_at
    from cranebridge.inverse.signal_groups import (
        DERIVED,
        MOTION,
        SIGNAL_GROUPS,
        Signal,
        SignalGroup,
        needing_jerks,
        signal_function,
        signals,
    )
    from cranebridge.inverse.speed_drives import (
        GROUP,
        SpeedDrive,
        SpeedReferences,
        require_speed_drives,
        speed_references,
        speed_signals,
        with_speeds,
    )
    from cranebridge.inverse.stepping import solve_index3, solve_minimal, solve_projection
else:
    __getattr__, __dir__ = front(__name__)
