#include "grader/task/config/folder_config.hpp"

#include <fstream>

#include "grader/base/files/text_file.hpp"
#include "grader/task/config/own_configs.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kKey = "config: ";

}  // namespace

const char* const kFolderConfigFile = ".opgrade";

std::string folder_config_text(const std::string& argument) {
  return std::string(kKey) + argument + "\n";
}

void write_folder_config(const fs::path& folder, const std::string& argument) {
  // A name of opgrade's own config is preferred, as for --config: a folder of that name may lie
  // next to the new one.
  const std::string named = own_config(argument) ? argument : fs::absolute(argument).string();
  write_file(folder / kFolderConfigFile, folder_config_text(named));
}

std::optional<std::string> config_of_folder(const fs::path& folder) {
  std::ifstream file(folder / kFolderConfigFile);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(kKey)) continue;
    const std::string argument = line.substr(kKey.size());
    return own_config(argument) ? argument : (folder / argument).string();
  }
  return std::nullopt;
}

std::string config_of_folder_or(const fs::path& folder, const std::string& otherwise) {
  return config_of_folder(folder).value_or(otherwise);
}

}  // namespace opgrade
