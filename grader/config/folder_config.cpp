#include "grader/config/folder_config.hpp"

#include <fstream>

#include "grader/config/own_configs.hpp"
#include "grader/files/text_file.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFile = ".opgrade";
constexpr std::string_view kKey = "config: ";

}  // namespace

void write_folder_config(const fs::path& folder, const std::string& argument) {
  // A name goes first, as for --config: a folder of that name may lie next to the new one.
  const std::string named = own_config(argument) ? argument : fs::absolute(argument).string();
  write_file(folder / kFile, std::string(kKey) + named + "\n");
}

std::optional<std::string> config_of_folder(const fs::path& folder) {
  std::ifstream file(folder / kFile);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(kKey)) return line.substr(kKey.size());
  return std::nullopt;
}

std::string config_to_check(const std::filesystem::path& folder) {
  return config_of_folder(folder).value_or("self-check");
}

}  // namespace opgrade
