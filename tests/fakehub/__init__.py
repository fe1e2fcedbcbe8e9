"""A Hub on loopback for tests: the addresses that Tandem and huggingface_hub ask for, and every fault of a
real one.
"""
