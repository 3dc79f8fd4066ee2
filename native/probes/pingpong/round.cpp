// SPDX-License-Identifier: Apache-2.0
#include "pingpong/round.hpp"

#include "common/result.hpp"

namespace fairlead::pingpong {

void write_round(const Options& options, const Round& round) {
    using nlohmann::ordered_json;
    ordered_json line = {{"program", "pingpong"}, {"round", round.number}, {"results", ordered_json::array()}};
    for (const RoundTrips& trips : round.round_trips) {
        line["results"].push_back({{"size_B", trips.size_B}, {"round_trip_s", trips.samples_s}});
    }
    line["bulk"] = nullptr;
    if (round.bulk) {
        const Bulk& bulk = *round.bulk;
        line["bulk"] = {{"size_B", options.bulk_size_B}, {"window", options.window},    {"bytes", bulk.bytes},
                        {"duration_s", bulk.duration_s}, {"rate_bps", bulk.rate_bps()}, {"window_s", bulk.window_s}};
    }
    write_result(line, "");
}

}  // namespace fairlead::pingpong
