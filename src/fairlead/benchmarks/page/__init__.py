"""The report of benchmarks: one system, or several in the same axes and colours."""
