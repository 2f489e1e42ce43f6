/// Small files for the tests of the convolution's data, whole and damaged.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "grader/base/core/error.hpp"

namespace opgrade::test {

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_file(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  EXPECT_TRUE(file) << path;
}

inline void write_gz(const std::filesystem::path& path, const std::string& bytes) {
  const gzFile file = gzopen(path.c_str(), "wb");
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size())), int(bytes.size()));
  EXPECT_EQ(gzclose(file), Z_OK);
}

/// An idx file: the magic number and the sizes as big-endian numbers, then the values.
inline std::string idx(std::uint32_t magic, const std::vector<std::uint32_t>& sizes,
                       const std::string& values) {
  std::string bytes;
  const auto add = [&](std::uint32_t number) {
    for (const int shift : {24, 16, 8, 0}) bytes += static_cast<char>(number >> shift & 0xff);
  };
  add(magic);
  for (const std::uint32_t size : sizes) add(size);
  return bytes + values;
}

inline constexpr std::uint32_t kImages = 0x803, kLabels = 0x801;

/// What an Error says, or "none".
template <class Call>
std::string complaint(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

/// Names of what lies in a folder, for a look at leftovers.
inline std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  return names;
}

}  // namespace opgrade::test
