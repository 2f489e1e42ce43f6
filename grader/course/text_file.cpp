#include "grader/course/text_file.hpp"

#include <fstream>
#include <sstream>

namespace opgrade::course {

tl::expected<std::string, std::string> read_text_file(const std::filesystem::path& file) {
  constexpr std::uintmax_t kMaxBytes = 16 << 20;
  std::error_code error;
  std::ifstream stream(file, std::ios::binary);
  if (!stream || std::filesystem::is_directory(file, error))
    return tl::unexpected<std::string>("cannot be read; is the path right?");
  if (std::filesystem::file_size(file, error) > kMaxBytes)
    return tl::unexpected<std::string>("is larger than 16 MiB; is it the right file?");
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

}  // namespace opgrade::course
