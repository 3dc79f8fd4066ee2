// SPDX-License-Identifier: Apache-2.0
#include "ft/problem.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace fairlead::ft {

namespace {

constexpr std::array kChecksumsS = {Complex{554.6087004964, 484.5363331978}, Complex{554.6385409189, 486.5304269511},
                                    Complex{554.6148406171, 488.3910722336}, Complex{554.5423607415, 490.1273169046},
                                    Complex{554.4255039624, 491.7475857993}, Complex{554.2683411902, 493.2597244941}};
constexpr std::array kChecksumsW = {Complex{567.3612178944, 529.3246849175}, Complex{563.1436885271, 528.2149986629},
                                    Complex{559.4024089970, 527.0996558037}, Complex{556.0698047020, 526.0027904925},
                                    Complex{553.0898991250, 524.9400845633}, Complex{550.4159734538, 523.9212247086}};
constexpr std::array kChecksumsA = {Complex{504.6735008193, 511.4047905510}, Complex{505.9412319734, 509.8809666433},
                                    Complex{506.9376896287, 509.8144042213}, Complex{507.7892868474, 510.1336130759},
                                    Complex{508.5233095391, 510.4914655194}, Complex{509.1487099959, 510.7917842803}};
constexpr std::array kChecksumsB = {Complex{517.7643571579, 507.7803458597}, Complex{515.4521291263, 508.8249431599},
                                    Complex{514.6409228649, 509.6208912659}, Complex{514.2378756213, 510.1023387619},
                                    Complex{513.9626667737, 510.3976610617}, Complex{513.7423460082, 510.5948019802},
                                    Complex{513.5547056878, 510.7404165783}, Complex{513.3910925466, 510.8576573661},
                                    Complex{513.2470705390, 510.9577278523}, Complex{513.1197729984, 511.0460304483},
                                    Complex{513.0070319283, 511.1252433800}, Complex{512.9070537032, 511.1968077718},
                                    Complex{512.8182883502, 511.2616233064}, Complex{512.7393733383, 511.3203605551},
                                    Complex{512.6691062020, 511.3735928093}, Complex{512.6064276004, 511.4218460548},
                                    Complex{512.5504076570, 511.4656139760}, Complex{512.5002331720, 511.5053595966},
                                    Complex{512.4551951846, 511.5415130407}, Complex{512.4146770029, 511.5744692211}};
constexpr std::array kChecksumsC = {Complex{519.5078707457, 514.9019699238}, Complex{515.5422171134, 512.7578201997},
                                    Complex{514.4678022222, 512.2251847514}, Complex{514.0150594328, 512.1090289018},
                                    Complex{513.7550426810, 512.1143685824}, Complex{513.5811056728, 512.1496764568},
                                    Complex{513.4569343165, 512.1870921893}, Complex{513.3651975661, 512.2193250322},
                                    Complex{513.2955192805, 512.2454735794}, Complex{513.2410471738, 512.2663649603},
                                    Complex{513.1971141679, 512.2830879827}, Complex{513.1605205716, 512.2965869718},
                                    Complex{513.1290734194, 512.3075927445}, Complex{513.1012720314, 512.3166486553},
                                    Complex{513.0760908195, 512.3241541685}, Complex{513.0528295923, 512.3304037599},
                                    Complex{513.0310107773, 512.3356167976}, Complex{513.0103090133, 512.3399592211},
                                    Complex{512.9905029333, 512.3435588985}, Complex{512.9714421109, 512.3465164008}};
constexpr std::array kChecksumsD = {Complex{512.2230065252, 511.8534037109}, Complex{512.0463975765, 511.7061181082},
                                    Complex{511.9865766760, 511.7096364601}, Complex{511.9518799488, 511.7373863950},
                                    Complex{511.9269088223, 511.7680347632}, Complex{511.9082416858, 511.7967875532},
                                    Complex{511.8943814638, 511.8225281841}, Complex{511.8842385057, 511.8451629348},
                                    Complex{511.8769435632, 511.8649119387}, Complex{511.8718203448, 511.8820803844},
                                    Complex{511.8683569061, 511.8969781011}, Complex{511.8661708593, 511.9098918835},
                                    Complex{511.8649768950, 511.9210777066}, Complex{511.8645605626, 511.9307604484},
                                    Complex{511.8647586618, 511.9391362671}, Complex{511.8654451572, 511.9463757241},
                                    Complex{511.8665212451, 511.9526269238}, Complex{511.8679083821, 511.9580184108},
                                    Complex{511.8695433664, 511.9626617538}, Complex{511.8713748264, 511.9666538138},
                                    Complex{511.8733606701, 511.9700787219}, Complex{511.8754661974, 511.9730095953},
                                    Complex{511.8776626738, 511.9755100241}, Complex{511.8799262314, 511.9776353561},
                                    Complex{511.8822370068, 511.9794338060}};
constexpr std::array kChecksumsE = {Complex{512.1601045346, 511.7395998266}, Complex{512.0905403678, 511.8614716182},
                                    Complex{512.0623229306, 511.9074203747}, Complex{512.0438418997, 511.9345900733},
                                    Complex{512.0311521872, 511.9551325550}, Complex{512.0226088809, 511.9720179919},
                                    Complex{512.0169296534, 511.9861371665}, Complex{512.0131225172, 511.9979364402},
                                    Complex{512.0104767108, 512.0077674092}, Complex{512.0085127969, 512.0159443121},
                                    Complex{512.0069224127, 512.0227453670}, Complex{512.0055158164, 512.0284096041},
                                    Complex{512.0041820159, 512.0331373793}, Complex{512.0028605402, 512.0370938679},
                                    Complex{512.0015223011, 512.0404138831}, Complex{512.0001570022, 512.0432068837},
                                    Complex{511.9987650555, 512.0455615860}, Complex{511.9973525091, 512.0475499442},
                                    Complex{511.9959279472, 512.0492304629}, Complex{511.9945006558, 512.0506508902},
                                    Complex{511.9930795911, 512.0518503782}, Complex{511.9916728462, 512.0528612016},
                                    Complex{511.9902874185, 512.0537101195}, Complex{511.9889291565, 512.0544194514},
                                    Complex{511.9876028049, 512.0550079284}};

constexpr std::array kProblems = {
    Problem{.name = 'S', .grid = {.nx = 64, .ny = 64, .nz = 64}, .checksums = kChecksumsS},
    Problem{.name = 'W', .grid = {.nx = 128, .ny = 128, .nz = 32}, .checksums = kChecksumsW},
    Problem{.name = 'A', .grid = {.nx = 256, .ny = 256, .nz = 128}, .checksums = kChecksumsA},
    Problem{.name = 'B', .grid = {.nx = 512, .ny = 256, .nz = 256}, .checksums = kChecksumsB},
    Problem{.name = 'C', .grid = {.nx = 512, .ny = 512, .nz = 512}, .checksums = kChecksumsC},
    Problem{.name = 'D', .grid = {.nx = 2048, .ny = 1024, .nz = 1024}, .checksums = kChecksumsD},
    Problem{.name = 'E', .grid = {.nx = 4096, .ny = 2048, .nz = 2048}, .checksums = kChecksumsE},
};

// Error of the round trip that counts as rounding.
constexpr double kRoundTripBound = 1e-12;

}  // namespace

std::span<const Problem> problems() {
    return kProblems;
}

Verdict verify(const Problem& problem, const Outcome& outcome) {
    const std::size_t judged = std::min(outcome.checksums.size(), problem.checksums.size());
    double largest = 0.0;
    const auto judge = [&](double value, double reference) {
        const double difference = std::abs(value - reference) / std::abs(reference);
        if (std::isnan(difference) || difference > largest) {  // once NaN, it stays
            largest = difference;
        }
    };
    for (std::size_t i = 0; i < judged; ++i) {
        judge(outcome.checksums[i].real(), problem.checksums[i].real());
        judge(outcome.checksums[i].imag(), problem.checksums[i].imag());
    }
    Verdict verdict;
    verdict.require(("checksums of " + std::to_string(judged) + " iterations against the published values").c_str(),
                    largest, Problem::kTolerance);
    if (outcome.checksums.size() > judged) {
        verdict.note("there are no published checksums for the other iterations");
    }
    verdict.require("last field transformed back against its spectrum", outcome.round_trip_error, kRoundTripBound);
    return verdict;
}

}  // namespace fairlead::ft
