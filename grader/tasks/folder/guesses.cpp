#include "grader/tasks/folder/guesses.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "grader/tasks/folder/adapter_text.hpp"

namespace opgrade {
namespace {

/// Whether the function can tell its elements: it takes all sizes that the extents name.
bool is_known(const TaskDescription& task, const BufferDescription& buffer) {
  Coordinates sizes;
  for (const auto& size : task.sizes)
    if (task.function.find(size.name) != nullptr) sizes.push_back({size.name, size.to});
  try {
    elements_of(buffer, sizes);
    return true;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

/// Statements that set each output, from the input `from` where there is one.
std::string source_of(const TaskDescription& task, Device device, const std::string& value,
                      const BufferDescription* from) {
  const bool kernel = device != Device::cpu && !task.host_pointers;
  std::string text = fmt::format("#include \"{}.h\"\n\n", task.name);
  text += "template <class To, class From>\n";
  text += kernel ? "__global__ void set(To* to, long long n, const From* from, long long m) {\n"
                   "  for (long long i = threadIdx.x; i < n; i += blockDim.x)\n"
                 : "void set(To* to, long long n, const From* from, long long m) {\n"
                   "  for (long long i = 0; i < n; ++i)\n";
  text += fmt::format(
      "    to[i] = from && i < m ? static_cast<To>(from[i]) : static_cast<To>({});\n}}\n\n", value);
  text += fmt::format("extern \"C\" {} {{\n", task.function.text);
  text += kExpressionFunctions;
  for (const auto& buffer : task.buffers) {
    if (!buffer.is_checked() || buffer.name == kReturned || !is_known(task, buffer)) continue;
    const auto* const parameter = task.function.find(buffer.name);
    if (buffer.scalar) {
      text += fmt::format("  {} = static_cast<{}>({});\n", buffer.name, parameter->spelled, value);
      continue;
    }
    text += fmt::format("  set{}({}, {}, {}, {});\n", kernel ? "<<<1, 256>>>" : "", buffer.name,
                        elements_text(buffer),
                        from != nullptr
                            ? from->name
                            : fmt::format("static_cast<const {}*>(nullptr)", parameter->spelled),
                        from != nullptr ? elements_text(*from) : "0");
  }
  if (task.function.returns != nullptr)
    text += fmt::format("  return static_cast<{}>({});\n", task.function.returns_spelled, value);
  return text + "}\n";
}

std::string nothing(const TaskDescription& task) {
  return fmt::format("#include \"{}.h\"\n\nextern \"C\" {} {{{}}}\n", task.name, task.function.text,
                     task.function.returns != nullptr ? " return {}; " : "");
}

}  // namespace

std::vector<Guess> guesses_at(const TaskDescription& task, Device device) {
  if (!task.program.empty())
    return {{"writes nothing", "#include <wb.h>\n\nint main() { return 0; }\n"}};
  std::vector<Guess> guesses{{"writes nothing", nothing(task)},
                             {"writes zeros", source_of(task, device, "0", nullptr)},
                             {"writes ones", source_of(task, device, "1", nullptr)}};
  for (const auto& buffer : task.buffers)
    if (buffer.role == BufferDescription::Role::in && !buffer.scalar && is_known(task, buffer))
      guesses.push_back({"copies " + buffer.name, source_of(task, device, "0", &buffer)});
  return guesses;
}

}  // namespace opgrade
