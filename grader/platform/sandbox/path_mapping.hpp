/// Translates a policy's paths if there are no mounts: the program gets the host's paths, and its
/// output is shown with the policy's.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "grader/platform/sandbox/policy.hpp"

namespace opgrade {

class PathMapping {
 public:
  PathMapping() = default;  ///< changes nothing
  /// `scratch` stands for /tmp.
  PathMapping(const std::vector<Mount>& mounts, const std::filesystem::path& scratch);

  /// An argument, variable or folder, with each path of the policy in it replaced by the host's
  /// path. Paths are recognized at the start, after '=', ':' or ',' and after an option of one
  /// letter ("-I/include"). A folder that is no mount but contains some becomes the list of their
  /// folders on the host.
  std::string to_host(const std::string& text) const;

  /// The program's output, with the host's paths replaced by the policy's.
  std::string to_policy(std::string text) const;

 private:
  std::string host_path(const std::string& path) const;

  std::vector<std::pair<std::string, std::string>> places_;  // policy's, host's; longest first
};

}  // namespace opgrade
