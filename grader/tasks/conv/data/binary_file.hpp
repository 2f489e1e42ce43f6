/// A little-endian file with a format of its own. Every length is held against what is left of the
/// file before memory is taken for it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "grader/tasks/conv/data/weights.hpp"

namespace opgrade {

class BinaryFile {
 public:
  /// Throws Error, as all functions do for a file that ends early, with `hint`. `what`: "a weights
  /// file".
  BinaryFile(const std::filesystem::path& path, std::uintmax_t max_bytes, const char* what,
             const char* hint);

  template <class Number>
  Number number() {
    Number n = 0;
    read(&n, sizeof n);
    return n;
  }

  std::string text(std::uint64_t length);
  Tensor tensor(std::vector<std::int64_t> shape);

  std::uintmax_t left() const { return left_; }
  /// `last`: "layer".
  void expect_end(const char* last) const;

  [[noreturn]] void fail(const std::string& what) const;

 private:
  void need(std::uintmax_t bytes) const;
  void read(void* to, std::size_t bytes);

  std::filesystem::path path_;
  const char* hint_;
  std::ifstream file_;
  std::uintmax_t left_ = 0;
};

}  // namespace opgrade
