"""Measuring: ratios of arms that were timed alternately in one run. Nothing here decides a test."""
