// SPDX-License-Identifier: Apache-2.0
#include "cg/matrix.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace fairlead::cg {

namespace {

// Calls visit(row, column, value), relative to the block, for every contribution to the block. Elements come up several
// times: contributions add up.
template <typename Visit>
void for_each_contribution(const Problem& problem, const Block& block, Visit visit) {
    const double ratio = std::pow(Problem::kCondition, 1.0 / problem.order);
    double weight = 1.0;
    GeneratingVectors vectors(problem);
    for (int i = 0; i < problem.order; ++i) {
        const SparseVector vector = vectors.next();
        for (const SparseElement& row : vector) {
            if (row.index < block.first_row || row.index >= block.end_row) {
                continue;
            }
            for (const SparseElement& column : vector) {
                if (column.index >= block.first_column && column.index < block.end_column) {
                    visit(row.index - block.first_row, column.index - block.first_column,
                          row.value * (weight * column.value));
                }
            }
        }
        weight *= ratio;
    }
    const int diagonal_end = std::min(block.end_row, block.end_column);
    for (int i = std::max(block.first_row, block.first_column); i < diagonal_end; ++i) {
        visit(i - block.first_row, i - block.first_column, Problem::kCondition - problem.shift);
    }
}

// Adds up the elements of one row that share a column; `row` is sorted by column. Appends to `matrix`.
void append_merged(std::span<const SparseElement> row, CsrMatrix& matrix) {
    for (std::size_t i = 0; i < row.size(); ++i) {
        if (i > 0 && row[i].index == row[i - 1].index) {
            matrix.value.back() += row[i].value;
        } else {
            matrix.column.push_back(row[i].index);
            matrix.value.push_back(row[i].value);
        }
    }
    matrix.row_start.push_back(matrix.column.size());
}

}  // namespace

SparseVector random_sparse_vector(Randlc& random, int order, int nonzeros) {
    // Locations are drawn from the next power of two, as the specification has it; those beyond the order are rejected.
    const double range = static_cast<double>(std::bit_ceil(static_cast<unsigned>(order)));
    SparseVector vector;
    while (std::ssize(vector) < nonzeros) {
        const double value = random();
        const int index = static_cast<int>(range * random());
        const bool known = std::ranges::any_of(vector, [&](const SparseElement& e) { return e.index == index; });
        if (index < order && !known) {
            vector.push_back({index, value});
        }
    }
    return vector;
}

GeneratingVectors::GeneratingVectors(const Problem& problem) : order_(problem.order), nonzeros_(problem.nonzeros) {
    random_();  // the benchmark's main program draws one number before it makes the matrix
}

SparseVector GeneratingVectors::next() {
    SparseVector vector = random_sparse_vector(random_, order_, nonzeros_);
    const int component = number_++;
    const auto own = std::ranges::find_if(vector, [&](const SparseElement& e) { return e.index == component; });
    if (own != vector.end()) {
        own->value = 0.5;
    } else {
        vector.push_back({component, 0.5});
    }
    return vector;
}

CsrMatrix make_matrix(const Problem& problem, const Block& block) {
    // Bucket the contributions by row, then sort and merge each row.
    std::vector<std::size_t> start(static_cast<std::size_t>(block.rows()) + 1, 0);
    for_each_contribution(problem, block, [&](int row, int, double) { ++start[static_cast<std::size_t>(row) + 1]; });
    for (std::size_t row = 1; row < start.size(); ++row) {
        start[row] += start[row - 1];
    }
    std::vector<SparseElement> contributions(start.back());
    std::vector<std::size_t> next(start.begin(), start.end() - 1);
    for_each_contribution(problem, block, [&](int row, int column, double value) {
        contributions[next[static_cast<std::size_t>(row)]++] = {column, value};
    });
    CsrMatrix matrix;
    matrix.row_start.reserve(start.size());
    matrix.column.reserve(contributions.size());  // a few more than needed: elements that come up twice are rare
    matrix.value.reserve(contributions.size());
    matrix.row_start.push_back(0);
    for (std::size_t row = 0; row + 1 < start.size(); ++row) {
        const std::span elements(contributions.data() + start[row], start[row + 1] - start[row]);
        std::ranges::sort(elements, {}, &SparseElement::index);
        append_merged(elements, matrix);
    }
    return matrix;
}

void multiply(const CsrMatrix& matrix, std::span<const double> x, std::span<double> y) {
    for (std::size_t row = 0; row + 1 < matrix.row_start.size(); ++row) {
        double sum = 0.0;
        for (std::size_t k = matrix.row_start[row]; k < matrix.row_start[row + 1]; ++k) {
            sum += matrix.value[k] * x[static_cast<std::size_t>(matrix.column[k])];
        }
        y[row] = sum;
    }
}

}  // namespace fairlead::cg
