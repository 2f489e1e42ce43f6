/// A task that a lecturer wrote as a folder.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "grader/task/task.hpp"
#include "grader/tasks/folder/description.hpp"
#include "grader/tasks/folder/reference_trial.hpp"

namespace opgrade {

class FolderTask final : public Task {
 public:
  /// `id` names this state of the folder. Throws std::invalid_argument as check() does.
  FolderTask(TaskDescription description, std::string id);

  const TaskDescription& description() const { return description_; }
  /// See FolderProblem::try_reference().
  ReferenceTrial try_reference(const Coordinates& sizes, ReferenceCode* poisoned) const;
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
  std::unique_ptr<Problem> problem(const Coordinates& sizes) const override;
  std::vector<Coordinates> random_sizes(int count, const Interface& interface,
                                        std::mt19937_64& random) const override;
  Coordinates control_sizes() const override;
  std::vector<GeneratedFile> generated_files(const Interface& interface) const override;
  std::filesystem::path file() const override { return description_.file; }
  std::optional<std::string> given_with(const std::string& file,
                                        const std::string& source) const override;
  const Interface* reference_interface() const override { return &reference_interface_; }
  std::vector<std::string> staff_sources() const override { return description_.sources(); }
  bool has_reference() const override;
  void use(std::shared_ptr<ReferenceCode> reference) const override;

 private:
  Coordinates sizes_of_kind(int kind, std::mt19937_64& random) const;

  const TaskDescription description_;
  const std::string id_, reference_id_, buffer_names_, cpu_source_, gpu_source_, signature_,
      staff_signature_;
  std::vector<SizeName> size_names_;
  std::vector<std::string_view> staff_functions_;
  std::array<std::string_view, 1> functions_;
  Interface interface_, reference_interface_;
  mutable std::mutex guard_;
  mutable std::shared_ptr<ReferenceCode> reference_;
};

}  // namespace opgrade
