"""How fast this is here, and other libraries beside it: ``python -m experiments speed``."""
