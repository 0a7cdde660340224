"""What all parts of a study share: they do not change, and know their keys."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

# Names become directory names and SQL values, so they are kept plain.
NAME_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"
Name = Annotated[str, Field(pattern=NAME_PATTERN)]


class Settings(BaseModel):
    """Values of a study: frozen, unknown keys refused by name."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    def parameters(self) -> dict[str, Any]:
        """The values as JSON, for fingerprints and provenance."""
        return self.model_dump(mode="json", by_alias=True)
