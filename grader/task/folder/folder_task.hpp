/// A task that a lecturer wrote as a folder.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "grader/task/folder/description.hpp"
#include "grader/task/interface/task.hpp"

namespace opgrade {

class FolderTask final : public Task {
 public:
  /// `id` names this state of the folder. Throws std::invalid_argument as check() does.
  FolderTask(TaskDescription description, std::string id);
  FolderTask(const FolderTask&) = delete;  // its interfaces are views into it
  FolderTask& operator=(const FolderTask&) = delete;

  const TaskDescription& description() const { return description_; }

  /// The task's YAML file.
  const std::filesystem::path& file() const { return description_.file; }
  std::filesystem::path folder() const { return file().parent_path(); }

  /// The source to build instead of the submission's `file`, if a student may only change one
  /// function of this given file; nullopt for other files. Throws std::invalid_argument if the
  /// student changed more.
  std::optional<std::string> given_with(const std::string& file, const std::string& source) const;

  /// True if staff's own file of this name is built with every submission; a submission's file of
  /// this name is then ignored.
  bool builds_own(const std::string& file) const;

  /// This exercise without staff's caller: opgrade calls the function itself.
  std::shared_ptr<const FolderTask> without_caller() const;

  /// How reference.cpp of the folder is built and called.
  const Interface& reference_interface() const { return reference_interface_; }
  /// Names of the source files for reference_interface(), in the folder.
  std::vector<std::string> staff_sources() const { return description_.sources(); }

  /// Whether sizes satisfy the constraints.
  bool allows(const Coordinates& sizes) const;

  std::string_view id() const override { return id_; }
  std::string_view operation() const override {
    return description_.program.empty() ? description_.function.name : description_.name;
  }
  std::string_view buffer_names() const override { return buffer_names_; }
  std::span<const Interface> interfaces() const override { return {&interface_, 1}; }
  std::span<const SizeName> size_names() const override { return size_names_; }
  std::string complaint(const Coordinates& sizes) const override;
  Operations operations() const override;
  using Task::problem;
  std::unique_ptr<Problem> problem(const Coordinates& sizes, const StaffWork& staff) const override;
  std::vector<Coordinates> random_sizes(int count, const Interface& interface,
                                        std::mt19937_64& random) const override;
  Coordinates control_sizes() const override;

 private:
  Coordinates sizes_of_kind(int kind, std::mt19937_64& random) const;

  const TaskDescription description_;
  const std::string id_, reference_id_, buffer_names_, cpu_source_, gpu_source_, signature_,
      staff_signature_;
  std::vector<SizeName> size_names_;
  std::vector<std::string_view> staff_functions_;
  std::vector<GeneratedFile> generated_, reference_generated_;
  std::vector<std::string_view> functions_;
  Interface interface_, reference_interface_;
};

}  // namespace opgrade
