/// The error for a service that cannot be reached, as opposed to one whose connection breaks.
#pragma once

#include "grader/client/http_client.hpp"

namespace opgrade::client {

/// The host has no address, or nothing listens there. If no service has ever answered at this
/// address, a typing mistake is more likely than an outage.
struct NotReached : ConnectionLost {
  using ConnectionLost::ConnectionLost;
};

}  // namespace opgrade::client
