"""Ropes that stretch and weigh: a crane turned into its version with an elastic hoist rope."""

from typing import TYPE_CHECKING

from cranebridge.lazily import front

if TYPE_CHECKING:
    from cranebridge.twin.ropes.elastic_class import elastic
    from cranebridge.twin.ropes.elastic_crane import ROPE_PARAMETERS, ElasticRope, ElasticRopeCrane
else:
    __getattr__, __dir__ = front(__name__)
