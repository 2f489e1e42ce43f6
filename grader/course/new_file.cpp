#include "grader/course/new_file.hpp"

#include <fmt/format.h>

#include "grader/core/error.hpp"
#include "grader/files/partial_file.hpp"
#include "grader/files/text_file.hpp"

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
  write_whole(partial.path(), bytes, 0600);
  return partial.commit_new();
}

}  // namespace opgrade::course
