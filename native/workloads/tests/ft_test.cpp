// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "common/problem_class.hpp"
#include "ft/problem.hpp"

namespace fairlead::ft {
namespace {

using Values = std::vector<Complex>;

double largest_difference(const Values& a, const Values& b) {
    double largest = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        largest = std::max(largest, std::abs(a[i] - b[i]));
    }
    return largest;
}

Values numbers(std::size_t count) {
    Values values(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto x = static_cast<double>(i);
        values[i] = {std::sin(x * x), std::cos(3.0 * x + 1.0)};
    }
    return values;
}

// One axis of the definition; the axis has `points` points `stride` apart.
Values discrete_transform(const Values& from, std::size_t points, std::size_t stride) {
    Values to(from.size(), 0.0);
    for (std::size_t i = 0; i < from.size(); ++i) {
        const std::size_t wave = i / stride % points;
        for (std::size_t j = 0; j < points; ++j) {
            const double turns = static_cast<double>(wave * j) / static_cast<double>(points);
            to[i] += from[i - wave * stride + j * stride] * std::polar(1.0, -2.0 * std::numbers::pi * turns);
        }
    }
    return to;
}

TEST(Fft, IsTheDiscreteTransformOfEachLine) {
    for (const std::size_t length : {1U, 2U, 4U, 8U, 64U}) {
        const Values start = numbers(Fft::kWidth * length);
        Fft fft(static_cast<int>(length));
        Values rows = start;
        fft.transform(Direction::kForward, {.first = 0, .line_stride = length, .point_stride = 1}, rows);
        EXPECT_LT(largest_difference(rows, discrete_transform(start, length, 1)), 1e-12) << length;
        Values columns = start;
        fft.transform(Direction::kForward, {.first = 0, .line_stride = 1, .point_stride = Fft::kWidth}, columns);
        EXPECT_LT(largest_difference(columns, discrete_transform(start, length, Fft::kWidth)), 1e-12) << length;
    }
}

TEST(Fft, InverseGivesTheStartTimesTheLength) {
    const Values start = numbers(Fft::kWidth * 32);
    Values values = start;
    Fft fft(32);
    const Lines rows = {.first = 0, .line_stride = 32, .point_stride = 1};
    fft.transform(Direction::kForward, rows, values);
    fft.transform(Direction::kInverse, rows, values);
    std::ranges::for_each(values, [](Complex& value) { value /= 32.0; });
    EXPECT_LT(largest_difference(values, start), 1e-14);
}

// Block r of rank s becomes block s of rank r.
std::vector<Values> exchanged(const std::vector<Values>& outgoing) {
    std::vector<Values> incoming(outgoing.size());
    const std::size_t block = outgoing[0].size() / outgoing.size();
    for (std::size_t to = 0; to < outgoing.size(); ++to) {
        for (const Values& from : outgoing) {
            const auto begin = from.begin() + static_cast<std::ptrdiff_t>(to * block);
            incoming[to].insert(incoming[to].end(), begin, begin + static_cast<std::ptrdiff_t>(block));
        }
    }
    return incoming;
}

class Shares : public testing::TestWithParam<int> {
  protected:
    static constexpr Grid kGrid = {.nx = 16, .ny = 8, .nz = 8};

    void SetUp() override {
        for (int rank = 0; rank < GetParam(); ++rank) {
            shares.emplace_back(kGrid, GetParam(), rank);
            fields.emplace_back(shares.back().points());
            shares.back().draw(fields.back());
        }
        Share whole(kGrid, 1, 0);
        drawn.resize(whole.points());
        whole.draw(drawn);
    }

    template <typename Pack, typename Unpack>
    void exchange(Pack pack, Unpack unpack) {
        std::vector<Values> outgoing = fields;
        for (std::size_t rank = 0; rank < shares.size(); ++rank) {
            pack(shares[rank], fields[rank], outgoing[rank]);
        }
        const std::vector<Values> incoming = exchanged(outgoing);
        for (std::size_t rank = 0; rank < shares.size(); ++rank) {
            unpack(shares[rank], incoming[rank], fields[rank]);
        }
    }

    void to_columns() {
        exchange([](auto& share, auto& from, auto& to) { share.pack_planes(from, to); },
                 [](auto& share, auto& from, auto& to) { share.unpack_columns(from, to); });
    }

    void to_planes() {
        exchange([](auto& share, auto& from, auto& to) { share.pack_columns(from, to); },
                 [](auto& share, auto& from, auto& to) { share.unpack_planes(from, to); });
    }

    // All ranks' planes, one after the other.
    Values joined() const {
        Values all;
        for (const Values& field : fields) {
            all.insert(all.end(), field.begin(), field.end());
        }
        return all;
    }

    std::vector<Share> shares;
    std::vector<Values> fields;
    Values drawn;  // by one rank: x fastest, then y, then z
};

TEST_P(Shares, DrawTheSameField) {
    EXPECT_EQ(joined(), drawn);
}

TEST_P(Shares, ExchangeThereAndBackChangesNothing) {
    to_columns();
    to_planes();
    EXPECT_EQ(joined(), drawn);
}

TEST_P(Shares, TransformInThreeDimensions) {
    for (std::size_t rank = 0; rank < shares.size(); ++rank) {
        shares[rank].transform_x(Direction::kForward, fields[rank]);
        shares[rank].transform_y(Direction::kForward, fields[rank]);
    }
    to_columns();
    for (std::size_t rank = 0; rank < shares.size(); ++rank) {
        shares[rank].transform_z(Direction::kForward, fields[rank]);
    }
    to_planes();
    const Values x = discrete_transform(drawn, 16, 1);
    const Values xyz = discrete_transform(discrete_transform(x, 8, 16), 8, 128);
    EXPECT_LT(largest_difference(joined(), xyz), 1e-11);
}

TEST_P(Shares, EvolveByTheWaveNumbers) {
    to_columns();
    for (std::size_t rank = 0; rank < shares.size(); ++rank) {
        Values spectrum = fields[rank];
        shares[rank].evolve(spectrum, fields[rank]);
        EXPECT_EQ(spectrum, fields[rank]);
    }
    to_planes();
    const Values evolved = joined();
    for (int z = 0; z < 8; ++z) {
        for (int y = 0; y < 8; ++y) {
            for (int x = 0; x < 16; ++x) {
                const auto centred = [](int i, int count) { return (i + count / 2) % count - count / 2; };
                const int square =
                    centred(x, 16) * centred(x, 16) + centred(y, 8) * centred(y, 8) + centred(z, 8) * centred(z, 8);
                const auto i = static_cast<std::size_t>((z * 8 + y) * 16 + x);
                const double decay = std::exp(-4e-6 * std::numbers::pi * std::numbers::pi * square);
                EXPECT_LT(std::abs(evolved[i] - decay * drawn[i]), 1e-15);
            }
        }
    }
}

TEST_P(Shares, ChecksumsAddUp) {
    Complex sum = 0.0;
    for (std::size_t rank = 0; rank < shares.size(); ++rank) {
        sum += shares[rank].checksum(fields[rank]);
    }
    Complex expected = 0.0;
    for (std::size_t j = 1; j <= 1024; ++j) {
        expected += drawn[((5 * j % 8) * 8 + 3 * j % 8) * 16 + j % 16];
    }
    EXPECT_LT(std::abs(sum - expected / 1024.0), 1e-13);
}

INSTANTIATE_TEST_SUITE_P(PowersOfTwo, Shares, testing::Values(1, 2, 4, 8));

TEST(Share, RefusesWhatCannotBeDivided) {
    const Grid grid = find_class(problems(), "W").grid;
    EXPECT_THROW(Share(grid, 3, 0), UsageError);
    EXPECT_THROW(Share(grid, 64, 0), UsageError);  // 32 planes
    EXPECT_EQ(Share(grid, 32, 0).points(), 128U * 128U);
}

TEST(FtProblem, HasThePublishedClassesAndAChecksumForEveryIteration) {
    struct Expected {
        const char* name;
        std::array<int, 3> grid;
        int iterations;
        double points;
        Complex first;
        Complex last;
    };
    const std::array expected_classes = {
        Expected{"S", {64, 64, 64}, 6, 0x1p18, {554.6087004964, 484.5363331978}, {554.2683411902, 493.2597244941}},
        Expected{"W", {128, 128, 32}, 6, 0x1p19, {567.3612178944, 529.3246849175}, {550.4159734538, 523.9212247086}},
        Expected{"A", {256, 256, 128}, 6, 0x1p23, {504.6735008193, 511.4047905510}, {509.1487099959, 510.7917842803}},
        Expected{"B", {512, 256, 256}, 20, 0x1p25, {517.7643571579, 507.7803458597}, {512.4146770029, 511.5744692211}},
        Expected{"C", {512, 512, 512}, 20, 0x1p27, {519.5078707457, 514.9019699238}, {512.9714421109, 512.3465164008}},
        Expected{
            "D", {2048, 1024, 1024}, 25, 0x1p31, {512.2230065252, 511.8534037109}, {511.8822370068, 511.9794338060}},
        Expected{
            "E", {4096, 2048, 2048}, 25, 0x1p34, {512.1601045346, 511.7395998266}, {511.9876028049, 512.0550079284}}};
    ASSERT_EQ(problems().size(), expected_classes.size());
    for (const Expected& expected : expected_classes) {
        const Problem& problem = find_class(problems(), expected.name);
        EXPECT_EQ((std::array{problem.grid.nx, problem.grid.ny, problem.grid.nz}), expected.grid) << expected.name;
        EXPECT_EQ(problem.iterations(), expected.iterations) << expected.name;
        EXPECT_EQ(problem.grid.points(), expected.points) << expected.name;
        EXPECT_EQ(problem.checksums.front(), expected.first) << expected.name;
        EXPECT_EQ(problem.checksums.back(), expected.last) << expected.name;
    }
    EXPECT_THROW(find_class(problems(), "F"), UsageError);
}

TEST(FtVerify, JudgesEveryPublishedChecksum) {
    const Problem& problem = find_class(problems(), "W");
    const Outcome good{.checksums = {problem.checksums.begin(), problem.checksums.end()}, .round_trip_error = 1e-15};
    EXPECT_TRUE(verify(problem, good).verified);
    for (std::size_t i = 0; i < good.checksums.size(); ++i) {
        Outcome bad = good;
        bad.checksums[i] *= 1 + 2e-12;
        EXPECT_FALSE(verify(problem, bad).verified) << i;
        bad.checksums[i] = {good.checksums[i].real(), std::numeric_limits<double>::quiet_NaN()};
        EXPECT_FALSE(verify(problem, bad).verified) << i;
    }
    Outcome lossy = good;
    lossy.round_trip_error = 1e-11;
    EXPECT_FALSE(verify(problem, lossy).verified);
}

TEST(FtVerify, WithFewerOrMoreIterationsJudgesThoseThatArePublished) {
    const Problem& problem = find_class(problems(), "W");
    Outcome outcome{.checksums = {problem.checksums.begin(), problem.checksums.end()}, .round_trip_error = 1e-15};
    outcome.checksums.emplace_back(1.0, 2.0);
    EXPECT_TRUE(verify(problem, outcome).verified);
    EXPECT_NE(verify(problem, outcome).explanation.find("no published checksums for the other"), std::string::npos);
    outcome.checksums.resize(2);
    EXPECT_TRUE(verify(problem, outcome).verified);
    outcome.checksums[1] += 1e-8;
    EXPECT_FALSE(verify(problem, outcome).verified);
}

}  // namespace
}  // namespace fairlead::ft
