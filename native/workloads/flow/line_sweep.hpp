// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <array>
#include <span>
#include <utility>
#include <vector>

#include "flow/channel.hpp"
#include "flow/packing.hpp"
#include "flow/partition.hpp"
#include "flow/tile.hpp"

namespace fairlead::flow {

// Solves the linear systems of all lines of the grid in one direction, through the tiles of all ranks: elimination slab
// by slab forward, substitution slab by slab backward. tile.rhs becomes the solution.
//
// `Lines` is the kind of system:
//   Lines::kReach              how many rows before (in elimination) and after (in substitution) a row needs
//   Lines::Factors             std::array of doubles that elimination leaves of a row
//   lines.eliminate(tile, factors, direction)   and   lines.substitute(tile, factors, direction)
//                              for the inner points of one tile, with the rows beyond it in the ghost layers
template <class Lines>
class LineSweep {
  public:
    using Factors = Field<typename Lines::Factors>;

    LineSweep(MPI_Comm comm, Partition partition, Lines lines, std::span<Tile> tiles)
        : comm_(comm), partition_(std::move(partition)), lines_(std::move(lines)), tiles_(tiles) {
        for (const Tile& tile : tiles_) {
            factors_.emplace_back(tile.layout);
        }
        for (std::size_t d = 0; d < 3; ++d) {
            slabs_[d].resize(static_cast<std::size_t>(partition_.tiles[d]));
            for (std::size_t t = 0; t < tiles_.size(); ++t) {
                slabs_[d][static_cast<std::size_t>(partition_.own[t][d])].push_back(t);
            }
        }
    }

    void solve(std::size_t direction) {
        eliminate(direction);
        substitute(direction);
    }

  private:
    static constexpr Index kReach = Lines::kReach;

    void eliminate(std::size_t d) {
        Channel channel(comm_, partition_.previous[d], partition_.next[d], 0);
        for (std::size_t stage = 0; stage < slabs_[d].size(); ++stage) {
            const std::vector<std::size_t>& slab = slabs_[d][stage];
            if (stage > 0) {
                std::span<const double> rows = channel.receive(numbers(slab, d, kFactorNumbers + kStateNumbers));
                for (const std::size_t t : slab) {
                    const Box before = tiles_[t].box.between(d, first(t, d) - kReach, first(t, d));
                    unpack(factors_[t], tiles_[t].layout, before, rows);
                    unpack(tiles_[t].rhs, tiles_[t].layout, before, rows);
                }
            }
            for (const std::size_t t : slab) {
                lines_.eliminate(tiles_[t], factors_[t], d);
            }
            if (stage + 1 < slabs_[d].size()) {
                std::vector<double>& rows = channel.message();
                for (const std::size_t t : slab) {
                    const Box last = tiles_[t].box.between(d, end(t, d) - kReach, end(t, d));
                    pack(factors_[t], tiles_[t].layout, last, rows);
                    pack(tiles_[t].rhs, tiles_[t].layout, last, rows);
                }
                channel.send();
            }
        }
    }

    void substitute(std::size_t d) {
        Channel channel(comm_, partition_.next[d], partition_.previous[d], 1);
        for (std::size_t stage = slabs_[d].size(); stage-- > 0;) {
            const std::vector<std::size_t>& slab = slabs_[d][stage];
            if (stage + 1 < slabs_[d].size()) {
                std::span<const double> rows = channel.receive(numbers(slab, d, kStateNumbers));
                for (const std::size_t t : slab) {
                    unpack(tiles_[t].rhs, tiles_[t].layout, tiles_[t].box.between(d, end(t, d), end(t, d) + kReach),
                           rows);
                }
            }
            for (const std::size_t t : slab) {
                lines_.substitute(tiles_[t], factors_[t], d);
            }
            if (stage > 0) {
                std::vector<double>& rows = channel.message();
                for (const std::size_t t : slab) {
                    pack(tiles_[t].rhs, tiles_[t].layout, tiles_[t].box.between(d, first(t, d), first(t, d) + kReach),
                         rows);
                }
                channel.send();
            }
        }
    }

    Index first(std::size_t tile, std::size_t d) const { return tiles_[tile].box.first[d]; }
    Index end(std::size_t tile, std::size_t d) const { return tiles_[tile].box.end[d]; }

    // Of a message between slabs with so many numbers a row.
    std::size_t numbers(const std::vector<std::size_t>& slab, std::size_t d, std::size_t row) const {
        Index rows = 0;
        for (const std::size_t t : slab) {
            rows += tiles_[t].box.between(d, 0, kReach).points();
        }
        return static_cast<std::size_t>(rows) * row;
    }

    static constexpr std::size_t kFactorNumbers = std::tuple_size_v<typename Lines::Factors>;
    static constexpr std::size_t kStateNumbers = std::tuple_size_v<State>;

    MPI_Comm comm_;
    Partition partition_;
    Lines lines_;
    std::span<Tile> tiles_;
    std::vector<Factors> factors_;                                // of each tile
    std::array<std::vector<std::vector<std::size_t>>, 3> slabs_;  // this rank's tiles by their place in a direction
};

}  // namespace fairlead::flow
