/// The processor's name in the text of /proc/cpuinfo.
#pragma once

#include <fmt/format.h>

#include <istream>
#include <string>

namespace opgrade {

/// On ARM64 the text has numbers instead of a name.
inline std::string processor_name_in(std::istream& cpuinfo) {
  std::string implementer, part;
  for (std::string line; std::getline(cpuinfo, line);) {
    const auto colon = line.find(": ");
    if (colon == std::string::npos) continue;
    const std::string value = line.substr(colon + 2);
    if (line.starts_with("model name")) return value;
    if (line.starts_with("CPU implementer")) implementer = value;
    if (line.starts_with("CPU part")) part = value;
  }
  if (implementer.empty()) return "unknown processor";
  return fmt::format("ARM64, implementer {}, part {}", implementer, part);
}

}  // namespace opgrade
