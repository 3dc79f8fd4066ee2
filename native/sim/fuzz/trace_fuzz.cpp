// SPDX-License-Identifier: Apache-2.0
// Any text is a trace or an error that names the file. What was read is written and read again as the same.
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>

#include "fairlead/sim/trace.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace fairlead::sim;
    std::istringstream in(std::string(reinterpret_cast<const char*>(data), size));
    std::ostringstream once;
    try {
        write_trace(read_trace(in, "input"), once);
    } catch (const TraceError& error) {
        if (std::string(error.what()).rfind("input:", 0) != 0) std::abort();
        return 0;
    }
    std::istringstream again(once.str());
    std::ostringstream twice;
    write_trace(read_trace(again, "written"), twice);
    if (once.str() != twice.str()) std::abort();
    return 0;
}
