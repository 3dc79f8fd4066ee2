// SPDX-License-Identifier: Apache-2.0
#include "common/options.hpp"

#include <sstream>

namespace fairlead {

void parse_options(CLI::App& options, int argc, char** argv) {
    try {
        options.parse(argc, argv);
    } catch (const CLI::ParseError& outcome) {
        std::ostringstream text;
        if (options.exit(outcome, text, text) == 0) {
            throw HelpRequest(text.str());
        }
        throw UsageError(text.str());
    }
}

}  // namespace fairlead
