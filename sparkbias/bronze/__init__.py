"""Text as delivered. DataFrames in and out; no IO, no session, no clock."""
