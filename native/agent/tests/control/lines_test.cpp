// SPDX-License-Identifier: Apache-2.0
// Lines in, lines out, and the loop between them.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "control/line_reader.hpp"
#include "control/output.hpp"
#include "peers/rejections.hpp"
#include "process/clock.hpp"
#include "process/event_loop.hpp"

namespace fairlead::agent {
namespace {

void feed(LineReader& reader, std::string_view text) {
    reader.feed(std::span(text.data(), text.size()));
}

std::string next(LineReader& reader) {
    const auto line = reader.next();
    return line ? std::string(line->begin(), line->end()) : "(none)";
}

TEST(LineReader, CutsWhereverTheBytesWereSplit) {
    LineReader reader;
    feed(reader, "on");
    EXPECT_EQ(next(reader), "(none)");
    feed(reader, "e\ntwo\n\nthr");
    EXPECT_EQ(next(reader), "one");
    EXPECT_EQ(next(reader), "two");
    EXPECT_EQ(next(reader), "");
    EXPECT_EQ(next(reader), "(none)");
    feed(reader, "ee\n");
    EXPECT_EQ(next(reader), "three");
}

TEST(LineReader, EndlessLineIsRefused) {
    LineReader reader;
    const std::string part(1024 * 1024, 'x');
    EXPECT_THROW(
        {
            for (int i = 0; i < 40; ++i) feed(reader, part);
        },
        std::length_error);
}

class Pipe {
  public:
    Pipe() {
        std::array<int, 2> ends{};
        if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe2");
        reader.reset(ends[0]);
        writer.reset(ends[1]);
        fcntl(reader.get(), F_SETFL, O_NONBLOCK);
    }
    std::string drain() const {
        std::string text;
        std::array<char, 4096> part;
        for (ssize_t count; (count = read(reader.get(), part.data(), part.size())) > 0;) {
            text.append(part.data(), static_cast<std::size_t>(count));
        }
        return text;
    }
    UniqueFd reader;
    UniqueFd writer;
};

TEST(Output, AReaderThatSleepsLosesEventsAndNothingBlocks) {
    EventLoop loop;
    Pipe pipe;
    Output output(loop, pipe.writer.get(), [] {});
    const nlohmann::json event{{"type", "log"}, {"text", std::string(1000, 'x')}};
    for (int i = 0; i < 2000; ++i) output.event(event, false);
    EXPECT_GT(output.dropped(), 1000U);
    const auto dropped = output.dropped();
    output.answer({{"type", "done"}, {"id", 1}});
    EXPECT_EQ(output.dropped(), dropped) << "answers are not dropped";
    std::string text;
    for (int i = 0; i < 100; ++i) {
        output.finish(0.01);
        text += pipe.drain();
    }
    EXPECT_EQ(text.substr(text.size() - 23), "{\"id\":1,\"type\":\"done\"}\n");
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2001 - static_cast<long>(dropped));
}

/// What the reader has got so long after the loop began.
std::string read_after(EventLoop& loop, const Pipe& pipe, double time_s) {
    loop.after(time_s, [&] { loop.stop(); });
    loop.run();
    return pipe.drain();
}

TEST(Output, EventsWaitForEachOtherForAMoment) {
    EventLoop loop;
    Pipe pipe;
    Output output(loop, pipe.writer.get(), [] {});
    output.event({{"type", "stats"}}, false);
    EXPECT_EQ(read_after(loop, pipe, 0.01), "");
    output.event({{"type", "kept"}}, false);
    EXPECT_EQ(read_after(loop, pipe, 0.5), "{\"type\":\"stats\"}\n{\"type\":\"kept\"}\n");
}

TEST(Output, PromptEventsAndAnswersTakeAlongWhatWaits) {
    EventLoop loop;
    Pipe pipe;
    Output output(loop, pipe.writer.get(), [] {});
    output.event({{"type", "stats"}}, false);
    output.event({{"type", "rerouted"}}, true);
    EXPECT_EQ(read_after(loop, pipe, 0.01), "{\"type\":\"stats\"}\n{\"type\":\"rerouted\"}\n");
    output.event({{"type", "stats"}}, false);
    output.answer({{"type", "done"}});
    EXPECT_EQ(read_after(loop, pipe, 0.01), "{\"type\":\"stats\"}\n{\"type\":\"done\"}\n");
}

TEST(Output, EventsThatFillAWriteDoNotWait) {
    EventLoop loop;
    Pipe pipe;
    Output output(loop, pipe.writer.get(), [] {});
    const nlohmann::json event{{"text", std::string(3000, 'x')}};
    output.event(event, false);
    output.event(event, false);
    EXPECT_EQ(read_after(loop, pipe, 0.01).size(), 2 * (event.dump().size() + 1));
}

TEST(Output, WhatWaitsIsWrittenAtTheEnd) {
    EventLoop loop;
    Pipe pipe;
    Output output(loop, pipe.writer.get(), [] {});
    output.event({{"type", "stats"}}, false);
    output.finish(1.0);
    EXPECT_EQ(pipe.drain(), "{\"type\":\"stats\"}\n");
}

TEST(Output, TellsWhenTheReaderIsGone) {
    signal(SIGPIPE, SIG_IGN);
    EventLoop loop;
    Pipe pipe;
    bool closed = false;
    Output output(loop, pipe.writer.get(), [&] {
        closed = true;
        loop.stop();
    });
    pipe.reader.reset();
    output.event({{"type", "log"}}, true);
    loop.after(5.0, [&] { loop.stop(); });
    loop.run();
    EXPECT_TRUE(closed);
}

/// The loop would not rest until there was something to say.
TEST(Output, TellsWhenTheReaderIsGoneAlsoWhereThereIsNothingToSay) {
    EventLoop loop;
    Pipe pipe;
    int closed = 0;
    Output output(loop, pipe.writer.get(), [&] { ++closed; });
    loop.after(0.05, [&] { pipe.reader.reset(); });
    loop.after(0.3, [&] { loop.stop(); });
    loop.run();
    EXPECT_EQ(closed, 1);
    output.event({{"type", "log"}}, true);
    output.finish(0.1);
}

TEST(Rejections, AreToldOncePerSecondWithReasons) {
    EventLoop loop;
    std::vector<RejectedEvent> told;
    Rejections rejections(loop, [&](const RejectedEvent& event) { told.push_back(event); });
    for (int i = 0; i < 3; ++i) rejections.count(Refusal::not_sealed);
    rejections.count(Refusal::bad_challenge);
    loop.after(0.1, [&] { rejections.count(Refusal::replayed); });
    loop.after(0.3, [&] { loop.stop(); });
    loop.run();
    ASSERT_EQ(told.size(), 1U) << "the second report is not due yet";
    EXPECT_EQ(told[0].count, 4U);
    EXPECT_EQ(told[0].datagrams, 3U);
    EXPECT_EQ(told[0].connections, 1U);
    EXPECT_EQ(told[0].reasons.at("not sealed"), 3U);
}

TEST(Clock, TestShiftsEveryReading) {
    const Clock clock({.offset_s = 2.0, .drift = 1e-3, .origin_ns = 1'000'000'000'000});
    EXPECT_EQ(clock.shifted(1'000'000'000'000), 1'002'000'000'000);
    EXPECT_EQ(clock.shifted(1'001'000'000'000), 1'003'001'000'000);
    Clock plain({});
    EXPECT_EQ(plain.shifted(123), 123);
    plain.step(-1.5);
    EXPECT_EQ(plain.shifted(2'000'000'000), 500'000'000);
}

}  // namespace
}  // namespace fairlead::agent
