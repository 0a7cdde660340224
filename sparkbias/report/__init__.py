"""The report: one HTML file of a study, made from the tables alone."""
