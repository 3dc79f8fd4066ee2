"""A cluster file of two virtual machines, for tests of clouds."""


def cluster_of(first: str, second: str) -> str:
    """Without its table ``[cloud]``."""
    hosts = "".join(
        f'[[hosts]]\nname = "{name}"\naddress = "10.0.0.{number}"\n' for number, name in enumerate((first, second), 1)
    )
    return f'\n[cluster]\nname = "c"\nexecutor = "ssh"\ninterface = "eth0"\n{hosts}'
