"""Other computers of the person's: their names, processes there, and whether they have the same Tandem and models.

A cluster's ranks and a draft runner are started with it. Imports no MLX.
"""
