// SPDX-License-Identifier: Apache-2.0
#include "sp/classes.hpp"

#include <array>

namespace fairlead::sp {

namespace {

constexpr std::array kClasses = {
    flow::Problem{.name = 'S',
                  .points = 12,
                  .iterations = 100,
                  .time_step = 0.015,
                  .published = {.residual = {2.7470315451339479e-02, 1.0360746705285417e-02, 1.6235745065095532e-02,
                                             1.5840557224455615e-02, 3.4849040609362460e-02},
                                .error = {2.7289258557377227e-05, 1.0364446640837285e-05, 1.6154798287166471e-05,
                                          1.5750704994480102e-05, 3.4177666183390531e-05},
                                .surface_integral = {}}},
    flow::Problem{.name = 'W',
                  .points = 36,
                  .iterations = 400,
                  .time_step = 0.0015,
                  .published = {.residual = {0.1893253733584e-02, 0.1717075447775e-03, 0.2778153350936e-03,
                                             0.2887475409984e-03, 0.3143611161242e-02},
                                .error = {0.7542088599534e-04, 0.6512852253086e-05, 0.1049092285688e-04,
                                          0.1128838671535e-04, 0.1212845639773e-03},
                                .surface_integral = {}}},
    flow::Problem{.name = 'A',
                  .points = 64,
                  .iterations = 400,
                  .time_step = 0.0015,
                  .published = {.residual = {2.4799822399300195, 1.1276337964368832, 1.5028977888770491,
                                             1.4217816211695179, 2.1292113035138280},
                                .error = {1.0900140297820550e-04, 3.7343951769282091e-05, 5.0092785406541633e-05,
                                          4.7671093939528255e-05, 1.3621613399213001e-04},
                                .surface_integral = {}}},
    flow::Problem{.name = 'B',
                  .points = 102,
                  .iterations = 400,
                  .time_step = 0.001,
                  .published = {.residual = {0.6903293579998e+02, 0.3095134488084e+02, 0.4103336647017e+02,
                                             0.3864769009604e+02, 0.5643482272596e+02},
                                .error = {0.9810006190188e-02, 0.1022827905670e-02, 0.1720597911692e-02,
                                          0.1694479428231e-02, 0.1847456263981e-01},
                                .surface_integral = {}}},
    flow::Problem{.name = 'C',
                  .points = 162,
                  .iterations = 400,
                  .time_step = 0.00067,
                  .published = {.residual = {0.5881691581829e+03, 0.2454417603569e+03, 0.3293829191851e+03,
                                             0.3081924971891e+03, 0.4597223799176e+03},
                                .error = {0.2598120500183e+00, 0.2590888922315e-01, 0.5132886416320e-01,
                                          0.4806073419454e-01, 0.5483377491301e+00},
                                .surface_integral = {}}},
    flow::Problem{.name = 'D',
                  .points = 408,
                  .iterations = 500,
                  .time_step = 0.0003,
                  .published = {.residual = {0.1044696216887e+05, 0.3204427762578e+04, 0.4648680733032e+04,
                                             0.4238923283697e+04, 0.7588412036136e+04},
                                .error = {0.5089471423669e+01, 0.5323514855894e+00, 0.1187051008971e+01,
                                          0.1083734951938e+01, 0.1164108338568e+02},
                                .surface_integral = {}}},
    flow::Problem{.name = 'E',
                  .points = 1020,
                  .iterations = 500,
                  .time_step = 0.0001,
                  .published = {.residual = {0.6255387422609e+05, 0.1495317020012e+05, 0.2347595750586e+05,
                                             0.2091099783534e+05, 0.4770412841218e+05},
                                .error = {0.6742735164909e+02, 0.5390656036938e+01, 0.1680647196477e+02,
                                          0.1536963126457e+02, 0.1575330146156e+03},
                                .surface_integral = {}}},
};

}  // namespace

std::span<const flow::Problem> classes() {
    return kClasses;
}

}  // namespace fairlead::sp
