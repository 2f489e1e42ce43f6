/// The lines of a submission, for reports that show the place of a mistake.
#pragma once

#include <filesystem>
#include <memory>

#include "grader/report/fields/view.hpp"
#include "grader/task/config/config.hpp"

namespace opgrade {

/// Reads the files as the stages take them, when they are first requested.
report::SourceOf source_of(const std::filesystem::path& submission,
                           std::shared_ptr<const Config> config);

}  // namespace opgrade
