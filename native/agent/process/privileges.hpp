// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace fairlead::agent {

/// Gives up every capability and the way to get one back (setuid programs, file capabilities). What needs privileges
/// is done by the guardian, which must have been started before. Throws std::system_error.
void drop_privileges();

}  // namespace fairlead::agent
