"""Making bonds on the hosts of a cluster, and taking them back, whatever happens in between.

On each host a journal with the way back is written first, and a guard is started that goes this way unless it hears,
within a time, that the host was reached and its bond is as wanted. So a host whose management connection was cut comes
back by itself, and so does one whose fairlead was killed.
"""

import contextlib
import secrets
import shlex
import time
from collections.abc import Mapping, Sequence

from fairlead.cluster.executors.base import Executor
from fairlead.cluster.remote.execute import on_all, run_on
from fairlead.errors import FairleadError, HostError
from fairlead.net import dhcp
from fairlead.net.change import NetworkChange, Wanted, disagreements, plan_change
from fairlead.net.journal import JOURNAL
from fairlead.net.state import READ, HostNetwork, read

SETTLE_S = 20.0
_POLL_S = 0.5
# The script comes by stdin: a command line of sudo's stands in its log. It is read whole before its commands run.
_READ = 'eval "$(cat)"'
_AS_ROOT = f"""[ "$(id -u)" = 0 ] || exec sudo -n sh -c '{_READ}'; {_READ}"""
_LOCKED = "exec 9</run; flock 9"  # the directory that the journal is in: nothing to leave behind

_BEGIN = """
set -e
PATH=$PATH:/usr/sbin:/sbin
{locked}
[ ! -e {journal}/restore ] || {{ echo "{journal} is there already" >&2; exit 1; }}
rm -rf {journal}
mkdir -m 0755 {journal}
echo {token} > {journal}/token
cat > {journal}/apply <<'END-OF-PART'
{apply}
END-OF-PART
cat > {journal}/take-back <<'END-OF-PART'
{take_back}
END-OF-PART
cat > {journal}/guard <<'END-OF-PART'
{guard}
END-OF-PART
{leases}cat > {journal}/restore.new <<'END-OF-PART'
{restore}
END-OF-PART
sync
mv {journal}/restore.new {journal}/restore
setsid sh {journal}/guard {within_s} {token} {before_s} </dev/null >/dev/null 2>&1 9>&- &
if ! sh -e {journal}/apply >{journal}/said 2>&1 9>&-; then
  cat {journal}/said >&2
  flock -u 9
  sh {journal}/take-back >&2
  exit 1
fi
"""
# When leases end, by what the kernel says of their addresses: whoever renews one tells it. One that is gone has ended.
_LEASES = rf"""if [ -e {JOURNAL}/leases ]; then
  read -r now rest < /proc/uptime
  now=${{now%.*}}
  while read -r bond address end client; do
    if found=$(ip -o address show dev "$bond" to "${{address%/*}}" 2>/dev/null); then
      left=$(echo "$found" |
        sed -n 's/.* valid_lft \([0-9]*\)sec.*/\1/p; s/.* valid_lft forever.*/999999999/p')
      [ -z "$left" ] && [ ! -e {JOURNAL}/confirmed ] || end=$((now + ${{left:-0}}))
    fi
    echo "$bond $address $end $client"
  done < {JOURNAL}/leases > {JOURNAL}/leases.new
  mv {JOURNAL}/leases.new {JOURNAL}/leases
fi"""
# Until it is confirmed, every second; then only if a lease ends some time, and seldom.
_GUARD = rf"""PATH=$PATH:/usr/sbin:/sbin
left=$1
while [ -e {JOURNAL}/restore ] && read -r token < {JOURNAL}/token && [ "$token" = "$2" ]; do
  pause=1
  if [ ! -e {JOURNAL}/confirmed ]; then
    if [ $left -le 0 ]; then
      sh {JOURNAL}/take-back unconfirmed
      [ -e {JOURNAL}/confirmed ] || exit 0
    fi
  elif [ ! -e {JOURNAL}/leases ]; then
    exit 0
  fi
  if [ -e {JOURNAL}/leases ]; then
    more=$(
      {_LOCKED}
      [ -e {JOURNAL}/restore ] || exit 0
      {_LEASES}
      read -r now rest < /proc/uptime
      sort -n -k 3 {JOURNAL}/leases | {{ read -r bond address end client; echo $((end - ${{now%.*}} - $3)); }}
    )
    [ ${{more:-0}} -gt 0 ] || exec sh {JOURNAL}/take-back
    [ ! -e {JOURNAL}/confirmed ] || pause=$((more < 10 ? more : 10))
  fi
  sleep $pause
  left=$((left - 1))
done"""
_TAKE_BACK = f"""PATH=$PATH:/usr/sbin:/sbin
{_LOCKED}
[ -e {JOURNAL}/restore ] || exit 0
[ "$1" = unconfirmed ] && [ -e {JOURNAL}/confirmed ] && exit 0
{_LEASES}
failed=0
while IFS= read -r line; do
  sh -c "$line" 9>&- </dev/null || {{ echo "failed: $line" >&2; failed=1; }}
done < {JOURNAL}/restore
[ $failed = 0 ] || exit 1
rm -rf {JOURNAL}
echo restored"""
_CONFIRM = f"{_LOCKED}; [ -e {JOURNAL}/restore ] && touch {JOURNAL}/confirmed"
_RESTORE = f"[ -e {JOURNAL}/restore ] || exit 0; sh {JOURNAL}/take-back"
_RESTORE_OWN = f'[ "$(cat {JOURNAL}/token 2>/dev/null)" = {{token}} ] || exit 0; {_RESTORE}'


def show(executor: Executor, hosts: Sequence[str]) -> dict[str, HostNetwork]:
    """Interfaces and bonds of hosts.

    Raises:
        HostError: one was not reached, or prints what is not understood.
    """
    texts = on_all(hosts, lambda host: run_on(executor, host, ["sh", "-c", READ]))
    return {host: read(host, text) for host, text in texts.items()}


def plans(executor: Executor, hosts: Sequence[str], wanted: Wanted) -> dict[str, NetworkChange]:
    """What `apply` would do on every host; changes nothing.

    Raises:
        ConfigError: it cannot work on one of them.
        HostError: see `show`.
    """
    return {host: plan_change(host, now, wanted) for host, now in show(executor, hosts).items()}


def apply(
    executor: Executor, hosts: Sequence[str], wanted: Wanted, within_s: int, settle_s: float = SETTLE_S
) -> dict[str, HostNetwork]:
    """Make the bond on all hosts, or on none; what they then have.

    A host whose address is leased goes back by itself before the lease ends, also after it was confirmed, unless the
    lease is renewed on the bond.

    Args:
        within_s: a host that is not confirmed within this time goes back by itself.
        settle_s: so long links may take to come up and an LACP partner to answer; at most half of ``within_s``.

    Raises:
        ConfigError: it cannot work on a host; nothing was changed.
        HostError: it did not work on a host; all were restored, or restore themselves within ``within_s``.
    """
    changes = plans(executor, hosts, wanted)
    token = secrets.token_hex(8)
    try:
        on_all(hosts, lambda host: _as_root(executor, host, begin(changes[host], within_s, token)), to_the_end=True)
        addresses = {host: change.addresses for host, change in changes.items()}
        found = _settled(executor, addresses, wanted, min(settle_s, within_s / 2))
        on_all(hosts, lambda host: _as_root(executor, host, _CONFIRM), to_the_end=True)
    except BaseException:
        _restore_what_answers(executor, hosts, token)
        raise
    return found


def restore(executor: Executor, hosts: Sequence[str]) -> list[str]:
    """Take back what `apply` made; the hosts where it had made something.

    Raises:
        HostError: a host was not reached, or a command failed there; its journal stays, so that it can be tried again.
    """
    said = on_all(hosts, lambda host: _as_root(executor, host, _RESTORE), to_the_end=True)
    return [host for host in hosts if said[host].strip()]


def begin(change: NetworkChange, within_s: int, token: str) -> str:
    """The script that writes the journal, starts the guard, and makes the change.

    Args:
        token: a word that tells this change from others' in the journal.
    """
    return _BEGIN.format(
        **{"locked": _LOCKED, "journal": JOURNAL, "within_s": within_s, "take_back": _TAKE_BACK, "guard": _GUARD},
        token=token,
        before_s=dhcp.ENDS_BEFORE_S,
        leases="".join(f"echo {shlex.quote(lease)} >> {JOURNAL}/leases\n" for lease in change.leases),
        apply="\n".join(change.apply),
        restore="\n".join(change.restore),
    )


def _settled(
    executor: Executor, addresses: Mapping[str, Sequence[str]], wanted: Wanted, settle_s: float
) -> dict[str, HostNetwork]:
    """What hosts, with these addresses, have once it is as wanted. Raises HostError if it is not in time."""
    deadline_s = time.monotonic() + settle_s
    while True:
        is_last = time.monotonic() > deadline_s
        try:
            found = show(executor, list(addresses))
            wrong = {host: disagreements(now, wanted, addresses[host]) for host, now in found.items()}
            texts = [f"{host}: {'; '.join(reasons)}" for host, reasons in wrong.items() if reasons]
            if not texts:
                return found
            if is_last:
                raise HostError("\n".join(texts), hint="everything was restored")
        except HostError:
            if is_last:
                raise
        time.sleep(_POLL_S)


def _as_root(executor: Executor, host: str, script: str) -> str:
    return run_on(executor, host, ["sh", "-c", _AS_ROOT], stdin=script.encode(), timeout_s=60.0)


def _restore_what_answers(executor: Executor, hosts: Sequence[str], token: str) -> None:
    """Take back this change only: a bond that was there before stays."""

    def try_one(host: str) -> None:
        with contextlib.suppress(FairleadError):  # its guard does it
            _as_root(executor, host, _RESTORE_OWN.format(token=token))

    on_all(hosts, try_one, to_the_end=True)
