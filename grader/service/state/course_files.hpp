/// Reads the files that staff write: course.yaml, roster.csv and the assignments' configs.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "grader/course/folder/course_folder.hpp"
#include "grader/course/gradebook/gradebook.hpp"
#include "grader/service/state/service_options.hpp"

namespace opgrade::service {

/// Safe to use from several threads.
class CourseFiles {
 public:
  /// `options` must outlive the object.
  CourseFiles(std::filesystem::path path, const ServiceOptions& options);

  /// The current course.yaml and roster.csv; while these have problems, the last valid ones.
  std::shared_ptr<const course::CourseFolder> folder() const;
  std::string folder_problem() const;  ///< why the current files are not used; for staff

  /// The last valid config, reread every two seconds. Equal pointers mean equal content. Throws
  /// what `options.config_of` throws if no config was valid before.
  std::shared_ptr<const Config> config_of(const course::Assignment& assignment) const;
  /// Facts of config_of().
  course::AssignmentFacts facts_of(const course::Assignment& assignment) const;
  std::vector<std::string> config_problems() const;  ///< for staff
  /// For staff: signs that a config is wrong.
  std::vector<std::string> config_warnings(course::Store& store) const;

  /// True if gradings of the assignment use GPUs of this machine.
  bool uses_gpu(const course::Assignment& assignment) const;
  /// True if gradings of the assignment begin only in the GPU's hours of course.yaml.
  bool keeps_gpu_hours(const course::Assignment& assignment) const;
  /// The hours in which work on the GPU may begin; empty if course.yaml has none.
  std::string gpu_hours() const;
  /// What gradings of the assignment must wait for now, in words that everybody may read: "staff",
  /// who must check its task, mend a file of the course or name the assignment again, or the GPU's
  /// hours. Empty: they need not wait.
  std::string waits_for(const std::string& assignment) const;

 private:
  struct KnownConfig {
    std::shared_ptr<const Config> config;
    course::AssignmentFacts facts;
    std::string content, problem, unchecked;
    bool needs_gpu = false;
    course::Moment read;
  };
  void reload() const;

  const std::filesystem::path path_;
  const ServiceOptions& options_;
  mutable std::mutex guard_;
  mutable std::shared_ptr<const course::CourseFolder> folder_;
  mutable std::string problem_, stamp_;
  mutable std::map<std::string, KnownConfig> configs_;  ///< by assignment
};

}  // namespace opgrade::service
