// SPDX-License-Identifier: Apache-2.0
#include "pingpong/options.hpp"

#include "common/options.hpp"

namespace fairlead::pingpong {

namespace {

constexpr int kLargestMessage = 1 << 30;

}  // namespace

Options options_of(int argc, char** argv) {
    Options options;
    CLI::App app("Round trips and one-way bulk transfers between two ranks", "pingpong");
    app.add_option("--sizes", options.sizes_B, "message lengths in bytes")
        ->delimiter(',')
        ->check(CLI::Range(0, kLargestMessage))
        ->capture_default_str();
    app.add_option("--repetitions", options.exchanges, "round trips for each length")
        ->check(CLI::Range(1, 10'000'000))
        ->capture_default_str();
    app.add_option("--warmup", options.warmup, "unrecorded round trips before them")
        ->check(CLI::Range(0, 1'000'000))
        ->capture_default_str();
    app.add_option("--bulk", options.bulk_s, "seconds of messages from rank 0 to rank 1 (0: none)")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    app.add_option("--bulk-size", options.bulk_size_B, "length of these messages in bytes")
        ->check(CLI::Range(1, kLargestMessage))
        ->capture_default_str();
    app.add_option("--window", options.window, "number of these messages in flight")
        ->check(CLI::Range(1, 4096))
        ->capture_default_str();
    auto* rounds = app.add_option("--rounds", options.rounds, "number of repetitions of all this")
                       ->check(CLI::Range(1, 1'000'000))
                       ->capture_default_str();
    app.add_flag("--on-request", options.on_request,
                 "one round per line read from stdin, until its end, to alternate with other measurements")
        ->excludes(rounds);
    parse_options(app, argc, argv);
    return options;
}

}  // namespace fairlead::pingpong
