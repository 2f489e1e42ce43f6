/// Signs that an assignment's config is wrong, not the submissions. For staff alone.
#pragma once

#include <filesystem>
#include <string>

#include "grader/config/config.hpp"
#include "grader/core/events.hpp"
#include "grader/course/course_config.hpp"
#include "grader/course/executor.hpp"
#include "grader/course/rules.hpp"
#include "grader/course/store.hpp"

namespace opgrade::course {

/// report::class_warning() over the last grading that counts of each submission; empty without one.
std::string config_warning(const Store& store, const std::string& assignment);

/// Grades the reference solution, once for each config and program: its grade is kept below the
/// course folder, unless the grader failed, which is no error here. Does nothing where the
/// interface has none, or while another process grades one. `listen` gets its begin and its end.
/// Throws Interrupted.
void check_reference(
    const std::filesystem::path& folder, const Config& config, const Rules& rules,
    const GradeOne& grade, const Listener& listen = [](const Event&) {});

/// report::reference_warning() about that grade; empty where none is kept.
std::string reference_warning(const std::filesystem::path& folder, const Assignment& assignment,
                              const Rules& rules);

}  // namespace opgrade::course
