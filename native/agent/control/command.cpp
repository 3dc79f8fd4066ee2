// SPDX-License-Identifier: Apache-2.0
#include "control/command.hpp"

namespace fairlead::agent {
namespace {

using nlohmann::json;

std::optional<std::int64_t> readable_id(const json& object) {
    if (!object.is_object()) return std::nullopt;
    const auto found = object.find("id");
    if (found == object.end() || !found->is_number_integer()) return std::nullopt;
    return found->get<std::int64_t>();
}

Command parse_object(const json& object, Receiver receiver) {
    if (!object.is_object()) throw ProtocolError("a command must be a JSON object");
    const auto type = object.find("type");
    if (type == object.end() || !type->is_string()) throw ProtocolError("a command needs a 'type'");
    return read_command(type->get_ref<const std::string&>(), object, receiver);
}

}  // namespace

Command parse_command(std::string_view line, core::HostId self, core::HostId host_count) {
    const json object = json::parse(line, nullptr, false);
    if (object.is_discarded()) throw CommandError(std::nullopt, "a command is not JSON");
    try {
        return parse_object(object, {self, host_count});
    } catch (const ProtocolError& error) {
        throw CommandError(readable_id(object), error.what());
    }
}

}  // namespace fairlead::agent
