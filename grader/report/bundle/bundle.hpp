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
  report::GradescopeLate late;        ///< for Gradescope only
  std::string handin = "handin.zip";  ///< Autolab's name of the submitted file
  std::string server;                 ///< for Gradescope only: this service grades the submissions
  std::string assignment;             ///< the service's assignment
  std::filesystem::path token;        ///< file with the token of the service's staff
};

/// The scripts of `platform` ("gradescope", "autolab", "github"), settings.sh for them, config.yaml
/// (the effective config), its models, its task's folder, and the package. Throws Error if a file
/// cannot be read, UsageError if the package is neither .deb nor .tar.*.
std::vector<ArchivedFile> bundle_files(const std::string& platform, const Config& config,
                                       const BundleOptions& options);

}  // namespace opgrade
