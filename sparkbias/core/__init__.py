"""Arrays and strings to numbers. Knows neither Spark nor tables, does no IO."""
