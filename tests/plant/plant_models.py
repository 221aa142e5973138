"""Plants made by hand, so that the exporter is tested without the Modelica front end."""

from __future__ import annotations

import casadi as ca

from cranebridge.frontend.flat_model import Algorithm, Experiment, PlantModel, Variable

GRAVITY = 9.81


def pendulum() -> PlantModel:
    """Damped pendulum with a torque: a start value from a parameter, a tunable parameter."""
    t, x, u, p = ca.SX.sym("t"), ca.SX.sym("x", 2), ca.SX.sym("u"), ca.SX.sym("p", 4)
    phi, omega = x[0], x[1]
    m, length, d, phi0 = p[0], p[1], p[2], p[3]
    inertia = m * length**2
    alpha = (u - d * omega - m * GRAVITY * length * ca.sin(phi)) / inertia
    energy = inertia * omega**2 / 2 + m * GRAVITY * length * (1 - ca.cos(phi))
    outputs = ca.vertcat(phi, length * ca.sin(phi), energy, alpha)
    return PlantModel(
        name="Tests.Pendulum",
        description="Pendulum with torque and damping",
        documentation="Angular momentum.\n\nm l² φ'' = u",
        states=(
            Variable("phi", "rad", "Angle", quantity="Angle", display_unit="deg"),
            Variable("omega", "rad/s", "Angular velocity", nominal=2.0),
        ),
        inputs=(Variable("tau", "N.m", "Torque", quantity="Torque"),),
        outputs=(
            Variable("phi", "rad", "Angle", quantity="Angle", display_unit="deg"),
            Variable("position[1]", "m", "Horizontal position <of the mass> & more"),
            Variable("energy", "J", "Total energy"),
            Variable("alpha", "rad/s2", "Angular acceleration"),
        ),
        parameters=(
            Variable("m", "kg", "Mass", 2.0, min=0.0, quantity="Mass", variability="fixed"),
            Variable("length", "m", "Length", 1.5, min=0.01, variability="fixed"),
            Variable("d", "N.m.s/rad", "Damping", 0.1, min=0.0, variability="tunable"),
            Variable("phi0", "rad", "Angle at the start", 0.7, variability="fixed"),
        ),
        rhs=ca.Function("rhs", [t, x, u, p], [ca.vertcat(omega, alpha)]),
        outputs_function=ca.Function("outputs", [t, x, u, p], [outputs]),
        initial=ca.Function("initial", [p], [ca.vertcat(phi0, 0.25)]),
        experiment=Experiment(0.0, 10.0, 1e-8, 0.01),
    )


def overhead() -> PlantModel:
    """Overhead crane: trolley, hoist and swing; the mass matrix is solved in the C code (MX)."""
    t, x, u, p = ca.MX.sym("t"), ca.MX.sym("x", 6), ca.MX.sym("u", 2), ca.MX.sym("p", 3)
    s, rope, phi, v, w, omega = (x[i] for i in range(6))
    m_t, m, j = p[0], p[1], p[2]
    sine, cosine = ca.sin(phi), ca.cos(phi)
    mass = ca.vertcat(
        ca.horzcat(m_t + m, m * sine, m * rope * cosine),
        ca.horzcat(m * sine, m + j, 0),
        ca.horzcat(m * rope * cosine, 0, m * rope**2),
    )
    force = ca.vertcat(
        u[0] - 2 * m * w * omega * cosine + m * rope * omega**2 * sine,
        -u[1] + m * rope * omega**2 + m * GRAVITY * cosine,
        -2 * m * rope * w * omega - m * GRAVITY * rope * sine,
    )
    acceleration = ca.solve(mass, force, "qr")
    outputs = ca.vertcat(s + rope * sine, -rope * cosine, u[1] - j * acceleration[1])
    return PlantModel(
        name="OverheadByHand",
        description="Overhead crane",
        documentation="<html><p>M(q) q'' = f</p><script>alert(1)</script></html>",
        states=(
            Variable("s", "m", "Trolley"),
            Variable("rope", "m", "Rope length", nominal=5.0),
            Variable("phi", "rad", "Swing angle"),
            Variable("v", "m/s"),
            Variable("w", "m/s"),
            Variable("omega", "rad/s"),
        ),
        inputs=(Variable("F", "N", "Trolley force"), Variable("T", "N", "Rope force", 490.5)),
        outputs=(Variable("x", "m"), Variable("z", "m"), Variable("tension", "N")),
        parameters=(
            Variable("m_t", "kg", "", 20.0, min=0.0, variability="fixed"),
            Variable("m", "kg", "", 50.0, min=0.0, variability="tunable"),
            Variable("j", "kg", "", 5.0, min=0.0, variability="fixed"),
        ),
        rhs=ca.Function("rhs", [t, x, u, p], [ca.vertcat(v, w, omega, acceleration)]),
        outputs_function=ca.Function("outputs", [t, x, u, p], [outputs]),
        initial=ca.Function("initial", [p], [ca.vertcat(0, 5, 0.3, 0, 0, 0)]),
        experiment=Experiment(0.0, 5.0, 1e-9, 0.01),
    )


def van_der_pol(mu: float = 1000.0) -> PlantModel:
    """Van der Pol's oscillator: stiff for a large mu; no inputs and no outputs but a state."""
    t, x, u, p = ca.SX.sym("t"), ca.SX.sym("x", 2), ca.SX.sym("u", 0), ca.SX.sym("p")
    rate = ca.vertcat(x[1], p * (1 - x[0] ** 2) * x[1] - x[0])
    return PlantModel(
        name="VanDerPol",
        states=(Variable("x0"), Variable("x1")),
        inputs=(),
        outputs=(Variable("x0"),),
        parameters=(Variable("mu", "1", "", mu, variability="tunable"),),
        rhs=ca.Function("rhs", [t, x, u, p], [rate]),
        outputs_function=ca.Function("outputs", [t, x, u, p], [x[0]]),
        initial=ca.Function("initial", [p], [ca.DM([2.0, 0.0])]),
        experiment=Experiment(0.0, 2000.0, 1e-6),
    )


def edge() -> PlantModel:
    """x' = -1/(2 x) ends at x = 0 after one second; y = t + sqrt(x) + u with direct feedthrough."""
    t, x, u, p = ca.SX.sym("t"), ca.SX.sym("x"), ca.SX.sym("u"), ca.SX.sym("p", 0)
    return PlantModel(
        name="Edge",
        states=(Variable("x", start=1.0),),
        inputs=(Variable("u"),),
        outputs=(Variable("y"),),
        parameters=(),
        rhs=ca.Function("rhs", [t, x, u, p], [-1 / (2 * x) + 0 * u]),
        outputs_function=ca.Function("outputs", [t, x, u, p], [t + ca.sqrt(x) + u]),
        initial=ca.Function("initial", [p], [ca.DM(1.0)]),
        experiment=Experiment(0.0, 2.0, 1e-8),
    )


def digits() -> PlantModel:
    """x' = c u + p with numbers that need all 17 digits."""
    t, x, u, p = ca.SX.sym("t"), ca.SX.sym("x"), ca.SX.sym("u"), ca.SX.sym("p")
    return PlantModel(
        name="Digits",
        states=(Variable("x", nominal=2 / 3),),
        inputs=(Variable("u", start=0.1 + 0.2),),
        outputs=(Variable("y"),),
        parameters=(Variable("p", "", "", 1e5 / 3, min=-7e4 / 3, variability="tunable"),),
        rhs=ca.Function("rhs", [t, x, u, p], [(1.1 + 2.2) * u + p]),
        outputs_function=ca.Function("outputs", [t, x, u, p], [x]),
        initial=ca.Function("initial", [p], [ca.DM(0.7 + 0.1)]),
        experiment=Experiment(0.0, 10.0, 1e-10),
    )


def integrator() -> PlantModel:
    """x' = u + sin(t), y = 3 u + x t: quadrature shows how inputs are interpolated."""
    t, x, u, p = ca.SX.sym("t"), ca.SX.sym("x"), ca.SX.sym("u"), ca.SX.sym("p", 0)
    return PlantModel(
        name="Integrator",
        states=(Variable("x"),),
        inputs=(Variable("u"),),
        outputs=(Variable("y"),),
        parameters=(),
        rhs=ca.Function("rhs", [t, x, u, p], [u + ca.sin(t)]),
        outputs_function=ca.Function("outputs", [t, x, u, p], [3 * u + x * t]),
        initial=ca.Function("initial", [p], [ca.DM(0.0)]),
        experiment=Experiment(0.0, 10.0, 1e-10),
    )


def gain() -> PlantModel:
    """y = 3 u: no states."""
    t, x, u, p = ca.SX.sym("t"), ca.SX.sym("x", 0), ca.SX.sym("u"), ca.SX.sym("p", 0)
    return PlantModel(
        name="Gain",
        states=(),
        inputs=(Variable("u"),),
        outputs=(Variable("y"),),
        parameters=(),
        rhs=ca.Function("rhs", [t, x, u, p], [ca.SX(0, 1)]),
        outputs_function=ca.Function("outputs", [t, x, u, p], [3 * u]),
        initial=ca.Function("initial", [p], [ca.SX(0, 1)]),
        experiment=Experiment(0.0, 10.0, 1e-10),
    )


STAIRS = """
typedef struct { double next; int count; } Stairs;

static void stairs_start(void *memory)
{
    ((Stairs *)memory)->next = 0.3;
    ((Stairs *)memory)->count = 0;
}
static const char *stairs_update(void *memory, double t, const double *u, const double *p)
{
    Stairs *s = memory;
    (void)p;
    if (t < s->next) return 0;
    s->next += 0.3;
    s->count += 1 + (u[0] != 0.0);
    return "a step";
}
static void stairs_outputs(void *memory, double t, const double *u, const double *p, double *y,
                           double *dy)
{
    (void)t; (void)u; (void)p;
    y[0] = ((Stairs *)memory)->count;
    dy[0] = 0.0;
}
static double stairs_next(const void *memory) { return ((const Stairs *)memory)->next; }

static const CbAlgorithm cb_algorithm = {
    sizeof(Stairs), stairs_start, stairs_update, stairs_outputs, stairs_next
};
"""


def stairs() -> PlantModel:
    """An algorithm that counts every 0.3 s, by two if its discrete input is on."""
    t, x, u, p = ca.SX.sym("t"), ca.SX.sym("x", 0), ca.SX.sym("u"), ca.SX.sym("p", 0)
    return PlantModel(
        name="Stairs",
        states=(),
        inputs=(Variable("twice", variability="discrete"),),
        outputs=(Variable("y", variability="discrete"),),
        parameters=(),
        rhs=ca.Function("rhs", [t, x, u, p], [ca.SX(0, 1)]),
        outputs_function=ca.Function("outputs", [t, x, u, p], [ca.SX(0.0)]),
        initial=ca.Function("initial", [p], [ca.SX(0, 1)]),
        experiment=Experiment(0.0, 10.0, 1e-10),
        algorithm=Algorithm({"algorithm_code.c": STAIRS}),
    )
