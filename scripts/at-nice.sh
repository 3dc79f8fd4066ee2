#!/usr/bin/env bash
# Runs a command in a session of its own, as if at no terminal, nicer than this one by a number: among processes, and among
# sessions. For scripts, which start it in the background: its process, $!, is the command's, and leads the group of all its
# processes. Ctrl-C does not reach them: the script hands it on.
#   scripts/at-nice.sh NICE COMMAND [ARGUMENT...]
if [ "${1-}" != --here ]; then
    # What a shell starts in the background ignores Ctrl-C, which the command shall not.
    exec setsid --wait env --default-signal=INT,QUIT "$0" --here "$@"
fi
nice=$2
shift 2
# Where the kernel shares processors among sessions (sched_autogroup_enabled), nice values count within each only, and the
# session has one, too. All users together may set it ten times a second.
if [ "$nice" != 0 ] && [ -w /proc/self/autogroup ]; then
    for _ in 1 2 3 4 5; do
        { echo "$nice" >/proc/self/autogroup; } 2>/dev/null && break
        sleep 0.2
    done
fi
exec nice -n "$nice" "$@"
