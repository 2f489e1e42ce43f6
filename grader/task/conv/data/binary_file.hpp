/// A little-endian file with a format of its own. Every length is checked against the rest of the
/// file before memory is allocated for it.
#pragma once

#include <fmt/format.h>

#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "grader/base/core/error.hpp"
#include "grader/task/conv/data/weights.hpp"

namespace opgrade {

class BinaryFile {
 public:
  /// Throws Error with `hint`, as all functions do if a file ends early. `what`: "a weights file".
  BinaryFile(const std::filesystem::path& path, std::uintmax_t max_bytes, const char* what,
             const char* hint)
      : path_(path), hint_(hint) {
    std::error_code failure;
    left_ = std::filesystem::file_size(path_, failure);
    if (failure) fail(fmt::format("cannot be read: {}", failure.message()));
    if (left_ > max_bytes) fail(fmt::format("is too large to be {}", what));
    file_.open(path_, std::ios::binary);
    if (!file_) fail(fmt::format("cannot be opened: {}", std::strerror(errno)));
  }

  template <class Number>
  Number number() {
    Number n = 0;
    read(&n, sizeof n);
    return n;
  }

  std::string text(std::uint64_t length) {
    need(length);
    std::string text(length, '\0');
    read(text.data(), text.size());
    return text;
  }

  Tensor tensor(std::vector<std::int64_t> shape) {
    const auto count = static_cast<std::uintmax_t>(element_count(shape));
    need(count * sizeof(float));
    Tensor tensor{std::move(shape), std::vector<float>(count)};
    read(tensor.values.data(), count * sizeof(float));
    return tensor;
  }

  std::uintmax_t left() const { return left_; }
  /// `last` names what the file should end with: "layer".
  void expect_end(const char* last) const {
    if (left_ != 0) fail(fmt::format("goes on for {} bytes after its last {}", left_, last));
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(fmt::format("{} {}", path_.string(), what), hint_);
  }

 private:
  void need(std::uintmax_t bytes) const {
    if (bytes > left_) fail("is truncated");
  }

  void read(void* to, std::size_t bytes) {
    static_assert(std::endian::native == std::endian::little, "the file is little-endian");
    need(bytes);
    file_.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes));
    if (!file_) fail("cannot be read to its end");
    left_ -= bytes;
  }

  std::filesystem::path path_;
  const char* hint_;
  std::ifstream file_;
  std::uintmax_t left_ = 0;
};

}  // namespace opgrade
