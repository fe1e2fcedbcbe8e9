"""Benchmarks: ratios of arms that were timed alternately in one run."""
