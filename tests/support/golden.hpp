/// Compares a text with a file of the repository; UPDATE_GOLDEN=1 rewrites the file instead.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace opgrade::test {

inline std::string read_text(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Fails, showing both texts and their difference, unless `got` is the content of `file`. A missing
/// file is a failure too: a golden file is made on purpose and read before it is committed.
inline void expect_golden(const std::filesystem::path& file, const std::string& got) {
  const char* update = std::getenv("UPDATE_GOLDEN");
  if (update != nullptr && *update != '\0' && std::string(update) != "0") {
    std::ofstream out(file, std::ios::binary);
    out << got;
    ASSERT_TRUE(out.flush()) << "cannot write " << file;
    return;
  }
  ASSERT_TRUE(std::filesystem::exists(file)) << file << " is missing; make it with UPDATE_GOLDEN=1";
  EXPECT_EQ(read_text(file), got) << file << "\nIf the change is meant: UPDATE_GOLDEN=1, then read "
                                  << "the difference before committing it.";
}

}  // namespace opgrade::test
