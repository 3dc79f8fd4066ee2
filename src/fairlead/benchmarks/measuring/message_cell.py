"""The cells of benchmarks that send messages between pairs."""

from dataclasses import dataclass

from fairlead.store import Label


@dataclass(frozen=True)
class MessageCell:
    """One combination of parameters of messages.

    Attributes:
        pairs: pairs of ranks for each pair of hosts, at the same time.
        window: messages under way together (throughput).
        both: both directions at once (throughput).
    """

    size_B: int
    pairs: int = 1
    window: int = 1
    both: bool = False

    def labels(self) -> dict[str, Label]:
        """For the store."""
        return {"size_B": self.size_B, "pairs": self.pairs, "window": self.window, "both": int(self.both)}

    def words(self) -> str:
        """For messages."""
        return f"{self.size_B} B, {self.pairs} pairs{', both directions' if self.both else ''}"
