"""A crane file of the simplest machine: a mass that a force moves. Its velocity enters nowhere."""

from cranebridge import Crane, Parameter, Quantity


class Cart(Crane):
    name = "cart"
    description = "a cart"
    coordinates = (Quantity("s", "m", "cart"),)
    parameters = (Parameter("m", "kg", "mass", 2.0),)
    inputs = (Quantity("F", "N", "force"),)
    outputs = (Quantity("s", "m", "cart"),)

    def kinetic_energy(self, q, v, p):
        return 0.5 * p.m * v.s**2

    def potential_energy(self, q, p):
        return 0.0

    def drive_power(self, q, v, u, p):
        return u.F * v.s

    def output_map(self, q, p):
        return {"s": q.s}


class DampedCart(Cart):
    parameters = (*Cart.parameters, Parameter("d", "N*s/m", "damping", 0.0, "non-negative"))

    def other_forces(self, q, v, p):
        return {"s": -p.d * v.s}
