// SPDX-License-Identifier: Apache-2.0
// What a supervisor may say: any line as configuration and as command ends in a value or in ProtocolError.
#include <sodium.h>

#include <cstdlib>
#include <string_view>

#include "control/command.hpp"
#include "control/config.hpp"
#include "control/manage_config.hpp"

using namespace fairlead::agent;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const bool ready = sodium_init() >= 0;
    if (!ready) std::abort();
    const auto* text = reinterpret_cast<const char*>(data);
    try {
        parse_command(std::string_view(text, size), 0, 8);
    } catch (const ProtocolError&) {
    }
    try {
        const Config config = parse_config(WipedLine(text, text + size));
        parse_manage(config, 0.0);
    } catch (const ProtocolError&) {
    }
    return 0;
}
