"""The conventional name of the extension: ``extensions = ["sphinxcontrib.handle"]``."""

from sphinxcontrib_handle import setup

__all__ = ["setup"]
