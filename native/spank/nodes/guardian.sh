#!/bin/sh
# What the site file names as guardian where prolog.sh lends one: that of the user who calls.
guardian=${FAIRLEAD_LENT:-/var/lib/fairlead/guardians}/$(id -u)/fairlead-guardian
if [ ! -x "$guardian" ]; then
  lib=${FAIRLEAD_LIB:-/usr/local/libexec/fairlead}
  guardian=$lib/fairlead-guardian # root's own, or one that says that it lacks the privilege
fi
exec "$guardian" "$@"
