"""The appliance's version, as backups and the doctor name it; a test holds it to pyproject.toml."""

VERSION = "0.1.0"
