/// Bundles for course platforms: scripts, config and opgrade.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grader/base/files/archives.hpp"
#include "grader/report/formats/gradescope.hpp"
#include "grader/task/config/config.hpp"

namespace opgrade {

struct BundleOptions {
  std::filesystem::path package;      ///< opgrade for that platform; empty: its image has one
  report::GradescopeLate late;        ///< Gradescope alone
  std::string handin = "handin.zip";  ///< Autolab's name of the submitted file
  std::string server;                 ///< Gradescope alone: this service grades instead
  std::string assignment;             ///< of that service
  std::filesystem::path token;        ///< file with the token of its staff
};

/// The scripts of `platform` ("gradescope", "autolab", "github"), settings.sh for them, config.yaml
/// (the effective config), its models, its task's folder, and the package. Throws Error for a file
/// that cannot be read, UsageError for a package that is neither .deb nor .tar.*.
std::vector<ArchivedFile> bundle_files(const std::string& platform, const Config& config,
                                       const BundleOptions& options);

}  // namespace opgrade
