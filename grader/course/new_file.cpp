#include "grader/course/new_file.hpp"

#include <fmt/format.h>

#include <fstream>

#include "grader/core/error.hpp"
#include "grader/files/partial_file.hpp"

namespace opgrade::course {

bool write_new_file(const std::filesystem::path& file, const std::string& bytes,
                    const std::filesystem::path& root) {
  std::error_code error;
  if (!root.empty() && !std::filesystem::is_directory(root, error))
    throw Error(fmt::format("{} is gone; {} is not written", root.string(), file.string()),
                "was the folder moved? Repeat the command with its path of now");
  std::filesystem::create_directories(file.parent_path(), error);
  if (error)
    throw Error(fmt::format("cannot make {}: {}", file.parent_path().string(), error.message()),
                "check the free space and the rights on the course folder");
  PartialFile partial(file);
  std::ofstream stream(partial.path(), std::ios::binary);
  stream << bytes;
  if (!stream.flush())
    throw Error(fmt::format("cannot write {}", partial.path().string()),
                "check the free space of the disk");
  stream.close();
  std::filesystem::permissions(
      partial.path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  return partial.commit_new();
}

}  // namespace opgrade::course
