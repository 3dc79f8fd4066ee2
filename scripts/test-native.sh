#!/usr/bin/env bash
# C++ tests. Those that simulate or explore compute for long: they run without sanitizers, on the libraries that the set-up
# has built (`make verify` has them with sanitizers, too). All others run with sanitizers.
#   scripts/test-native.sh [STAGE...]    some of, by default all, in this order:
#     build        compiles them
#     computing    runs those that only compute
#     timed        runs the others: they wait, and look at times
#     again        runs once more what failed since the last build, each by itself; what fails again fails the stage
# A stage that cannot be gone on from ends it with 2; tests that fail do not, but for those of `again`.
set -uo pipefail
cd "$(dirname "$0")/.."
jobs=$(nproc)
sanitized=build/sanitize
plain=build/python
failures=build/test/native.failed # a line for each: directory, number, name
mkdir -p build/test

say() { printf 'test-native: %s\n' "$*"; }
fail() { printf 'test-native: %s\n' "$*" >&2; exit 2; }

compiled() { # DIRECTORY LOG TARGET OPTION...: configured and built
    local directory=$1 log=$2 target=$3
    shift 3
    # Several sources at once (unity) halve the time of the build.
    scripts/with-progress.sh test-native "$log" sh -c '
        directory=$1 target=$2 jobs=$3
        shift 3
        cmake -S . -B "$directory" -G Ninja -DCMAKE_UNITY_BUILD=ON "$@" &&
            cmake --build "$directory" --target "$target" -j "$jobs"' sh "$directory" "$target" "$jobs" "$@"
}

build() {
    rm -f "$failures"
    compiled "$plain" build/simulations.log fairlead_simulations -DCMAKE_BUILD_TYPE=Release -DFAIRLEAD_SIMULATIONS=ON ||
        exit 2
    compiled "$sanitized" build/sanitize.log fairlead_unit_tests -DCMAKE_BUILD_TYPE=Debug -DFAIRLEAD_TESTS=ON \
        -DFAIRLEAD_SANITIZE=ON -DFAIRLEAD_SIMULATIONS=OFF -DFAIRLEAD_MPI_PROGRAMS=OFF || exit 2
}

run() { # DIRECTORY ARGUMENT...: ctest there; what fails is shown, and kept for `again`
    local directory=$1 code log=build/test/ctest.log failed
    shift
    ctest --test-dir "$directory" --output-on-failure --no-tests=error "$@" 2>&1 | tee "$log" |
        grep -vE '^ *[0-9]+/[0-9]+ Test +#[0-9]+: .*(Passed|Skipped) +[0-9.]+ sec$|^ +Start +[0-9]+: |^$'
    code=${PIPESTATUS[0]}
    [ "$code" = 0 ] && return
    # "  12 - Suite.Name (Failed)"; a list of skipped ones comes before
    failed=$(sed -n '/^The following tests FAILED:/,$ s/^[[:space:]]*\([0-9][0-9]*\) - \(.*\) ([A-Z][^()]*)[^()]*$/\1 \2/p' "$log")
    [ -n "$failed" ] || fail "ctest failed in $directory, with $code"
    sed "s,^,$directory ," <<<"$failed" >>"$failures"
}

computing() {
    say "tests that only compute"
    # They may have little of the processors for long.
    run "$plain" --timeout 600 -j "$jobs"
    run "$sanitized" --timeout 600 -j "$jobs" -L computing
}

timed() {
    say "tests that wait"
    run "$sanitized" --timeout 120 -j $((2 * jobs)) -LE computing
}

again() {
    local directory number name steady=() unsteady=()
    [ -s "$failures" ] || return 0
    say "once more, by themselves: $(cut -d ' ' -f 3- "$failures" | paste -sd ' ')"
    while read -r directory number name; do
        if ctest --test-dir "$directory" --output-on-failure --timeout 600 -I "$number,$number" </dev/null; then
            unsteady+=("$name")
        else
            steady+=("$name")
        fi
    done <"$failures"
    [ ${#unsteady[@]} = 0 ] || say "failed at first and passed by themselves: ${unsteady[*]}"
    [ ${#steady[@]} = 0 ] || { say "failed: ${steady[*]}" >&2; return 1; }
}

[ $# -gt 0 ] || set -- build computing timed again
for stage; do
    case $stage in
        build | computing | timed | again) "$stage" || exit 1 ;;
        *) fail "no stage is called $stage; there are: build computing timed again" ;;
    esac
done
