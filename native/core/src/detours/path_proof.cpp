// SPDX-License-Identifier: Apache-2.0
#include "detours/path_proof.hpp"

namespace fairlead::core {

void PathProof::advance(const EchoSettings& settings, Time now, Outbox& out) {
    if (carries_ || now < next_echo_) return;
    last_token_ = out.token();
    if (echoes_++ == 0) first_token_ = last_token_;
    out.emit(SendEcho{wire::Echo{last_token_, path_.source, path_.destination, relay_, 0}, true});
    next_echo_ = now + settings.trial_s;
}

bool PathProof::answered(const wire::EchoReply& reply) {
    const bool own = echoes_ > 0 && reply.relay == relay_ && reply.destination == path_.destination &&
                     reply.token - first_token_ <= last_token_ - first_token_;
    carries_ = carries_ || own;
    return own;
}

}  // namespace fairlead::core
