// SPDX-License-Identifier: Apache-2.0
// The classes of sp, bt and lu against the tables of NPB 3.4 (its sys/setparams.c and each program's verify).
#include <gtest/gtest.h>

#include <optional>
#include <ostream>

#include "bt/classes.hpp"
#include "common/problem_class.hpp"
#include "common/usage.hpp"
#include "lu/classes.hpp"
#include "sp/classes.hpp"

namespace fairlead::flow {
namespace {

struct Expected {
    const char* program;
    const char* name;
    Index points;
    int iterations;
    double time_step;
    double first_residual;
    double last_residual;
    double first_error;
    double last_error;
    std::optional<double> surface_integral = {};
};

void PrintTo(const Expected& expected, std::ostream* stream) {
    *stream << expected.program << " class " << expected.name;
}

std::span<const Problem> classes_of(const std::string& program) {
    return program == "lu" ? lu::classes() : program == "sp" ? sp::classes() : bt::classes();
}

class FlowClasses : public testing::TestWithParam<Expected> {};

TEST_P(FlowClasses, AreThePublishedOnes) {
    const Expected& expected = GetParam();
    const Problem& problem = find_class(classes_of(expected.program), expected.name);
    EXPECT_EQ(problem.points, expected.points);
    EXPECT_EQ(problem.iterations, expected.iterations);
    EXPECT_EQ(problem.time_step, expected.time_step);
    EXPECT_DOUBLE_EQ(problem.published.residual.front(), expected.first_residual);
    EXPECT_DOUBLE_EQ(problem.published.residual.back(), expected.last_residual);
    EXPECT_DOUBLE_EQ(problem.published.error.front(), expected.first_error);
    EXPECT_DOUBLE_EQ(problem.published.error.back(), expected.last_error);
    EXPECT_EQ(problem.published.surface_integral, expected.surface_integral);
}

INSTANTIATE_TEST_SUITE_P(
    OfNpb34, FlowClasses,
    testing::Values(
        Expected{"lu", "S", 12, 50, 0.5, 1.6196343210976702e-02, 3.4264073155896461e-02, 6.4223319957960924e-04,
                 1.3103347914111294e-03, 7.8418928865937083},
        Expected{"lu", "W", 33, 300, 1.5e-3, 12.36511638192, 28.26799444189, 0.4867877144216, 1.084277417792,
                 11.61399311023},
        Expected{"lu", "A", 64, 250, 2.0, 7.7902107606689367e+02, 1.8384760349464247e+03, 2.9964085685471943e+01,
                 7.0715315688392578e+01, 2.6030925604886277e+01},
        Expected{"lu", "B", 102, 250, 2.0, 3.5532672969982736e+03, 7.3087969592545314e+03, 1.1401176380212709e+02,
                 2.6054907504857413e+02, 4.7887162703308227e+01},
        Expected{"lu", "C", 162, 250, 2.0, 1.03766980323537846e+04, 1.78078057261061185e+04, 2.15986399716949279e+02,
                 4.55902910043250358e+02, 6.66404553572181300e+01},
        Expected{"lu", "D", 408, 300, 1.0, 48684.17937025, 71423.98413817, 375.2393004482, 700.2620636210,
                 83.34101392503},
        Expected{"lu", "E", 1020, 300, 0.5, 209964.1687874, 293236.0006590, 480.0572578333, 836.3028257389,
                 95.12163272273},
        Expected{"sp", "S", 12, 100, 0.015, 2.7470315451339479e-02, 3.4849040609362460e-02, 2.7289258557377227e-05,
                 3.4177666183390531e-05},
        Expected{"sp", "W", 36, 400, 0.0015, 1.893253733584e-03, 3.143611161242e-03, 7.542088599534e-05,
                 1.212845639773e-04},
        Expected{"sp", "A", 64, 400, 0.0015, 2.4799822399300195, 2.1292113035138280, 1.0900140297820550e-04,
                 1.3621613399213001e-04},
        Expected{"sp", "B", 102, 400, 0.001, 69.03293579998, 56.43482272596, 9.810006190188e-03, 1.847456263981e-02},
        Expected{"sp", "C", 162, 400, 0.00067, 588.1691581829, 459.7223799176, 0.2598120500183, 0.5483377491301},
        Expected{"sp", "D", 408, 500, 0.0003, 10446.96216887, 7588.412036136, 5.089471423669, 11.64108338568},
        Expected{"sp", "E", 1020, 500, 0.0001, 62553.87422609, 47704.12841218, 67.42735164909, 157.5330146156},
        Expected{"bt", "S", 12, 60, 0.01, 1.7034283709541311e-01, 1.9211784131744430e-01, 4.9976913345811579e-04,
                 8.9269630987491446e-04},
        Expected{"bt", "W", 24, 200, 0.0008, 112.5590409344, 263.8427874317, 4.419655736008, 10.18045837718},
        Expected{"bt", "A", 64, 200, 0.0008, 1.0806346714637264e+02, 2.5278963211748344e+02, 4.2348416040525025,
                 9.7379901770829278},
        Expected{"bt", "B", 102, 200, 0.0003, 1.4233597229287254e+03, 3.2707541254659363e+03, 5.2969847140936856e+01,
                 1.2459576151035986e+02},
        Expected{"bt", "C", 162, 200, 0.0001, 6239.8116551764615, 11604.087428436455, 164.62008369091265,
                 362.11053051841265},
        Expected{"bt", "D", 408, 250, 0.00002, 25331.88551738, 39058.64038618, 310.0009377557, 606.5737200368},
        Expected{"bt", "E", 1020, 250, 0.000004, 97953.72484517, 139213.8856939, 432.7562208414, 776.5512765309}));

TEST(FlowClasses, ThereAreNoOthers) {
    for (const char* program : {"lu", "sp", "bt"}) {
        EXPECT_EQ(class_names(classes_of(program), "and"), "S, W, A, B, C, D and E") << program;
        EXPECT_THROW(find_class(classes_of(program), "F"), UsageError) << program;
    }
}

}  // namespace
}  // namespace fairlead::flow
