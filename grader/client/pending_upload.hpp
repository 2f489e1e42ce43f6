/// The key of an upload, kept until its answer came: a repeated command sends the same key, so the
/// service takes the upload once.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace opgrade::client {

class PendingUpload {
 public:
  /// `of` tells uploads apart: server, token, assignment, student, content. A folder that cannot be
  /// written keeps no key.
  explicit PendingUpload(const std::vector<std::string>& of,
                         const std::filesystem::path& folder = default_folder());
  static std::filesystem::path default_folder();

  const std::string& key() const { return key_; }
  bool is_repeated() const { return repeated_; }
  void answered() const;

 private:
  std::filesystem::path file_;
  std::string key_;
  bool repeated_ = false;
};

}  // namespace opgrade::client
