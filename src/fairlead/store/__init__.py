"""The results store: one SQLite file per results directory, append only, one writer, every raw sample kept."""

from fairlead.store.records import Attachment, Event, Label, Run, Series, Status
from fairlead.store.store import Store

__all__ = ["Attachment", "Event", "Label", "Run", "Series", "Status", "Store"]
