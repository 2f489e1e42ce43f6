/// SHA-256 of files and of values in memory, as lower-case hex.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace opgrade {

class Sha256 {
 public:
  Sha256();  ///< Throws Error if the crypto library offers no SHA-256.
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void add(std::span<const std::byte> bytes);
  std::string hex();  ///< 64 digits; call it once, at the end.

 private:
  struct State;
  std::unique_ptr<State> state_;
};

std::string sha256_of_text(std::string_view text);

/// Hashes the file's bytes as they are on disk. Throws Error naming the file.
std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace opgrade
