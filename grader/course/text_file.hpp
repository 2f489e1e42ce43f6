/// Reads the files that staff write.
#pragma once

#include <filesystem>
#include <string>
#include <tl/expected.hpp>

namespace opgrade::course {

/// The whole file, at most 16 MiB; or why not, with what to do.
tl::expected<std::string, std::string> read_text_file(const std::filesystem::path& file);

}  // namespace opgrade::course
