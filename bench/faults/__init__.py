"""The fault matrix: programs under management, while parts of it are hurt. ``make faults`` runs it."""
