// SPDX-License-Identifier: Apache-2.0
// Strict: whatever a line says too much, too little or wrongly is an error that names it.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <istream>
#include <set>
#include <span>

#include "fairlead/sim/trace.hpp"

namespace fairlead::sim {

namespace {

constexpr int kMaxTag = 0x7fffffff;
constexpr std::uint32_t kMaxCommunicator = 0xffffffff;
constexpr std::size_t kMaxLine_B = 1 << 16;

/// The parts one after the other.
template <typename... Parts>
std::string joined(const Parts&... parts) {
    std::string text;
    (text.append(std::string_view(parts)), ...);
    return text;
}

std::vector<std::string_view> words_of(std::string_view line) {
    line = line.substr(0, line.find('#'));
    std::vector<std::string_view> words;
    while (true) {
        const std::size_t begin = line.find_first_not_of(" \t\r");
        if (begin == std::string_view::npos) return words;
        const std::size_t end = std::min(line.find_first_of(" \t\r", begin), line.size());
        words.push_back(line.substr(begin, end - begin));
        line.remove_prefix(end);
    }
}

class Reader {
  public:
    Reader(std::istream& in, const std::string& file) : in_(in), file_(file) {}

    Trace read() {
        head("fairlead-trace", 1, 1);
        const int ranks = static_cast<int>(head("ranks", 1, kMaxRanks));
        Trace trace(ranks);
        open_.resize(trace.events.size());
        while (next_line()) event(trace);
        for (std::size_t rank = 0; rank < open_.size(); ++rank) {
            if (open_[rank].empty()) continue;
            fail(joined("rank ", std::to_string(rank), " never waits for its request ",
                        std::to_string(*open_[rank].begin())));
        }
        return trace;
    }

  private:
    /// The next line that says something, in words_.
    bool next_line() {
        while (std::getline(in_, text_)) {
            ++line_;
            if (text_.size() > kMaxLine_B)
                fail(joined("a line of more than ", std::to_string(kMaxLine_B), " characters"));
            words_ = words_of(text_);
            if (!words_.empty()) return true;
        }
        if (in_.bad()) fail("cannot be read any further");
        return false;
    }

    [[noreturn]] void fail(const std::string& what) const { throw TraceError(file_, line_, what); }

    std::uint64_t head(std::string_view word, std::uint64_t min, std::uint64_t max) {
        if (!next_line() || words_[0] != word) fail(joined("expected '", word, " NUMBER'"));
        take(1, joined("'", word, " NUMBER'"));
        return whole(words_[1], word, min, max);
    }

    /// Whether the line has so many words behind its first, or behind rank and first.
    void take(std::size_t count, const std::string& form, std::size_t before = 1) const {
        if (words_.size() != before + count) fail(joined("expected ", form));
    }

    std::uint64_t whole(std::string_view word, std::string_view what, std::uint64_t min, std::uint64_t max) const {
        std::uint64_t value = 0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (error != std::errc() || end != word.data() + word.size() || value < min || value > max) {
            fail(joined(what, " must be a whole number from ", std::to_string(min), " to ", std::to_string(max),
                        ", not '", word, "'"));
        }
        return value;
    }

    double seconds(std::string_view word) const {
        double value = 0.0;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (error != std::errc() || end != word.data() + word.size() || !(value >= 0.0 && value <= kMaxCompute_s)) {
            fail(joined("a duration must be seconds from 0 to 1000000, not '", word, "'"));
        }
        return value;
    }

    int rank_of(const Trace& trace, std::string_view word, std::string_view what) const {
        return static_cast<int>(whole(word, what, 0, static_cast<std::uint64_t>(trace.ranks() - 1)));
    }

    int or_any(std::string_view word, bool permitted, int value_otherwise) const {
        if (word != "any") return value_otherwise;
        if (!permitted) fail("only a receive may name 'any'");
        return kAny;
    }

    CommunicatorId communicator(const Trace& trace, std::string_view word, std::initializer_list<int> members) const {
        const auto id = static_cast<CommunicatorId>(whole(word, "a communicator", 0, kMaxCommunicator));
        const auto found = trace.communicators.find(id);
        if (found == trace.communicators.end()) fail(joined("communicator ", std::to_string(id), " was not declared"));
        for (const int member : members) {
            if (member == kAny) continue;
            if (std::find(found->second.begin(), found->second.end(), member) == found->second.end()) {
                fail(joined("rank ", std::to_string(member), " is not in communicator ", std::to_string(id)));
            }
        }
        return id;
    }

    void declare(Trace& trace) {
        if (words_.size() < 3) fail("expected 'communicator NUMBER RANK ...'");
        const auto id = static_cast<CommunicatorId>(whole(words_[1], "a communicator", 1, kMaxCommunicator));
        std::vector<int> members;
        std::set<int> seen;
        for (const std::string_view word : std::span(words_).subspan(2)) {
            members.push_back(rank_of(trace, word, "a member"));
            if (!seen.insert(members.back()).second) fail(joined("rank ", word, " is a member twice"));
        }
        if (!trace.communicators.emplace(id, std::move(members)).second) {
            fail(joined("communicator ", std::to_string(id), " was declared before"));
        }
    }

    void event(Trace& trace) {
        if (words_[0] == "communicator") return declare(trace);
        const int rank = rank_of(trace, words_[0], "a rank");
        if (words_.size() < 2) fail(joined("rank ", words_[0], " has no operation"));
        trace.events[static_cast<std::size_t>(rank)].push_back({operation(trace, rank), line_});
    }

    Operation operation(const Trace& trace, int rank) {
        const std::string_view word = words_[1];
        if (word == "compute") {
            take(1, "'RANK compute DURATION_S'", 2);
            return Compute{seconds(words_[2])};
        }
        if (word == "send" || word == "isend") return Send{transfer(trace, rank, false)};
        if (word == "recv" || word == "irecv") return Receive{transfer(trace, rank, true)};
        if (word == "wait" || word == "waitall") return wait(rank);
        const std::optional<CollectiveKind> kind = collective_kind(word);
        if (!kind) fail(joined("unknown operation '", word, "'"));
        return collective(trace, rank, *kind);
    }

    Transfer transfer(const Trace& trace, int rank, bool receives) {
        const bool blocks = words_[1][0] != 'i';
        take(blocks ? 4 : 5, joined("'RANK ", words_[1], " PEER SIZE_B TAG COMMUNICATOR", blocks ? "'" : " REQUEST'"),
             2);
        Transfer found;
        found.peer = or_any(words_[2], receives, words_[2] == "any" ? 0 : rank_of(trace, words_[2], "a peer"));
        found.size_B = whole(words_[3], "a size in bytes", 0, kMaxSize_B);
        found.tag = or_any(words_[4], receives,
                           words_[4] == "any" ? 0 : static_cast<int>(whole(words_[4], "a tag", 0, kMaxTag)));
        found.communicator = communicator(trace, words_[5], {rank, found.peer});
        if (!blocks) {
            found.request = static_cast<int>(whole(words_[6], "a request", 0, kMaxTag));
            if (!open_[static_cast<std::size_t>(rank)].insert(*found.request).second) {
                fail(joined("request ", words_[6], " of rank ", words_[0], " is open already"));
            }
        }
        return found;
    }

    Wait wait(int rank) {
        std::set<int>& open = open_[static_cast<std::size_t>(rank)];
        if (words_[1] == "waitall") {
            take(0, "'RANK waitall'", 2);
            open.clear();
            return Wait{};
        }
        take(1, "'RANK wait REQUEST'", 2);
        const int request = static_cast<int>(whole(words_[2], "a request", 0, kMaxTag));
        if (open.erase(request) == 0) {
            fail(joined("rank ", words_[0], " has no open request ", std::to_string(request)));
        }
        return Wait{request};
    }

    Collective collective(const Trace& trace, int rank, CollectiveKind kind) const {
        const bool sized = kind != CollectiveKind::barrier;
        const std::string form =
            joined("'RANK ", words_[1], sized ? " SIZE_B" : "", " COMMUNICATOR", has_root(kind) ? " ROOT'" : "'");
        take(1 + sized + has_root(kind), form, 2);
        Collective found;
        found.kind = kind;
        if (sized) found.size_B = whole(words_[2], "a size in bytes", 0, kMaxSize_B);
        if (has_root(kind)) found.root = rank_of(trace, words_[4], "a root");
        const int other = has_root(kind) ? found.root : rank;
        found.communicator = communicator(trace, words_[sized ? 3 : 2], {rank, other});
        return found;
    }

    std::istream& in_;
    const std::string& file_;
    std::string text_;
    std::vector<std::string_view> words_;  ///< of text_
    std::uint32_t line_ = 0;
    std::vector<std::set<int>> open_;  ///< requests, by rank
};

}  // namespace

Trace read_trace(std::istream& in, const std::string& file) {
    return Reader(in, file).read();
}

}  // namespace fairlead::sim
