"""A Hub on loopback for tests, with the addresses that Tandem and huggingface_hub use, and a real Hub's faults."""
