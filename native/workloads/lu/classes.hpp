// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "flow/problem.hpp"

namespace fairlead::lu {

std::span<const flow::Problem> classes();

}  // namespace fairlead::lu
