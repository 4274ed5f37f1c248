"""The options of the extension, as a YAML file or a program gives them."""

from collections.abc import Mapping
from typing import Any

from handle_system.findings.codes import FrontEnd
from handle_system.proxies import Proxies
from handle_system.settings import Settings, read
from handle_system.typed_values import TOML


def read_settings(written: Mapping[str, Any]) -> Settings:
    """The settings of options.

    Args:
        written: The options by name. ``proxies`` may be a `Proxies`.

    Raises:
        ValueError: when there is no such option, or its value cannot be used.
    """
    options = dict(written)
    proxies = options.get("proxies")
    if isinstance(proxies, Proxies):
        options["proxies"] = dict(proxies.bases)
        options["known_proxies"] = [*proxies.also, *options.get("known_proxies", ())]
    return Settings(**read(options, FrontEnd.PYTHON_MARKDOWN, TOML))
