#!/usr/bin/env bash
# Tests: C++, Python, labs and this machine's kernel, side by side. What fails is run once more when all others are through,
# by itself: some tests measure times on a machine that others use. One that fails again fails the run; one that passes then
# is named.
#   scripts/test.sh [GROUP...]    some of (default: all)
#     kernel    labs and this machine's kernel: they mostly wait, and look at times, so they come first
#     unit      Python: what labs leave of the processors
#     mpi       MPI programs, after the two: ranks that wait for each other spin, and take longer beside others
#     native    C++: what all others leave of the processors; those that look at times in the end
#   TURN          the number by which one case is chosen of each test marked by_turns (default: days since 1970; empty: all)
set -uo pipefail
cd "$(dirname "$0")/.."
logs=build/test
marks="not slow and not uml and not vm and not libvirt and not openstack and not wheel and not deb"
TURN=${TURN-$(($(date -u +%s) / 86400))}
# Of labs, a file's tests stay together, for they share one.
declare -A workers=([unit]=$(nproc) [mpi]=2 [kernel]=3) order=([unit]=worksteal [mpi]=worksteal [kernel]=loadfile)
declare -A running=() code=() # by group: its process, which leads a group of processes; what it ended with
ticker=
failed=0
unsteady=()

say() { printf 'make test: %d min: %s\n' $((SECONDS / 60)) "$*"; }

to_all() { # SIGNAL
    local leader
    for leader in "${running[@]}"; do
        kill -s "$1" -- "-$leader" 2>/dev/null || kill -s "$1" "$leader" 2>/dev/null
    done
}

end() { # CODE: ends what runs as Ctrl-C does, and waits until it has tidied up; a second time at once
    trap 'to_all KILL' INT TERM HUP
    say "ending what runs"
    [ -z "$ticker" ] || kill "$ticker"
    to_all INT
    wait
    running=()
    exit "$1"
}
trap 'end 130' INT
trap 'end 143' TERM
trap 'end 129' HUP
trap 'to_all TERM' EXIT

start() { # GROUP NICE COMMAND...: beside what else runs; its output in a log
    scripts/at-nice.sh "${@:2}" >"$logs/$1.log" 2>&1 </dev/null &
    running[$1]=$!
}

here() { # COMMAND...: by itself, with its output here
    scripts/at-nice.sh 0 "$@" </dev/null &
    running[here]=$!
    wait "${running[here]}"
    local ended=$?
    unset 'running[here]'
    return "$ended"
}

tests_of() { # GROUP ARGUMENT...: makes them the array `tests`
    tests=(.venv/bin/python -m pytest -q -m "$marks" --durations=15 -o cache_dir="build/pytest/$1"
        ${TURN:+--turn "$TURN"} "${@:2}")
    case $1 in
        unit | mpi) tests+=("tests/$1") ;;
        kernel) tests+=(--ignore tests/unit --ignore tests/mpi) ;;
    esac
}

start_tests() { # GROUP NICE
    local tests
    tests_of "$1" -n "${workers[$1]}" --dist "${order[$1]}"
    start "$1" "$2" "${tests[@]}"
}

state() { # GROUP: how far it is
    if [ "$1" = native ]; then
        tail -n 1 "$logs/$1.log" | sed 's/^test-native: //' | cut -c -60
    else
        grep -aoE '\[ *[0-9]+%\]$' "$logs/$1.log" | tail -n 1
    fi
}

tell() { # GROUP...: every half a minute, how far they are
    local never group line
    exec {never}<> <(:) # nobody writes there
    while :; do
        read -r -t 30 -u "$never"
        line=
        for group; do line+="${line:+, }$group $(state "$group")"; done
        say "$line"
    done
}

finish() { # GROUP...: waits for those of them that run, and shows what their logs say besides how far they were
    local group any=
    for group; do any+=${running[$group]-}; done
    [ -n "$any" ] || return 0
    tell "${!running[@]}" &
    ticker=$!
    for group; do
        [ -n "${running[$group]-}" ] || continue
        wait "${running[$group]}"
        code[$group]=$?
        unset "running[$group]"
        say "$group: ended with ${code[$group]}; the whole output is in $logs/$group.log"
        grep -avE '^[.sxXFE]+ *\[ *[0-9]+%\]$|^bringing up nodes|^test-native: \[|^$' "$logs/$group.log"
    done
    kill "$ticker"
    wait "$ticker" 2>/dev/null
    ticker=
}

once_more() { # GROUP: of Python tests, those that failed
    local names tests
    case ${code[$1]} in
        0) return ;;
        1) ;;
        *) # interrupted, or nothing to run: no test has failed
            failed=${code[$1]}
            return ;;
    esac
    names=$(grep -o 'tests/[^"]*' "build/pytest/$1/v/cache/lastfailed")
    # shellcheck disable=SC2086  # a list of words
    say "once more, by themselves:" $names
    tests_of "$1" --last-failed --last-failed-no-failures none
    # shellcheck disable=SC2206
    if here "${tests[@]}"; then unsteady+=($names); else failed=1; fi
}

[ $# -gt 0 ] || set -- kernel unit mpi native
wanted=" $* "
for group; do
    case $group in
        kernel | unit | mpi | native) ;;
        *)
            echo "test.sh: no group is called $group; there are: kernel unit mpi native" >&2
            exit 2 ;;
    esac
done
of_those() { [[ $wanted = *" $1 "* ]]; } # GROUP: whether it is wanted

rm -rf build/pytest "$logs"
mkdir -p "$logs"
say "groups: $*; logs in $logs"
if of_those native; then start native 19 scripts/test-native.sh build computing; fi
if of_those kernel; then start_tests kernel 0; fi
if of_those unit; then start_tests unit 10; fi
finish kernel unit
if of_those mpi; then
    start_tests mpi 0
    finish mpi
fi
if of_those native; then
    finish native
    if [ "${code[native]}" = 0 ]; then
        here scripts/test-native.sh timed || failed=1
    else
        failed=1
    fi
fi
for group in kernel unit mpi; do
    if of_those "$group"; then once_more "$group"; fi
done
if of_those native && [ "${code[native]}" = 0 ]; then here scripts/test-native.sh again || failed=1; fi
[ ${#unsteady[@]} = 0 ] || say "failed at first and passed by themselves: ${unsteady[*]}"
times >"$logs/times" # in a file: a subshell has times of its own
say "processors worked for $(tail -n 1 "$logs/times") (user, system)"
if [ "$failed" = 0 ]; then say "all passed"; else say "failed" >&2; fi
exit "$failed"
