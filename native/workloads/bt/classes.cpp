// SPDX-License-Identifier: Apache-2.0
#include "bt/classes.hpp"

#include <array>

namespace fairlead::bt {

namespace {

constexpr std::array kClasses = {
    flow::Problem{.name = 'S',
                  .points = 12,
                  .iterations = 60,
                  .time_step = 0.01,
                  .published = {.residual = {1.7034283709541311e-01, 1.2975252070034097e-02, 3.2527926989486055e-02,
                                             2.6436421275166801e-02, 1.9211784131744430e-01},
                                .error = {4.9976913345811579e-04, 4.5195666782961927e-05, 7.3973765172921357e-05,
                                          7.3821238632439731e-05, 8.9269630987491446e-04},
                                .surface_integral = {}}},
    flow::Problem{.name = 'W',
                  .points = 24,
                  .iterations = 200,
                  .time_step = 0.0008,
                  .published = {.residual = {0.1125590409344e+03, 0.1180007595731e+02, 0.2710329767846e+02,
                                             0.2469174937669e+02, 0.2638427874317e+03},
                                .error = {0.4419655736008e+01, 0.4638531260002, 0.1011551749967e+01, 0.9235878729944,
                                          0.1018045837718e+02},
                                .surface_integral = {}}},
    flow::Problem{.name = 'A',
                  .points = 64,
                  .iterations = 200,
                  .time_step = 0.0008,
                  .published = {.residual = {1.0806346714637264e+02, 1.1319730901220813e+01, 2.5974354511582465e+01,
                                             2.3665622544678910e+01, 2.5278963211748344e+02},
                                .error = {4.2348416040525025, 4.4390282496995698e-01, 9.6692480136345650e-01,
                                          8.8302063039765474e-01, 9.7379901770829278},
                                .surface_integral = {}}},
    flow::Problem{.name = 'B',
                  .points = 102,
                  .iterations = 200,
                  .time_step = 0.0003,
                  .published = {.residual = {1.4233597229287254e+03, 9.9330522590150238e+01, 3.5646025644535285e+02,
                                             3.2485447959084092e+02, 3.2707541254659363e+03},
                                .error = {5.2969847140936856e+01, 4.4632896115670668, 1.3122573342210174e+01,
                                          1.2006925323559144e+01, 1.2459576151035986e+02},
                                .surface_integral = {}}},
    flow::Problem{.name = 'C',
                  .points = 162,
                  .iterations = 200,
                  .time_step = 0.0001,
                  .published = {.residual = {0.62398116551764615e+04, 0.50793239190423964e+03, 0.15423530093013596e+04,
                                             0.13302387929291190e+04, 0.11604087428436455e+05},
                                .error = {0.16462008369091265e+03, 0.11497107903824313e+02, 0.41207446207461508e+02,
                                          0.37087651059694167e+02, 0.36211053051841265e+03},
                                .surface_integral = {}}},
    flow::Problem{.name = 'D',
                  .points = 408,
                  .iterations = 250,
                  .time_step = 2e-05,
                  .published = {.residual = {0.2533188551738e+05, 0.2346393716980e+04, 0.6294554366904e+04,
                                             0.5352565376030e+04, 0.3905864038618e+05},
                                .error = {0.3100009377557e+03, 0.2424086324913e+02, 0.7782212022645e+02,
                                          0.6835623860116e+02, 0.6065737200368e+03},
                                .surface_integral = {}}},
    flow::Problem{.name = 'E',
                  .points = 1020,
                  .iterations = 250,
                  .time_step = 4e-06,
                  .published = {.residual = {0.9795372484517e+05, 0.9739814511521e+04, 0.2467606342965e+05,
                                             0.2092419572860e+05, 0.1392138856939e+06},
                                .error = {0.4327562208414e+03, 0.3699051964887e+02, 0.1089845040954e+03,
                                          0.9462517622043e+02, 0.7765512765309e+03},
                                .surface_integral = {}}},
};

}  // namespace

std::span<const flow::Problem> classes() {
    return kClasses;
}

}  // namespace fairlead::bt
