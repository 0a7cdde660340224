"""Text fit to measure. DataFrames in and out; no IO, no session, no clock."""
