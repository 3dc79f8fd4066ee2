#!/usr/bin/env bash
# Runs a build with its output in a log, and shows how far it is, by ninja's "[done/all]": on one line of a terminal, else
# in a line every ten seconds. Where it fails, the log is shown from the first error on.
#   scripts/with-progress.sh WHO LOG COMMAND [ARGUMENT...]    WHO begins each line
set -uo pipefail
who=$1
log=$2
shift 2

say() { printf '%s: %s\n' "$who" "$*"; }

left() { # DONE ALL BEGAN: in words; empty where too little is done to tell
    local spent=$((SECONDS - $3)) left
    [ "$spent" -ge 5 ] && [ "$1" -ge 5 ] || return 0
    left=$((spent * ($2 - $1) / $1))
    if [ "$left" -ge 90 ]; then echo ", about $(((left + 30) / 60)) min left"; else echo ", about $((left / 10 * 10 + 10)) s left"; fi
}

show() { # follows the build's output
    local line began='' told=$SECONDS
    while IFS= read -r line; do
        [[ $line =~ ^\ *\[([0-9]+)/([0-9]+)\] ]] || continue
        : "${began:=$SECONDS}"
        if [ -t 1 ]; then
            printf '\r\033[K%s: [%*d/%d]%s' "$who" "${#BASH_REMATCH[2]}" "${BASH_REMATCH[@]:1}" "$(left "${BASH_REMATCH[@]:1}" "$began")"
        elif [ $((SECONDS - told)) -ge 10 ]; then
            told=$SECONDS
            say "[${BASH_REMATCH[1]}/${BASH_REMATCH[2]}]$(left "${BASH_REMATCH[@]:1}" "$began")"
        fi
    done
    if [ -t 1 ]; then printf '\r\033[K'; fi
}

"$@" 2>&1 | tee "$log" | show
code=${PIPESTATUS[0]}
[ "$code" = 0 ] && exit
{
    errors=$(grep -nE -m 1 'FAILED:|CMake Error' "$log" | cut -d : -f 1)
    if [ -n "$errors" ]; then tail -n "+$errors" "$log" | head -n 40; else tail -n 40 "$log"; fi
    say "the build failed; the whole output is in $log"
} >&2
exit "$code"
