#include "grader/grading/build/tree_uses.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <sstream>

#include "grader/grading/build/compile_command.hpp"

namespace opgrade {

namespace fs = std::filesystem;

void LineRanges::add(int first, int last) {
  auto at = last_of_.upper_bound(first);
  if (at != last_of_.begin() && std::prev(at)->second >= first) {
    --at;
    first = at->first;
  }
  while (at != last_of_.end() && at->first <= last) {
    last = std::max(last, at->second);
    at = last_of_.erase(at);
  }
  last_of_[first] = last;
}

bool LineRanges::has(int line) const {
  const auto behind = last_of_.upper_bound(line);
  return behind != last_of_.begin() && std::prev(behind)->second >= line;
}

bool TreeUses::is_dead(const std::string& file, int line) const {
  const auto found = dead.find(file);
  return found != dead.end() && found->second.has(line);
}

void add_tree_uses(std::string_view lines, TreeUses& uses) {
  std::istringstream in{std::string(lines)};
  for (std::string text; std::getline(in, text);) {
    std::istringstream fields(text);
    std::string kind, file, first, last, name;
    for (std::string* const field : {&kind, &file, &first, &last, &name})
      std::getline(fields, *field, '\t');
    file = fs::path(file).lexically_normal();
    // A header of the grader's or of the system's has a whole path to another folder.
    const bool is_submissions =
        !file.starts_with('/') || file.find(std::string(kSources) + '/') != file.npos;
    if (kind == "partial") uses.is_whole = false;
    if (kind == "known") uses.known.insert(name);
    if (kind == "needed") uses.needed.insert(name);
    if (kind == "offered") uses.offered.insert(name);
    if (kind == "use" && is_submissions)
      uses.uses.push_back({file, std::atoi(first.c_str()), name});
    if (kind == "dead" && is_submissions)
      uses.dead[file].add(std::atoi(first.c_str()), std::atoi(last.c_str()));
  }
}

}  // namespace opgrade
