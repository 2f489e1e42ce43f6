/// A private folder that disappears with its owner.
#pragma once

#include <filesystem>
#include <string>

namespace opgrade {

class TempDir {
 public:
  /// Makes `<temporary folder>/<prefix>XXXXXX`, readable by this user alone. Throws Error.
  explicit TempDir(const std::string& prefix);
  TempDir(TempDir&& other) noexcept;
  TempDir& operator=(TempDir&&) = delete;
  ~TempDir();

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace opgrade
