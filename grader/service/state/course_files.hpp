/// The files that staff write, as they are now: course.yaml, roster.csv and the assignments'
/// configs.
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

/// May be asked by several threads.
class CourseFiles {
 public:
  /// `options` outlives it.
  CourseFiles(std::filesystem::path path, const ServiceOptions& options);

  /// course.yaml and roster.csv as they are now. While they have problems: as they were.
  std::shared_ptr<const course::CourseFolder> folder() const;
  std::string folder_problem() const;  ///< why the files of now are not used; for staff

  /// As its file is now, within seconds. While it has problems: as it was. The same pointer means
  /// the same content. Throws what `options.config_of` does where there was none before.
  std::shared_ptr<const Config> config_of(const course::Assignment& assignment) const;
  course::AssignmentFacts facts_of(const course::Assignment& assignment) const;  ///< of config_of()
  std::vector<std::string> config_problems() const;                              ///< for staff
  /// For staff: signs that a config is wrong.
  std::vector<std::string> config_warnings(course::Store& store) const;

  /// True if gradings of the assignment use GPUs of this machine.
  bool uses_gpu(const course::Assignment& assignment) const;
  /// True if gradings of the assignment begin only in the GPU's hours of course.yaml.
  bool keeps_gpu_hours(const course::Assignment& assignment) const;
  /// The hours in which work that uses the GPU begins; empty where there are none.
  std::string gpu_hours() const;
  /// What gradings of the assignment cannot begin without now, in words that everybody may read:
  /// staff, who check its task, or the GPU's hours. Empty: nothing.
  std::string waits_for(const course::Assignment& assignment) const;

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
