"""Measuring search on questions with known answers: data sets, metrics, runs. The owner's tool, and ours."""
