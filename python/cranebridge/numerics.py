"""Choices of numerical methods that several packages share."""

# Sparse QR, which needs no pivots. With CasADi's csparse, Newton's method stalled on the
# 42-coordinate crane and on CABLEV in dependent coordinates, where newtons and metres mix; qr and
# lapacklu both converge there, and qr is the fastest.
LINEAR_SOLVER = "qr"
