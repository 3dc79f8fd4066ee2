"""The messages and calls that ranks kept, one by one, in the forms of other programs: written, and OTF2 read, too."""
