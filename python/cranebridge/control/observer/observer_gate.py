"""When an observer refuses a reading, and for how long: defaults that the schema shows, too."""

GATE = 20.0
"""Standard deviations from what was expected beyond which a reading is refused. A load that begins
0.3 m from where the filter takes it to be is seen 17 of them off (the benchmark of the rotary
crane, which has small variances), loads of other mass and late inputs stay below 8 where the
payload is estimated."""
PATIENCE = 0.2
"""Time in s for which readings of a sensor are refused in a row; then one is taken again."""
