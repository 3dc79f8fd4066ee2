"""The interfaces of a cluster's hosts: flows over them now; bonds shown, made by the kernel's driver, taken back."""
