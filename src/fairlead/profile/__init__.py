"""How a program communicates: what libfairlead recorded in its ranks, added up and shown.

A `record` is a rank's, a `profile` all of theirs, `json_form` what is kept of it; `run` makes one of a program. The
rooms: `reading` brings records here, `analysis` computes from them, `traces` has messages one by one, for and from
other programs. `findings`, `tables` and `terminal` show a profile; `mitigation` and `message_sizes` say what follows
from it.
"""
