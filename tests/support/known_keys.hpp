/// Reads the complaint about an unknown key, which lists the keys that the reader knows.
#pragma once

#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace opgrade::test {

using KeysByPlace = std::map<std::string, std::set<std::string>>;

/// Adds the keys of the place that the complaint names; does nothing for another complaint.
inline void add_known_keys(const std::string& complaint, KeysByPlace& known) {
  static const std::regex kUnknown("unknown key '[^']*' in (.*); known are (.*)");
  std::smatch match;
  if (!std::regex_search(complaint, match, kUnknown)) return;
  std::istringstream names(match[2]);
  for (std::string name; std::getline(names >> std::ws, name, ',');) known[match[1]].insert(name);
}

}  // namespace opgrade::test
