// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace fairlead::benchmark {

// Two ranks that measure together; the first one holds the clock.
struct Pair {
    int first = 0;
    int second = 0;
};

// When a timed loop ends: at `most` samples, or after `limit_s` once there are `least`.
struct Stop {
    int least = 1;
    int most = 1;
    double limit_s = 0.0;
};

enum class Collective { kNone, kAllreduce, kAlltoall, kBcast, kScatter, kGather, kAllgather, kReduceScatter };

enum class VictimTest { kLatency, kBandwidth, kAllreduce };
enum class Congestion { kAlltoall, kIncast, kBcast };
struct Congestor {
    Congestion kind = Congestion::kAlltoall;
    std::vector<int> ranks;
};
enum class Kind { kPairs, kCollective, kImpact };

// One block of samples: what rank 0 reads from a line of stdin. It is of pairs of ranks, of a collective operation
// among the first `ranks` ranks, or of victims that measure beside congestors.
struct Request {
    Kind kind = Kind::kPairs;
    std::vector<Pair> pairs;  // measured at the same time, no rank twice
    Collective collective = Collective::kNone;
    int ranks = 0;
    bool agreed = false;       // calls begin at agreed moments, not after barriers
    std::vector<int> victims;  // in the order of their ring
    VictimTest victim = VictimTest::kLatency;
    std::vector<Congestor> congestors;  // all at once; none: the victims are alone
    int congestor_size_B = 0;
    int exchanges_before = 0;  // of the victims, beside the congestors, before the first sample
    int size_B = 0;
    Stop stop;
    int warmup = 0;        // transfers before the first sample
    int window = 1;        // messages under way together
    bool both = false;     // both directions at once
    bool one_way = false;  // round trips have the time there by the clocks, too
    // Bursts: before each train of round trips a pause, `stop.most` times for each of the pauses.
    std::vector<double> pauses_s;
    int train = 1;
    bool asleep = false;      // the pause is slept, not spent in a busy loop
    bool both_pause = false;  // the second rank pauses, too

    // The ranks that take part, and those of them that have samples, in the order of the answer's rows.
    std::vector<int> taking_part() const;
    std::vector<int> reporting() const;
};

// The request that a line of JSON describes, for example
// {"pairs":[[0,1]],"size_B":64,"least":1,"most":100,"limit_s":0.1,"warmup":5,
// "window":64,"both":false,"one_way":true,"pauses_s":[1,0],"train":100,"asleep":false,"both_pause":true}; all but
// `pairs` and `size_B` may be left away. In place of `pairs` there may be "collective":"allreduce", "ranks":8,
// "agreed":true, or "victims":[0,3], "victim":"latency", "congestors":[{"kind":"incast","ranks":[1,2]}],
// "congestor_size_B":4096, "exchanges_before":5. Throws std::invalid_argument that names the key which is missing or
// wrong.
Request parse_request(const std::string& line, int ranks);

}  // namespace fairlead::benchmark
