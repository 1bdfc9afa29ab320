"""`python -m gateway` is `propylon`."""

from gateway.cli import main

if __name__ == "__main__":
    main()
