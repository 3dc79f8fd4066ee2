"""The guardian that is installed on hosts with its capability: where it is, who may execute it, how it gets there."""
