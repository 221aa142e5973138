"""The plant: Modelica front end, FMU export, FMU loading and simulation."""
