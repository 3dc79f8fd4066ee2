// SPDX-License-Identifier: Apache-2.0
#include "fairlead/sim/oracle.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <stdexcept>

namespace fairlead::sim {

namespace {

using core::HostId;
using core::kNoHost;

constexpr double kLeastGain = 1e-3;

double total_s(const Outcome& outcome) {
    double sum_s = 0.0;
    for (const ProgramOutcome& program : outcome.programs) sum_s += program.makespan_s;
    return sum_s;
}

bool meet(const Path& path, const Path& links) {
    return std::ranges::any_of(path, [&links](LinkId id) { return std::ranges::find(links, id) != links.end(); });
}

/// A pair of a program that congestion affects, and what it can do about it.
struct Affected {
    core::Pair pair;
    std::vector<HostId> paths;  ///< kNoHost first
    std::vector<Period> periods;
};

/// Sorted, and as one where they overlap or touch.
std::vector<Period> united(std::vector<Period> periods) {
    std::ranges::sort(periods, {}, &Period::start_s);
    std::vector<Period> result;
    for (const Period& period : periods) {
        if (!result.empty() && period.start_s <= result.back().stop_s) {
            result.back().stop_s = std::max(result.back().stop_s, period.stop_s);
        } else {
            result.push_back(period);
        }
    }
    return result;
}

/// Whether a period has anything in common with one of these, which are united.
bool overlap(const std::vector<Period>& periods, const Period& period) {
    const auto after = std::ranges::lower_bound(periods, period.stop_s, {}, &Period::start_s);
    return after != periods.begin() && std::prev(after)->stop_s > period.start_s;
}

/// What begins at `until_s` or later counts neither for a pair nor against a relay: a choice that gains anything has
/// ended by then.
std::vector<Affected> affected_pairs(const Scenario& scenario, const std::vector<core::Pair>& used, double until_s) {
    const Topology& topology = scenario.topology;
    std::vector<Path> links;  // by disturbance
    std::vector<std::vector<Period>> periods;
    for (const Disturbance& each : scenario.congestion) {
        links.push_back(affected(topology, each));
        periods.push_back(each.periods);
        std::erase_if(periods.back(), [until_s](const Period& period) { return period.start_s >= until_s; });
    }
    std::vector<Affected> found;
    for (const core::Pair pair : used) {
        Affected each{pair, {kNoHost}, {}};
        for (std::size_t i = 0; i < links.size(); ++i) {
            if (!meet(topology.path(pair.source, pair.destination), links[i])) continue;
            each.periods.insert(each.periods.end(), periods[i].begin(), periods[i].end());
        }
        each.periods = united(each.periods);
        Path busy;  // while the direct path is
        for (std::size_t i = 0; i < links.size(); ++i) {
            const bool meanwhile = std::ranges::any_of(
                periods[i], [&each](const Period& period) { return overlap(each.periods, period); });
            if (meanwhile) busy.insert(busy.end(), links[i].begin(), links[i].end());
        }
        for (HostId relay = 0; relay < topology.hosts(); ++relay) {
            if (relay == pair.source || relay == pair.destination) continue;
            if (meet(topology.path(pair.source, relay), busy) || meet(topology.path(relay, pair.destination), busy)) {
                continue;
            }
            each.paths.push_back(relay);
        }
        if (!each.periods.empty() && each.paths.size() > 1) found.push_back(std::move(each));
    }
    return found;
}

/// Which path each affected pair takes: 0 is the direct one.
using Assignment = std::vector<std::size_t>;

std::vector<RouteChange> routes_of(const Scenario& scenario, const std::vector<Affected>& pairs,
                                   const Assignment& assignment, bool switched) {
    std::vector<RouteChange> routes;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        if (assignment[i] == 0) continue;
        const auto [source, destination] = pairs[i].pair;
        const HostId relay = pairs[i].paths[assignment[i]];
        for (int program = 0; program < static_cast<int>(scenario.programs.size()); ++program) {
            if (!switched) {
                routes.push_back({-scenario.lead_s, program, source, destination, relay, {}});
                continue;
            }
            for (const Period& period : pairs[i].periods) {
                routes.push_back({period.start_s, program, source, destination, relay, {}});
                routes.push_back({period.stop_s, program, source, destination, kNoHost, {}});
            }
        }
    }
    return routes;
}

class Search {
  public:
    Search(const Scenario& plain, const std::vector<Affected>& pairs, bool switched, int budget)
        : scenario_(plain), pairs_(pairs), switched_(switched), budget_(budget) {}

    Choice best(double plain_s) {
        best_ = Assignment(pairs_.size(), 0);
        choice_.makespan_s = plain_s;
        double choices = 1.0;
        for (const Affected& each : pairs_) choices *= static_cast<double>(each.paths.size());
        choice_.exhaustive = choices <= budget_;
        if (choice_.exhaustive) {
            for (Assignment assignment = best_; next(assignment);) attempt(assignment);
        } else {
            attempt(spread());
            while (improve_each()) {
            }
        }
        choice_.routes = routes_of(scenario_, pairs_, best_, switched_);
        return choice_;
    }

  private:
    /// The next of all choices; false after the last.
    bool next(Assignment& assignment) const {
        for (std::size_t i = 0; i < assignment.size(); ++i) {
            if (++assignment[i] < pairs_[i].paths.size()) return true;
            assignment[i] = 0;
        }
        return false;
    }

    /// All away, one pair over one relay and the next over another: what gains only together is found from there.
    Assignment spread() const {
        Assignment assignment;
        for (std::size_t i = 0; i < pairs_.size(); ++i) assignment.push_back(1 + i % (pairs_[i].paths.size() - 1));
        return assignment;
    }

    bool improve_each() {
        bool improved = false;
        for (std::size_t i = 0; i < pairs_.size(); ++i) {
            for (std::size_t path = 0; path < pairs_[i].paths.size(); ++path) {
                if (choice_.tried >= budget_) return false;
                if (path == best_[i]) continue;
                Assignment assignment = best_;
                assignment[i] = path;
                improved = attempt(assignment) || improved;
            }
        }
        return improved;
    }

    bool attempt(const Assignment& assignment) {
        ++choice_.tried;
        Scenario tried = scenario_;
        tried.limit_s = std::min(tried.limit_s, choice_.makespan_s);  // what takes longer need not be run to its end
        const auto routes = routes_of(scenario_, pairs_, assignment, switched_);
        tried.routes.insert(tried.routes.end(), routes.begin(), routes.end());
        try {
            const double makespan_s = total_s(run(tried));
            if (makespan_s >= choice_.makespan_s) return false;
            choice_.makespan_s = makespan_s;
        } catch (const LimitError&) {  // no better, or too bad to end at all
            return false;
        }
        best_ = assignment;
        return true;
    }

    const Scenario& scenario_;
    const std::vector<Affected>& pairs_;
    bool switched_;
    int budget_;
    Assignment best_;
    Choice choice_;
};

}  // namespace

std::optional<double> Comparison::share() const {
    const double gain_s = plain_s - oracle.makespan_s;
    if (gain_s < kLeastGain * plain_s) return std::nullopt;
    return (plain_s - managed_s) / gain_s;
}

Comparison compare(const Scenario& scenario, int budget) {
    if (scenario.simulation.load_balancing.kind != LoadBalancing::none) {
        throw std::invalid_argument("the oracle needs to know each pair's path: leave 'load_balancing' out");
    }
    Comparison result;
    Scenario managed = scenario;
    managed.managed = true;
    const Outcome by_agents = run(managed);
    result.managed_s = total_s(by_agents);
    Scenario plain = scenario;
    plain.managed = false;
    Scenario clean = plain;
    clean.congestion.clear();
    result.clean_s = total_s(run(clean));
    const Outcome congested = run(plain);
    result.plain_s = total_s(congested);
    const std::vector<Affected> pairs = affected_pairs(plain, congested.used, result.plain_s);
    result.fixed = Search(plain, pairs, false, budget).best(result.plain_s);
    result.oracle = Search(plain, pairs, true, budget).best(result.plain_s);
    if (result.fixed.makespan_s < result.oracle.makespan_s) {
        const int tried = result.oracle.tried;
        result.oracle = result.fixed;
        result.oracle.tried = tried;
    }
    if (result.managed_s < result.oracle.makespan_s) {  // agents may do what is not searched for
        result.oracle.makespan_s = result.managed_s;
        result.oracle.routes = by_agents.changes;
    }
    return result;
}

}  // namespace fairlead::sim
