"""The results store: one SQLite file per results directory, append only, one writer, every raw sample kept; and one for
each run that goes on beside that writer."""

from fairlead.store.records import Attachment, Event, Label, Run, Series, Status
from fairlead.store.store import Store, take_in

__all__ = ["Attachment", "Event", "Label", "Run", "Series", "Status", "Store", "take_in"]
