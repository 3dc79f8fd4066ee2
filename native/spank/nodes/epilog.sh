#!/bin/sh
# Slurm's Epilog on each node, as root: removes what a job's guardians left in the kernel if they were killed, and takes
# back the guardian that prolog.sh lent, unless the user has another job here. It never fails, as the prolog.
lib=${FAIRLEAD_LIB:-/usr/local/libexec/fairlead}
lent=${FAIRLEAD_LENT:-/var/lib/fairlead/guardians}
jobs=${FAIRLEAD_JOBS:-/run/fairlead/jobs}
lock=${FAIRLEAD_LOCK:-/run/fairlead.lock}

# As in prolog.sh.
make_lock() {
  (umask 0177 && : >>"$lock") && chmod 0600 "$lock"
}

take_back() {
  rm -f "$jobs/$uid/$job"
  rmdir "$jobs/$uid" 2>/dev/null || [ ! -d "$jobs/$uid" ] || return 0 # another job of the user's
  for file in "$lent/$uid"/* "$lent/$uid"/.new; do
    # By the file, not only by its name: the user may have made other names for it.
    [ ! -f "$file" ] || setcap -r "$file" 2>/dev/null || { caps=$(getcap "$file") && [ -z "$caps" ]; } || return
  done
  rm -rf "${lent:?}/$uid"
}

uid=${SLURM_JOB_UID:-0} job=${SLURM_JOB_ID:-}
[ -n "$job" ] || exit 0
# Living guardians, those of other jobs, are left alone.
"$lib/fairlead-guardian" --clean >/dev/null || echo "fairlead: fairlead-guardian --clean failed after job $job" >&2
[ "$uid" -gt 0 ] || exit 0
make_lock && {
  flock -w "${FAIRLEAD_PATIENCE_S:-30}" 9 && take_back
} 9>"$lock" || echo "fairlead: user $uid may still have a guardian with its privilege in $lent" >&2
exit 0
