// SPDX-License-Identifier: Apache-2.0
#include "cg/solver.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "common/mpi.hpp"
#include "common/mpi_count.hpp"

namespace fairlead::cg {

namespace {

constexpr int kTag = 0;

void add(std::span<double> to, std::span<const double> from) {
    std::ranges::transform(to, from, to.begin(), std::plus{});
}

}  // namespace

Solver::Solver(MPI_Comm comm, Grid grid, CsrMatrix matrix)
    : comm_(comm), grid_(std::move(grid)), matrix_(std::move(matrix)) {
    const auto piece = static_cast<std::size_t>(grid_.piece_length());
    p_.resize(piece);
    q_.resize(piece);
    r_.resize(piece);
    const auto rows = static_cast<std::size_t>(grid_.block().rows());
    partial_.resize(rows);
    received_.resize(rows);
}

void Solver::exchange(int partner, std::span<const double> outgoing, std::span<double> incoming) const {
    if (partner == rank_of(comm_)) {
        std::ranges::copy(outgoing, incoming.begin());
        return;
    }
    std::array<MPI_Request, 2> requests{};
    check(MPI_Irecv(incoming.data(), mpi_count(incoming.size()), MPI_DOUBLE, partner, kTag, comm_, &requests[0]),
          "MPI_Irecv");
    check(MPI_Isend(outgoing.data(), mpi_count(outgoing.size()), MPI_DOUBLE, partner, kTag, comm_, &requests[1]),
          "MPI_Isend");
    wait_all(requests);
}

void Solver::sum(std::span<double> values) const {
    std::vector<double> received(values.size());
    for (const int partner : grid_.row_partners()) {
        exchange(partner, values, received);
        add(values, received);
    }
}

double Solver::dot(std::span<const double> a, std::span<const double> b) const {
    double product = std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
    sum({&product, 1});
    return product;
}

void Solver::multiply(std::span<const double> p, std::span<double> q) {
    cg::multiply(matrix_, p, partial_);
    std::span<double> summed = partial_;
    std::span<const int> partners = grid_.row_partners();
    if (!grid_.square()) {
        // Two pieces a row: keep one, give the other away, and go on with the ranks that keep the same.
        const Block block = grid_.block();
        const int first_piece = grid_.row() * 2;
        const auto cut = static_cast<std::size_t>(grid_.piece_start(first_piece + 1) - block.first_row);
        std::span<double> kept = summed.first(cut);
        std::span<double> given = summed.subspan(cut);
        if (grid_.column() % 2 == 1) {
            std::swap(kept, given);
        }
        const std::span<double> received = std::span(received_).first(kept.size());
        exchange(partners.front(), given, received);
        add(kept, received);
        summed = kept;
        partners = partners.subspan(1);
    }
    const std::span<double> received = std::span(received_).first(summed.size());
    for (const int partner : partners) {
        exchange(partner, summed, received);
        add(summed, received);
    }
    exchange(grid_.transpose_partner(), summed, q);
}

double Solver::solve(std::span<const double> x, std::span<double> z) {
    std::ranges::fill(z, 0.0);
    std::ranges::copy(x, r_.begin());
    p_ = r_;
    double rho = dot(r_, r_);
    for (int step = 0; step < Problem::kInnerIterations; ++step) {
        multiply(p_, q_);
        const double alpha = rho / dot(p_, q_);
        for (std::size_t i = 0; i < p_.size(); ++i) {
            z[i] += alpha * p_[i];
            r_[i] -= alpha * q_[i];
        }
        const double previous = std::exchange(rho, dot(r_, r_));
        const double beta = rho / previous;
        for (std::size_t i = 0; i < p_.size(); ++i) {
            p_[i] = r_[i] + beta * p_[i];
        }
    }
    multiply(z, q_);
    std::ranges::transform(x, q_, r_.begin(), std::minus{});
    return std::sqrt(dot(r_, r_));
}

}  // namespace fairlead::cg
