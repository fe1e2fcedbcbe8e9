"""A loaded main model: its weights, its tokenizer's facts, its sampler, its grammars and the limit of its thoughts.

A model is built of arrays without memory first, to know which tensors it drops, as towers for pictures: these are not
read. The others are read outside of MLX (`engine.model_files.weight_reading`), because a read that fails inside of it
may hang it, and evaluated in chunks, which frees what was converted. Where the CPU converts bfloat16 to float32, the
stored tensors are in memory until each is converted, the largest one in both forms. Heads, adapters, towers, encoders
and kept caches are read in the same way. Only the computers of a cluster have MLX read, a tensor at a time, because a
model's tensors do not fit into one of them.

What loading makes and what every pass over a main model needs belongs here, and in `low_rank` what is added to the
layers of a drafter that was taught. Drafting, caches of conversations and requests never do.
"""
