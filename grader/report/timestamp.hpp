/// Points in time as reports and platforms write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace opgrade::report {

/// Milliseconds since 1970 of an RFC 3339 time: "2026-11-22T10:00:00Z" or
/// "2018-07-01T14:22:32.365935-07:00". Nothing for any other text.
std::optional<std::int64_t> timestamp_ms(const std::string& text);

}  // namespace opgrade::report
