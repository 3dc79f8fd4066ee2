#!/bin/sh
# Slurm's Prolog on each node, as root: lends the job's user a guardian that may make routes (docs/guides/slurm.md).
# It never fails: a prolog that does would drain the node.
lib=${FAIRLEAD_LIB:-/usr/local/libexec/fairlead}   # fairlead-guardian, without a capability
lent=${FAIRLEAD_LENT:-/var/lib/fairlead/guardians} # a guardian for each user with a job here; no nosuid mount
jobs=${FAIRLEAD_JOBS:-/run/fairlead/jobs}          # a file for each job; gone with the boot
lock=${FAIRLEAD_LOCK:-/run/fairlead.lock}
umask 022 # users have to come through directories that are made here, whatever slurmd's is

# Root's alone: whoever can open it can hold it, and with it every job that is to start or end on this node.
make_lock() {
  (umask 0177 && : >>"$lock") && chmod 0600 "$lock"
}

lend() {
  mkdir -p "$lent" "$jobs" && chmod 0755 "$lent" "$jobs" || return
  # What a boot without an epilog has left is taken back first.
  for place in "$lent"/*; do
    [ ! -d "$place" ] || [ -d "$jobs/${place##*/}" ] || take_back "$place"
  done
  mkdir -p "$jobs/$uid" && touch "$jobs/$uid/$job" || return
  place=$lent/$uid
  [ -x "$place/fairlead-guardian" ] && cmp -s "$lib/fairlead-guardian" "$place/fairlead-guardian" && return
  mkdir -p "$place" && chmod 0755 "$place" || return
  # Out of their reach until it has its capability: as its owner, the user could write another program into it, which
  # takes the capability away from one that has it.
  staged=$lent/.staged
  rm -rf "$staged" && mkdir -m 0700 "$staged" || return
  # Theirs alone to execute. A copy that they make of it has no capability.
  install -m 0500 -o "$uid" "$lib/fairlead-guardian" "$staged/fairlead-guardian" &&
    setcap cap_net_admin+ep "$staged/fairlead-guardian" &&
    strip "$place" && # an older one that is replaced, as after an upgrade while a job of theirs runs
    mv -f "$staged/fairlead-guardian" "$place/fairlead-guardian"
}

strip() {
  # By the file, not only by its name: the user may have made other names for it.
  for file in "$1"/* "$1"/.new; do
    [ ! -f "$file" ] || setcap -r "$file" 2>/dev/null || { caps=$(getcap "$file") && [ -z "$caps" ]; } || return
  done
}

take_back() {
  strip "$1"
  rm -rf "$1"
}

uid=${SLURM_JOB_UID:-0} job=${SLURM_JOB_ID:-}
[ "$uid" -gt 0 ] && [ -n "$job" ] || exit 0 # root needs none
make_lock && {
  flock -w "${FAIRLEAD_PATIENCE_S:-30}" 9 && lend
} 9>"$lock" || echo "fairlead: the guardian could not be lent to user $uid for job $job" >&2
exit 0
