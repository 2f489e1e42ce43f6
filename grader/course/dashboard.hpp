/// The state of a class as one HTML file that needs no network.
#pragma once

#include <string>

#include "grader/course/course_folder.hpp"
#include "grader/course/gradebook.hpp"
#include "grader/course/store.hpp"

namespace opgrade::course {

/// For staff: it holds every student's grades, gradings and changes. `now` stands in its header.
std::string dashboard(const CourseFolder& folder, const Store& store, const Gradebook& book,
                      Moment now);

/// The page around the data: `data` is JSON.
std::string dashboard_page(const std::string& title, const std::string& data);

}  // namespace opgrade::course
