"""What `benchmarks/run` is made of. Needs Python 3.11 and its standard library alone; what it measures it installs."""
