"""Long attacks on hdlgraph; `make attack` runs all of them and prints one table.

A campaign is a module with `run(count, folder, seed)`, which attacks `count` times with files
below an empty `folder` and returns one `Outcome` for each thing it attacked. The tests in
tests/attack run the same functions with small counts.
"""
