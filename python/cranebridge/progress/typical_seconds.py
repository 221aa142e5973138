"""What stages of the verbs typically take the first time [s].

Made by scripts/stage_costs.py.

Compilers are foreseen by the length of their sources beside this.
"""

TYPICAL: dict[str, dict[str, float]] = {
    "run": {
        "loading": 1.3,
        "check": 0.9,
        "solve": 0.1,
        "export": 5.3,
        "certify": 0.4,
        "verify": 0.1,
        "report": 0.2,
    },
    "check": {"loading": 1.0, "check": 0.8},
    "check a crane": {"loading": 0.1, "check": 1.1},
    "plan": {"loading": 3.0, "planning": 28.1, "solve": 0.1},
    "plan otherwise": {
        "loading": 0.1,
        "planning by collocation": 2.6,
        "the flat plan beside it": 3.1,
    },
    "solve": {"loading": 1.0, "solve": 0.7},
    "sweep": {"loading": 1.0, "sweep": 0.7},
    "study": {"loading": 1.8, "study": 17.4},
    "export": {"loading": 0.1, "export": 4.8},
    "certify": {"loading": 0.9, "solve": 1.0, "export": 5.2, "certify": 0.3},
    "verify": {"loading": 1.2, "solve": 0.7, "export": 4.6, "certify": 0.4, "verify": 0.1},
    "deliver": {"loading": 1.5, "solve": 0.8, "deliver": 0.2},
    "learn": {
        "loading": 1.3,
        "solve": 0.4,
        "export": 5.1,
        "model": 0.1,
        "trial": 0.9,
        "report": 2.5,
    },
    "campaign": {
        "loading": 2.5,
        "export": 4.3,
        "the run without variation": 0.3,
        "runs": 4.1,
        "statistics": 0.1,
        "which factor matters": 0.1,
        "report": 2.0,
    },
    "doctor": {
        "loading": 1.0,
        "system": 0.1,
        "libraries": 0.1,
        "C compiler": 0.1,
        "Modelica compiler": 0.1,
        "FMUs": 0.2,
        "caches": 0.1,
        "extras": 0.1,
    },
}
"""Stages in their order, by verb."""
