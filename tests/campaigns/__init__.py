"""Attacks on the whole product, run by `pytest -m campaign`."""
