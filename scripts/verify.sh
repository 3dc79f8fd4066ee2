#!/usr/bin/env bash
# The long suites, in stages; each prints its figures. What fails is told again at the end, and the next stage follows.
#   verify.sh [STAGE...]   some of: thread simulation fuzz labs faults (default: all, in this order)
#   FUZZ_SECONDS           time for each fuzz target (default 60)
#   FAIRLEAD_SEED          first seed of the relay plane's random messages (default: twice the days since 1970)
#   DRAW                   seed by which a tenth of the tests marked drawn are drawn (default: the date; empty: all run)
set -uo pipefail
cd "$(dirname "$0")/.."
export FUZZ_SECONDS=${FUZZ_SECONDS:-60}
jobs=$(nproc)
DRAW=${DRAW-$(date -u +%F)}
# Random messages differ from day to day.
export FAIRLEAD_SEED=${FAIRLEAD_SEED:-$(($(date -u +%s) / 86400 * 2))}

say() { printf 'verify: %3d min: %s\n' $((SECONDS / 60)) "$*"; }

build() { # DIRECTORY "TARGET..." OPTIONS...
    local directory=$1 targets=$2
    shift 2
    mkdir -p build
    cmake -S . -B "$directory" -G Ninja -DFAIRLEAD_MPI_PROGRAMS=OFF -DCMAKE_BUILD_TYPE=RelWithDebInfo \
        -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O2 -g1 -DNDEBUG" -DCMAKE_UNITY_BUILD=ON "$@" >"$directory.log" &&
        cmake --build "$directory" --target $targets -j "$jobs" >>"$directory.log" && return
    tail -40 "$directory.log" >&2
    return 1
}

thread() {
    say "C++ unit tests under the thread sanitizer, of what has threads"
    build build/thread "agent_tests interpose_test" -DFAIRLEAD_TESTS=ON -DFAIRLEAD_THREAD_SANITIZE=ON &&
        ctest --test-dir build/thread/native/agent --output-on-failure -j "$jobs" --timeout 300 | tail -5 &&
        ctest --test-dir build/thread/native/interpose --output-on-failure -j "$jobs" --timeout 300 | tail -5
}

simulate() { # PROGRAM SHARD SHARDS
    local log
    log=build/$1.$2.log
    GTEST_SHARD_INDEX=$2 GTEST_TOTAL_SHARDS=$3 "$(find build/long -name "$1" -type f)" --gtest_brief=1 >"$log" 2>&1 ||
        { tail -60 "$log" >&2; return 1; }
    echo "$1, part $(($2 + 1)) of $3: $(tail -1 "$log")"
}
export -f simulate

simulation() {
    say "decisions: long simulated runs; relay plane: every order of steps, and millions of messages, seed $FAIRLEAD_SEED"
    local program shard shards=6
    for program in fairlead_core_simulation fairlead_relay_long; do
        build build/long "$program" -DFAIRLEAD_TESTS=ON || return
    done
    for program in fairlead_relay_long fairlead_core_simulation; do
        for ((shard = 0; shard < shards; shard++)); do echo "$program $shard $shards"; done
    done | FAIRLEAD_SIM_SECONDS=120 xargs -P "$jobs" -L 1 bash -c 'simulate "$@"' simulate || return
    say "simulations and explorations of make test, with address and undefined-behaviour sanitizers"
    build build/careful fairlead_simulations -DFAIRLEAD_SIMULATIONS=ON -DFAIRLEAD_SANITIZE=ON -DCMAKE_BUILD_TYPE=Debug &&
        ctest --test-dir build/careful --output-on-failure -j "$jobs" --timeout 600 | tail -15
}

fuzz_one() { # TARGET
    local corpus
    corpus=build/corpus/$(basename "$1")
    mkdir -p "$corpus"
    nice -n 19 "$1" -max_total_time="$FUZZ_SECONDS" -timeout=10 -rss_limit_mb=2048 -artifact_prefix=build/ \
        -print_final_stats=1 "$corpus" >"$corpus.log" 2>&1 || { tail -30 "$corpus.log" >&2; return 1; }
    echo "$(basename "$1"): $(sed -n 's/^stat::number_of_executed_units: */executions /p' "$corpus.log")"
}
export -f fuzz_one

long_tests_of() { # GROUP ARGUMENT... of pytest: makes them the array `tests`
    tests=(.venv/bin/python -m pytest -q -m "slow or by_turns" --timeout 1800 --durations=25
        ${DRAW:+--draw "$DRAW"} -o cache_dir="build/pytest/long-$1" "${@:2}")
}

# What failed is run once more when nothing is beside it, by itself: some tests measure times on a machine that others
# use. One that fails again fails the stage; one that passes then is named.
once_more() { # CODE GROUP ARGUMENT...: CODE is what the group ended with
    [ "$1" = 1 ] || return "$1"
    local names tests DRAW= # drawn already
    names=$(grep -o 'tests/[^"]*' "build/pytest/long-$2/v/cache/lastfailed")
    say "once more, by themselves: $(echo $names)"
    long_tests_of "${@:2}" --last-failed --last-failed-no-failures none
    "${tests[@]}" || return
    say "failed at first and passed by themselves: $(echo $names)"
}

fuzz() {
    say "fuzz targets, $FUZZ_SECONDS s each, beside the long unit tests and those of MPI, which often wait"
    rm -rf build/pytest/long-waiting
    local tests failed=0 beside code
    # Before the tests: beside ranks that spin while they wait the compiler would get little.
    build build/fuzz fairlead_fuzzers -DFAIRLEAD_FUZZ=ON -DCMAKE_CXX_COMPILER=clang++ || failed=1
    long_tests_of waiting -n 3 --dist worksteal tests/unit tests/mpi
    "${tests[@]}" >build/slow.log 2>&1 &
    beside=$!
    trap 'kill "$beside" 2>/dev/null' EXIT
    if [ "$failed" = 0 ]; then fuzz_all || failed=1; fi
    wait "$beside"
    code=$?
    trap - EXIT
    cat build/slow.log
    once_more "$code" waiting tests/unit tests/mpi || failed=1
    return "$failed"
}

fuzz_all() {
    local targets
    targets=$(find build/fuzz/native -type f -executable \( -name '*_fuzz' -o -name 'fuzz_*' -o -name '*_fuzz_*' \))
    [ -n "$targets" ] || { say "no fuzz target was built" >&2; return 1; }
    xargs -P "$jobs" -I TARGET bash -c 'fuzz_one TARGET' <<<"$targets"
}

labs() {
    say "long tests in labs and on this machine's kernel"
    # Labs mostly wait. A file's tests stay together, for they share a lab; files with few tests take no less long than
    # others, so they are not left for last. Those that measure rates, or fill the machine: alone.
    local alone=(tests/lab/{emulation/test_lab_bond,measure/test_measure_lab,run/test_equal_cost_lab,run/test_many_hosts}.py)
    local others=(--ignore tests/unit --ignore tests/mpi "${alone[@]/#/--ignore=}") tests failed=0
    rm -rf build/pytest/long-labs
    long_tests_of labs -n 3 --dist loadfile --no-loadscope-reorder "${others[@]}"
    "${tests[@]}"
    once_more "$?" labs "${others[@]}" || failed=1
    long_tests_of alone "${alone[@]}"
    "${tests[@]}" || failed=1
    return "$failed"
}

faults() {
    local seed
    seed=$(date -u +%F)
    if [ "$(id -u)" != 0 ]; then
        say "the fault matrix is left out: it needs root"
        return
    fi
    say "a tenth of the fault matrix, drawn by the seed $seed; it has the machine to itself, for it measures times"
    .venv/bin/python -m bench.faults --share 0.1 --seed "$seed" --results build/faults
}

[ $# -gt 0 ] || set -- thread simulation fuzz labs faults
for stage; do
    case $stage in
        thread | simulation | fuzz | labs | faults) ;;
        *)
            say "no stage is called $stage; there are: thread simulation fuzz labs faults" >&2
            exit 2
            ;;
    esac
done
{
    scripts/install-packages.sh scripts/packages.verify.txt &&
        scripts/install-packages.sh scripts/packages.slurm.txt &&
        scripts/install-packages.sh scripts/packages.lxc.txt &&
        scripts/install-mpi.sh scripts/mpi/verify/*.lock
} || exit
failed=()
for stage; do
    "$stage" || failed+=("$stage")
done
[ ${#failed[@]} = 0 ] || { say "failed: ${failed[*]}" >&2; exit 1; }
say "done"
