"""Bonds of real hosts: shown, made by the kernel's driver, taken back."""
