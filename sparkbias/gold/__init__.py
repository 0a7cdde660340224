"""Measurements, one module per table. DataFrames in and out; no IO, no session, no clock."""
