/// Numbers of things in messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace opgrade {

/// "1 worker", "0 workers", "2 processes". Without `plural` an s makes it.
std::string counted(std::int64_t n, std::string_view singular, std::string_view plural = {});

}  // namespace opgrade
