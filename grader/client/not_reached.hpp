/// A failure to reach the service, apart from one that breaks a conversation.
#pragma once

#include "grader/client/http_client.hpp"

namespace opgrade::client {

/// The host has no address, or nothing listens there. Before a service ever answered, the address
/// is more likely mistyped than the service away.
struct NotReached : ConnectionLost {
  using ConnectionLost::ConnectionLost;
};

}  // namespace opgrade::client
