"""The lane code below the kernel: sine and cosine, and functions printed from CasADi's."""

from __future__ import annotations

import ctypes
import decimal
import math
from decimal import Decimal
from fractions import Fraction
from importlib.resources import files
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

from cranebridge.emit import MATH_FUNCTIONS
from cranebridge.errors import InputError
from cranebridge.inverse.kernels.compiled import compile_source
from cranebridge.inverse.kernels.kernel_building import FLAGS, best_lanes
from cranebridge.inverse.kernels.vector_code import libm_functions, vector_function

LANES = (1, 2, 4, 8)
DIGITS = 60


def text(name: str) -> str:
    return files("cranebridge.inverse.kernels").joinpath("c", f"{name}.h").read_text()


def compiled(source: str, lanes: int) -> ctypes.CDLL:
    flag = best_lanes()[1]
    flags = (*FLAGS, f"-DLANES={lanes}", *((flag,) if flag else ()))
    library = compile_source("test", source, "always", flags)
    return ctypes.CDLL(str(library))


def sine_cosine(x: np.ndarray, lanes: int) -> tuple[np.ndarray, np.ndarray]:
    """Evaluate both by the lane code; the number of angles is a multiple of eight."""
    driver = """
void run(long n, const double *x, double *s, double *c)
{
    for (long i = 0; i < n; i += LANES) {
        V a, sine, cosine;
        memcpy(&a, x + i, sizeof(V));
        sine_cosine(a, &sine, &cosine);
        memcpy(s + i, &sine, sizeof(V));
        memcpy(c + i, &cosine, sizeof(V));
    }
}
"""
    assert x.size % 8 == 0
    library = compiled(text("lanes") + text("trigonometry") + driver, lanes)
    found = np.empty((2, x.size))
    pointers = (a.ctypes.data_as(ctypes.c_void_p) for a in (x, *found))
    library.run(ctypes.c_long(x.size), *pointers)
    return found[0], found[1]


def arctan_of_inverse(n: int) -> Decimal:
    """Sum its series; pi follows by Machin's formula."""
    power, total, k = Decimal(1) / n, Decimal(0), 0
    while power:
        total += (-1) ** k * power / (2 * k + 1)
        power /= n * n
        k += 1
        if power < Decimal(10) ** -(DIGITS + 50):
            break
    return total


@pytest.fixture(scope="module")
def pi() -> Decimal:
    with decimal.localcontext(prec=DIGITS + 60):
        return 4 * (4 * arctan_of_inverse(5) - arctan_of_inverse(239))


def exact_sine(x: Decimal, pi: Decimal) -> Decimal:
    """Reduce to less than half a turn and sum the Taylor series."""
    with decimal.localcontext(prec=DIGITS + 40):
        x = x - 2 * pi * (x / (2 * pi)).to_integral_value()
        term = total = x
        n = 1
        while term and abs(term) > abs(total) * Decimal(10) ** -(DIGITS + 20):
            term *= -x * x / ((n + 1) * (n + 2))
            total += term
            n += 2
        return total


def units_off(found: float, exact: Decimal) -> float:
    """Tell the error in units of the last place."""
    return float(abs(Decimal(found) - exact) / Decimal(math.ulp(float(exact))))


def angles(pi: Decimal) -> np.ndarray:
    random = np.random.default_rng(3)
    near = [float(pi / 2 * int(n)) for n in random.integers(1, 600_000, 200)]
    return np.concatenate(
        [
            random.uniform(-1.0, 1.0, 400),
            random.uniform(-10.0, 10.0, 400),
            random.uniform(-1e6, 1e6, 400),
            10.0 ** random.uniform(-300.0, 0.0, 200),
            near,  # where nearly all digits cancel in the reduction
            -np.nextafter(near, np.inf),
            [0.0, -0.0, math.pi / 4, math.pi / 2, math.pi, 3 * math.pi / 4, 1e6, -1e6],
        ]
    )


def test_sine_and_cosine_are_right_to_a_unit_in_the_last_place(pi) -> None:
    x = angles(pi)
    sine, cosine = sine_cosine(x, 1)
    with decimal.localcontext(prec=DIGITS + 40):
        off = [
            max(
                units_off(s, exact_sine(Decimal(t), pi)) if t else abs(s),
                units_off(c, exact_sine(Decimal(t) + pi / 2, pi)),
            )
            for t, s, c in zip(x.tolist(), sine.tolist(), cosine.tolist(), strict=True)
        ]
    # fdlibm states less than one; the worst of 32 million angles had 0.783, of these 0.69
    assert max(off) < 0.8


@pytest.mark.parametrize("lanes", LANES[1:])
def test_number_of_lanes_changes_no_bit_of_sine_and_cosine(lanes, pi) -> None:
    x = np.concatenate([angles(pi), [1e7, np.inf, np.nan, -1e300, 1.0, 2.0, -np.inf, 1e6]])
    for one, many in zip(sine_cosine(x, 1), sine_cosine(x, lanes), strict=True):
        assert one.tobytes() == many.tobytes()


def test_large_and_infinite_angles_are_those_of_libm() -> None:
    x = np.array([1e7, -3e15, 1e300, 2.0**53, np.inf, -np.inf, np.nan, 0.5])
    sine, cosine = sine_cosine(x, 4)
    assert sine[:4].tolist() == [math.sin(t) for t in x[:4]]
    assert cosine[:4].tolist() == [math.cos(t) for t in x[:4]]
    assert np.isnan(sine[4:7]).all()
    assert np.isnan(cosine[4:7]).all()
    assert sine[7] == pytest.approx(math.sin(0.5), rel=1e-15)  # its neighbours do not matter


def every_operation() -> ca.Function:
    """Use all that the printer knows, on arguments where it is defined."""
    a, b = ca.SX.sym("a"), ca.SX.sym("b")
    one = [ca.sqrt, ca.sin, ca.cos, ca.tan, ca.atan, ca.sinh, ca.cosh, ca.tanh, ca.exp, ca.expm1]
    one += [ca.log, ca.log1p, ca.fabs, ca.floor, ca.ceil, ca.sign, ca.logic_not]
    two = [ca.atan2, ca.fmod, ca.fmin, ca.fmax, ca.hypot, ca.copysign, ca.power, ca.le, ca.lt]
    two += [ca.eq, ca.ne, ca.logic_and, ca.logic_or]
    results = [f(a) for f in one] + [f(b, a) for f in two] + [ca.asin(a / 9), ca.acos(a / 9)]
    results += [a + b, a - b, a * b, a / b, -b, b**2, 2 * b, 1 / b, a**2.5, ca.if_else(b > 1, a, b)]
    return ca.Function("every", [a, b], [ca.vertcat(*results, 3.25), ca.SX(2, 1)])


@pytest.mark.parametrize(
    ("lanes", "length"), [*((lanes, None) for lanes in LANES), (LANES[-1], 1), (LANES[-1], 7)]
)
def test_printed_functions_compute_what_casadi_computes(lanes, length) -> None:
    function = every_operation()
    printed = {function.instruction_id(k) for k in range(function.n_instructions())}
    assert set(MATH_FUNCTIONS) - printed == {ca.OP_CONSTPOW} or set(MATH_FUNCTIONS) <= printed
    body = vector_function(function, "every", length)
    assert ("kept[" in body) == (length is not None)
    count = function.numel_out(0)
    driver = f"""
void run(const double *a, const double *b, double *out)
{{
    V x, y, o[{count}], zero[2];
    memcpy(&x, a, sizeof(V));
    memcpy(&y, b, sizeof(V));
    every(&x, &y, o, zero);
    memcpy(out, o, sizeof(o));
    memcpy(out + {count} * LANES, zero, sizeof(zero));
}}
"""
    source = text("lanes") + libm_functions(body) + text("trigonometry") + body + driver
    library = compiled(source, lanes)
    random = np.random.default_rng(1)
    a, b = random.uniform(0.1, 3.0, lanes), random.uniform(-3.0, 3.0, lanes)
    b[0] = 0.0 if lanes > 1 else b[0]
    found = np.full((count + 2, lanes), np.nan)
    library.run(*(x.ctypes.data_as(ctypes.c_void_p) for x in (a, b, found)))
    for lane in range(lanes):
        wanted = np.array(function(a[lane], b[lane])[0]).ravel()
        np.testing.assert_allclose(found[:count, lane], wanted, rtol=4e-16, atol=0.0)
    assert (found[count:] == 0.0).all()


def test_operation_without_c_code_is_refused() -> None:
    x = ca.SX.sym("x")
    with pytest.raises(InputError, match="operation that has no C code here"):
        vector_function(ca.Function("f", [x], [ca.erf(x)]), "f")


def test_what_is_computed_twice_is_printed_once() -> None:
    x, y = ca.SX.sym("x"), ca.SX.sym("y")
    again = ca.Function("f", [x, y], [ca.sin(x + y) * ca.cos(y + x), ca.sin(x + y)])
    body = vector_function(again, "f")
    assert body.count("sine_cosine(") == 1
    assert body.count(" + ") == 1


def test_flags_forbid_what_would_make_results_depend_on_the_processor() -> None:
    assert "-ffp-contract=off" in FLAGS
    assert not any("fast-math" in flag or "unsafe" in flag for flag in FLAGS)
    # a product and a sum are two roundings: fused, the result would be the tiny rest
    source = text("lanes") + "double run(double a, double b, double c) { return a * b + c; }"
    library = compiled(source, 1)
    library.run.restype = ctypes.c_double
    a = 1.0 + 2.0**-30
    rounded = float(Fraction(a) * Fraction(a))
    assert library.run(*(ctypes.c_double(x) for x in (a, a, -rounded))) == 0.0


def test_kernel_texts_are_part_of_the_package() -> None:
    folder = Path(str(files("cranebridge.inverse.kernels").joinpath("c")))
    wanted = {"lanes.h", "path.h", "rotation.h", "rows.h", "solve.h", "trigonometry.h"}
    assert {file.name for file in folder.iterdir()} == wanted
