// SPDX-License-Identifier: Apache-2.0
// Takes every order of the steps of a small program, its library and its network. Each state is visited once (by its
// hash); what is left are the outcomes: what each thread received, or that nothing could go on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "digest.hpp"
#include "plain.hpp"
#include "program.hpp"

namespace fairlead::relay::explore {

struct Outcome {
    /// "ends", "is stuck", or what was thrown.
    std::string how;
    /// By process and thread: the labels received or probed, kCancelled, and for wait_any the slot before it.
    std::vector<std::vector<Label>> seen;
    friend auto operator<=>(const Outcome&, const Outcome&) = default;
};
inline constexpr Label kCancelled = -2;
std::string describe(const Outcome& outcome);

struct Exploration {
    std::map<Outcome, std::vector<std::string>> outcomes;  ///< with the steps that led to each first
    std::size_t states = 0;
    std::size_t longest = 0;  ///< steps
};

template <typename Library>
class Explorer {
  public:
    Explorer(const Program& program, Library library, std::size_t most_states)
        : program_(program), most_states_(most_states) {
        State start{std::move(library), {}};
        for (const auto& process : program.processes) start.threads.emplace_back(process.size());
        push(std::move(start));
    }

    /// Ends early when `enough` says so of an outcome. Throws std::length_error when there are more states than
    /// allowed: half an exploration proves nothing.
    Exploration run(const std::function<bool(const Outcome&)>& enough) {
        enough_ = enough;
        while (!path_.empty() && !stopped_) {
            Node& node = path_.back();
            if (node.next == node.moves.size()) {
                path_.pop_back();
                continue;
            }
            const Move move = node.moves[node.next++];
            State state = node.next == node.moves.size() ? std::move(node.state) : node.state;
            steps_.resize(path_.size() - 1);
            steps_.push_back(move);
            try {
                take(state, move);
            } catch (const std::exception& error) {
                note({error.what(), seen(state)});
                continue;
            }
            push(std::move(state));
        }
        return std::move(result_);
    }

  private:
    struct ThreadState {
        std::size_t at = 0;
        bool called = false;  ///< the call at `at` is begun and not over
        int handle = 0;
        std::map<int, std::pair<int, bool>> slots;  ///< request or message, and whether it is a receive
        std::vector<Label> seen;
        auto fields() const { return std::tie(at, called, handle, slots, seen); }
    };
    struct State {
        Library library;
        std::vector<std::vector<ThreadState>> threads;
        auto fields() const { return std::tie(library, threads); }
    };
    struct Move {
        std::optional<Action> action;  ///< else a thread goes on
        Process process = 0;
        std::size_t thread = 0;
        int choice = 0;
    };
    struct Node {
        State state;
        std::vector<Move> moves;
        std::size_t next = 0;
    };

    const Step* step_of(const State& state, Process process, std::size_t thread) const {
        const Thread& steps = program_.processes[process][thread];
        const std::size_t at = state.threads[process][thread].at;
        return at < steps.size() ? &steps[at] : nullptr;
    }

    void push(State state) {
        Digest digest;
        digest.add(state);
        if (!visited_.insert(digest.hash()).second) return;
        if (++result_.states > most_states_) throw std::length_error(program_.name + ": too many states");
        result_.longest = std::max(result_.longest, steps_.size());
        std::vector<Move> moves = moves_of(state);
        if (moves.empty()) return note({ending_of(state), seen(state)});
        path_.push_back({std::move(state), std::move(moves), 0});
    }

    std::vector<Move> moves_of(const State& state) const {
        std::vector<Move> moves;
        for (Process process = 0; process < state.threads.size(); ++process) {
            for (std::size_t thread = 0; thread < state.threads[process].size(); ++thread) {
                const int choices = choices_of(state, process, thread);
                for (int choice = 0; choice < choices; ++choice) moves.push_back({{}, process, thread, choice});
            }
        }
        for (const Action& action : state.library.actions()) moves.push_back({action, action.at, 0, 0});
        return moves;
    }

    /// In how many ways the thread can go on now.
    int choices_of(const State& state, Process process, std::size_t thread) const {
        const Step* step = step_of(state, process, thread);
        if (step == nullptr) return 0;
        const ThreadState& self = state.threads[process][thread];
        const Library& library = state.library;
        if (self.called) return call_is_over(state, process, *step, self) ? 1 : 0;
        switch (step->call) {
            case Call::send:
                return library.ways_to_send(process, *step);
            case Call::wait_any:
                return static_cast<int>(ready_slots(library, process, *step, self).size());
            case Call::probe:
                return library.probe(process, *step) ? 1 : 0;
            case Call::matched_probe:
                return library.can_extract(process, *step) ? 1 : 0;
            default:
                return 1;
        }
    }

    static bool call_is_over(const State& state, Process process, const Step& step, const ThreadState& self) {
        if (step.call == Call::barrier) return state.library.passed_barrier(process);
        const bool returned = state.library.returned(process, self.handle);
        if (step.call == Call::send && !step.blocking) return returned;
        return returned && state.library.done(process, self.handle);
    }

    static std::vector<int> ready_slots(const Library& library, Process process, const Step& step,
                                        const ThreadState& self) {
        std::vector<int> ready;
        for (const int slot : step.slots) {
            const auto entry = self.slots.find(slot);
            if (entry != self.slots.end() && library.done(process, entry->second.first)) ready.push_back(slot);
        }
        return ready;
    }

    void take(State& state, const Move& move) {
        if (move.action) return state.library.act(*move.action);
        const Step& step = *step_of(state, move.process, move.thread);
        ThreadState& self = state.threads[move.process][move.thread];
        if (self.called) {
            end_call(state.library, move.process, step, self);
        } else {
            begin_call(state.library, move, step, self);
        }
    }

    void begin_call(Library& library, const Move& move, const Step& step, ThreadState& self) {
        const Process process = move.process;
        const auto label = static_cast<Label>(1000 * process + 100 * move.thread + self.at);
        self.called = true;
        switch (step.call) {
            case Call::send:
                self.handle = library.send(process, step, label, move.choice);
                break;
            case Call::receive:
                self.handle = library.receive(process, step);
                if (!step.blocking) keep(self, step.slot, true);
                break;
            case Call::matched_receive:
                self.handle = library.receive_extracted(process, step, self.slots.at(step.slot).first);
                self.slots.erase(step.slot);
                break;
            case Call::wait:
                // A slot emptied by a cancellation is MPI_REQUEST_NULL.
                if (!self.slots.contains(step.slot)) return over(self);
                self.handle = self.slots.at(step.slot).first;
                break;
            case Call::wait_any: {
                const int slot = ready_slots(library, process, step, self)[static_cast<std::size_t>(move.choice)];
                self.seen.push_back(slot);
                end_request(library, process, self, slot);
                return over(self);
            }
            case Call::probe:
                self.seen.push_back(library.probe(process, step).value());
                return over(self);
            case Call::matched_probe:
                self.handle = library.extract(process, step);
                return keep(self, step.slot, true);
            case Call::cancel:
                if (library.cancel(process, self.slots.at(step.slot).first)) {
                    self.slots.erase(step.slot);
                    self.seen.push_back(kCancelled);
                }
                return over(self);
            case Call::barrier:
                library.enter_barrier(process);
                break;
        }
        if (self.called) library.block(process, step.call == Call::barrier ? std::nullopt : std::optional(self.handle));
    }

    void end_call(Library& library, Process process, const Step& step, ThreadState& self) {
        library.unblock(process);
        if (step.call == Call::send) {
            if (!step.blocking) return keep(self, step.slot, false);
            library.take_send(process, self.handle);
        } else if (step.call == Call::wait) {
            end_request(library, process, self, step.slot);
        } else if (step.call != Call::barrier) {
            self.seen.push_back(library.take(process, self.handle));
        }
        over(self);
    }

    static void end_request(Library& library, Process process, ThreadState& self, int slot) {
        const auto [handle, is_receive] = self.slots.at(slot);
        if (is_receive) {
            self.seen.push_back(library.take(process, handle));
        } else {
            library.take_send(process, handle);
        }
        self.slots.erase(slot);
    }

    static void keep(ThreadState& self, int slot, bool is_receive) {
        self.slots[slot] = {self.handle, is_receive};
        over(self);
    }

    static void over(ThreadState& self) {
        self.called = false;
        self.handle = 0;
        ++self.at;
    }

    std::string ending_of(const State& state) const {
        if (!finished(state)) return "is stuck";
        return state.library.drained() ? "ends" : "ends, with frames that nobody has";
    }

    bool finished(const State& state) const {
        for (Process process = 0; process < state.threads.size(); ++process) {
            for (std::size_t thread = 0; thread < state.threads[process].size(); ++thread) {
                if (step_of(state, process, thread) != nullptr) return false;
            }
        }
        return true;
    }

    static std::vector<std::vector<Label>> seen(const State& state) {
        std::vector<std::vector<Label>> all;
        for (const auto& process : state.threads) {
            for (const ThreadState& thread : process) all.push_back(thread.seen);
        }
        return all;
    }

    void note(Outcome outcome) {
        if (result_.outcomes.contains(outcome)) return;
        std::vector<std::string> steps;
        for (const Move& move : steps_) {
            steps.push_back(move.action
                                ? describe(*move.action)
                                : "process " + std::to_string(move.process) + ": goes on (thread " +
                                      std::to_string(move.thread) + ", way " + std::to_string(move.choice) + ")");
        }
        stopped_ = enough_(outcome);
        result_.outcomes.emplace(std::move(outcome), std::move(steps));
    }

    struct Hash {
        std::size_t operator()(const std::pair<std::uint64_t, std::uint64_t>& key) const { return key.first; }
    };

    Program program_;
    std::size_t most_states_;
    std::vector<Node> path_;
    std::vector<Move> steps_;
    std::unordered_set<std::pair<std::uint64_t, std::uint64_t>, Hash> visited_;
    std::function<bool(const Outcome&)> enough_;
    bool stopped_ = false;
    Exploration result_;
};

}  // namespace fairlead::relay::explore
