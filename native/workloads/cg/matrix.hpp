// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cg/problem.hpp"
#include "common/randlc.hpp"

namespace fairlead::cg {

// A part of the matrix: rows [first_row, end_row) and columns [first_column, end_column), counted from 0.
struct Block {
    int first_row;
    int end_row;
    int first_column;
    int end_column;

    int rows() const { return end_row - first_row; }
    int columns() const { return end_column - first_column; }
};

// Compressed sparse rows; row and column indices are relative to the block's first.
struct CsrMatrix {
    std::vector<std::size_t> row_start;  // rows + 1
    std::vector<int> column;
    std::vector<double> value;

    int rows() const { return static_cast<int>(row_start.size()) - 1; }
};

struct SparseElement {
    int index;
    double value;
};
using SparseVector = std::vector<SparseElement>;

// A sparse random vector of `order` components, `nonzeros` of them set (NAS report RNR-94-007, section 2.2.3, step 1):
// pairs (value, location) are drawn; a location beyond the order or drawn before is skipped.
SparseVector random_sparse_vector(Randlc& random, int order, int nonzeros);

// The vectors whose weighted outer products make the matrix, one after the other: vector i, from 0, is random and has
// 0.5 at component i. They are never kept: those of class D would take half a gigabyte on every rank.
class GeneratingVectors {
  public:
    explicit GeneratingVectors(const Problem& problem);

    SparseVector next();

  private:
    Randlc random_;
    int order_;
    int nonzeros_;
    int number_ = 0;
};

// The block of A - shift I, where A = sum_i w_i v_i v_i' + rcond I and w_i falls from 1 to rcond geometrically.
//
// Every rank draws all vectors twice, to count and to fill (the sequence cannot be entered in the middle, and class C
// takes a tenth of a second), but forms the products of its own block only. While it is made the block takes 28 B for
// each product, then 12 B.
CsrMatrix make_matrix(const Problem& problem, const Block& block);

// y = A x.
void multiply(const CsrMatrix& matrix, std::span<const double> x, std::span<double> y);

}  // namespace fairlead::cg
