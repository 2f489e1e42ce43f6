#include "grader/task/folder/folder_task.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "grader/task/folder/adapter_text.hpp"
#include "grader/task/folder/allowed_sizes.hpp"
#include "grader/task/folder/edited_function.hpp"
#include "grader/task/folder/expression.hpp"
#include "grader/task/folder/folder_problem.hpp"
#include "grader/task/folder/staff_text.hpp"
#include "grader/task/interface/random_values.hpp"

namespace opgrade {
namespace {

std::string names_of(const std::vector<BufferDescription>& buffers) {
  std::string text;
  for (std::size_t i = 0; i < buffers.size(); ++i)
    text += (i == 0 ? "" : i + 1 < buffers.size() ? ", " : " or ") + buffers[i].name;
  return text;
}

}  // namespace

FolderTask::FolderTask(TaskDescription description, std::string id)
    : description_(std::move(description)),
      id_(std::move(id)),
      reference_id_(id_ + ".reference"),
      buffer_names_(names_of(description_.buffers)),
      cpu_source_(description_.name + ".cc"),
      gpu_source_(description_.name + ".cu"),
      signature_(description_.program.empty() ? description_.function.text
                                              : "int main(int argc, char** argv)"),
      staff_signature_(staff_prototypes(description_)),
      staff_functions_(staff_functions(description_)),
      functions_{description_.program.empty() ? std::string_view(description_.function.name)
                                              : "main"} {
  check(description_);
  if (!description_.callers.empty()) functions_.clear();  // types.h or the caller declares them
  for (const auto& size : description_.sizes) size_names_.push_back({size.name, true});
  generated_ = {{id_ + "/cpu.cpp", student_adapter(description_, Device::cpu)},
                {id_ + "/gpu.cu", student_adapter(description_, Device::cuda)},
                {id_ + "/include/" + description_.name + ".h", student_header(description_),
                 description_.callers.empty()}};
  reference_generated_ = {{reference_id_ + "/cpu.cpp", reference_adapter(description_)},
                          {reference_id_ + "/include/reference.h", reference_header(description_)}};
  if (!description_.types.empty()) {
    const std::string types = types_header(description_);
    generated_.push_back({id_ + "/include/" + kTypesFile, types, false});
    reference_generated_.push_back({reference_id_ + "/include/" + kTypesFile, types, false});
  }
  interface_ = {.id = id_,
                .terms = "",
                .cpu_source = cpu_source_,
                .gpu_source = gpu_source_,
                .cpu_signature = signature_,
                .gpu_signature = signature_,
                .functions = functions_,
                .generated = generated_,
                .gpu_around = !description_.host_pointers};
  interface_.device_tensors = !description_.host_pointers;
  interface_.program = !description_.program.empty();
  interface_.has_caller = !description_.callers.empty();
  reference_interface_ = {.id = reference_id_,
                          .terms = "",
                          .cpu_source = "reference.cpp",
                          .gpu_source = "reference.cpp",
                          .cpu_signature = staff_signature_,
                          .functions = staff_functions_,
                          .generated = reference_generated_};
}

bool FolderTask::allows(const Coordinates& sizes) const {
  return broken_constraints(description_, sizes) == 0;
}

/// The type of the numbers with a fraction that the task reads and writes. Whole numbers next to
/// them are indices and counts.
Operations FolderTask::operations() const {
  bool has_float = false, has_double = false, has_narrow = false;
  for (const BufferDescription& buffer : description_.buffers) {
    std::vector<const ElementType*> types{buffer.type};
    if (buffer.record)
      for (const StructField& field : buffer.record->fields) types.push_back(field.type);
    for (const ElementType* const type : types) {
      has_float |= type->id == ElementType::Id::f32;
      has_double |= type->id == ElementType::Id::f64;
      has_narrow |= type->narrow();
    }
  }
  if (has_narrow || has_float == has_double) return Operations::others;
  return has_float ? Operations::fp32 : Operations::fp64;
}

std::string FolderTask::complaint(const Coordinates& sizes) const {
  for (const auto& size : description_.sizes) {
    const auto value = value_of(sizes, size.name);
    if (value < size.from || value > size.to)
      return fmt::format("'{}' is {}, and goes from {} to {}", size.name, value, size.from,
                         size.to);
  }
  try {
    for (const auto& constraint : description_.constraints)
      if (evaluate(constraint, sizes) == 0)
        return fmt::format("the sizes break the constraint '{}'", constraint);
    for (const auto& buffer : description_.buffers) elements_of(buffer, sizes);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return {};
}

std::unique_ptr<Problem> FolderTask::problem(const Coordinates& sizes,
                                             const StaffWork& staff) const {
  return std::make_unique<FolderProblem>(description_, sizes, staff.code, staff.sets);
}

/// Sizes of a kind that tiled kernels often get wrong, or any sizes. Sizes that the function does
/// not take choose inputs, so each of their values is used in turn.
Coordinates FolderTask::sizes_of_kind(int kind, std::mt19937_64& random) const {
  Coordinates sizes;
  for (const auto& size : description_.sizes) {
    const auto any = [&](std::initializer_list<int> values) { return one_of(random, values); };
    if (kind >= 0 && description_.function.find(size.name) == nullptr) {
      sizes.push_back({size.name, size.from + kind % (size.random - size.from + 1)});
      continue;
    }
    const int value = kind == 0   ? size.from
                      : kind == 1 ? any({7, 31, 61, 127, 509, 1021})    // primes
                      : kind == 2 ? any({17, 33, 65, 257, 1025})        // one more than whole tiles
                      : kind == 3 ? any({15, 31, 63, 255, 1023, 2047})  // one less
                      : kind == 4 ? any({16, 32, 64, 256, 1024})        // whole tiles
                      : kind == 5 ? size.random
                                  : draw(random, size.from, size.random);
    sizes.push_back({size.name, std::clamp(value, size.from, size.random)});
  }
  return sizes;
}

std::vector<Coordinates> FolderTask::random_sizes(int count, const Interface&,
                                                  std::mt19937_64& random) const {
  constexpr int kTries = 1000;
  std::vector<Coordinates> all;
  for (int i = 0; i < count; ++i) {
    Coordinates sizes = sizes_of_kind(i, random);
    for (int tries = 0; !allows(sizes) && tries < kTries; ++tries)
      sizes = sizes_of_kind(-1, random);
    // Repairs the sizes, because few random sizes satisfy constraints such as `rows == columns`.
    if (auto near = allowed_sizes_near(description_, std::move(sizes)))
      all.push_back(*std::move(near));
  }
  return all;
}

Coordinates FolderTask::control_sizes() const {
  // Sizes differ from each other, so that rows are not mistaken for columns.
  constexpr std::array kControl{37, 29, 41, 23};
  Coordinates sizes;
  const auto chooses_values = [&](const std::string& name) {
    return std::ranges::any_of(description_.buffers,
                               [&](const auto& buffer) { return buffer.values_by == name; });
  };
  // A size that chooses values has its first value, because the last kind of values is often NaN,
  // which hides differences.
  for (const auto& size : description_.sizes)
    sizes.push_back({size.name, chooses_values(size.name)
                                    ? size.from
                                    : std::clamp(kControl[sizes.size() % kControl.size()],
                                                 size.from, size.random)});
  if (const auto allowed = allowed_sizes_near(description_, sizes)) return *allowed;
  sizes.clear();
  for (const auto& size : description_.sizes) sizes.push_back({size.name, size.from});
  return sizes;
}

bool FolderTask::builds_own(const std::string& file) const {
  const auto name = std::filesystem::path(file).filename().string();
  return description_.callers.contains(name) || (name == kTypesFile && !description_.types.empty());
}

std::shared_ptr<const FolderTask> FolderTask::without_caller() const {
  TaskDescription plain = description_;
  plain.callers.clear();
  return std::make_shared<FolderTask>(std::move(plain), id_ + ".plain");
}

std::optional<std::string> FolderTask::given_with(const std::string& file,
                                                  const std::string& source) const {
  const auto given = description_.given.find(file);
  if (given == description_.given.end()) return std::nullopt;
  return with_function_of(given->second, source, description_.edit);
}

}  // namespace opgrade
