"""The older place of `checked_base`, for those who import it still."""

from handle_system.proxies import OWN_PAGES, checked_base

__all__ = ["OWN_PAGES", "checked_base"]
