"""The core: what a handle is, how it is written, linked, resolved and cited."""

__version__ = "0.1.0"
