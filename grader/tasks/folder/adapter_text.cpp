#include "grader/tasks/folder/adapter_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "grader/tasks/folder/layout.hpp"

namespace opgrade {
namespace {

using Role = BufferDescription::Role;

/// "solve" with its parameters as C.
std::string declaration(const TaskDescription& task) {
  return fmt::format("extern \"C\" {}", task.function.text);
}

const BufferDescription* buffer_of(const TaskDescription& task, const Parameter& parameter) {
  const auto found = std::ranges::find(task.buffers, parameter.name, &BufferDescription::name);
  return found != task.buffers.end() ? &*found : nullptr;
}

/// Number of the parameter's slot: its buffer's place.
std::size_t slot_of(const TaskDescription& task, const BufferDescription& buffer) {
  return static_cast<std::size_t>(&buffer - task.buffers.data());
}

/// `struct Slots`: host place and size of each buffer of a call, and where its copy starts in the
/// allocation on a device. Layout has the same rule.
std::string slots_text(const TaskDescription& task) {
  std::string text = fmt::format(R"(struct Slot {{
  char* host;
  unsigned long bytes, start;
  int output;
}};

inline unsigned long aligned(unsigned long bytes) {{ return (bytes + {0}) / {1} * {1}; }}

struct Slots {{
  Slot slot[{2}];
  unsigned long bytes;
  explicit Slots(const opgrade_call* c) {{
)",
                                 kAlignment - 1, kAlignment, task.buffers.size());
  text += kExpressionFunctions;
  for (std::size_t i = 0; i < task.sizes.size(); ++i)
    text += fmt::format("    const long long {0} = c->size[{1}];\n    (void){0};\n",
                        task.sizes[i].name, i);
  text += "    char* const out = reinterpret_cast<char*>(c->buffer[0]);\n    bytes = 0;\n";
  std::string inputs;
  int shared = 1;
  for (const auto& buffer : task.buffers) {
    const bool output = buffer.role != Role::in;
    const int input = buffer.role == Role::in || buffer.role == Role::inout ? shared++ : 0;
    const std::string host =
        output ? "out + bytes" : fmt::format("reinterpret_cast<char*>(c->buffer[{}])", input);
    const auto number = slot_of(task, buffer);
    (output ? text : inputs) += fmt::format(
        "    slot[{0}] = {{{1}, static_cast<unsigned long>({2}) * {3}, bytes, {4}}};\n"
        "    bytes += aligned(slot[{0}].bytes);\n",
        number, host, elements_text(buffer), buffer.type->bytes, output ? 1 : 0);
  }
  return text + inputs + fmt::format("    bytes += {};\n  }}\n}};\n\n", kAlignment);
}

/// The call of the student's function, with the pointers that `place` names for a slot.
std::string call_text(const TaskDescription& task, const char* place) {
  std::string arguments;
  for (const auto& parameter : task.function.parameters) {
    if (!arguments.empty()) arguments += ", ";
    if (const auto* const buffer = buffer_of(task, parameter)) {
      const auto slot = slot_of(task, *buffer);
      arguments +=
          buffer->scalar
              ? fmt::format("*reinterpret_cast<const {}*>(s.slot[{}].host)", parameter.type->c_name,
                            slot)
              : fmt::format("reinterpret_cast<{}{}*>({})", parameter.constant ? "const " : "",
                            parameter.type->c_name, fmt::format(fmt::runtime(place), slot));
    } else {
      const auto size = std::ranges::find(task.sizes, parameter.name, &SizeDescription::name) -
                        task.sizes.begin();
      arguments += fmt::format("static_cast<{}>(c->size[{}])", parameter.type->c_name, size);
    }
  }
  return fmt::format("{}({});", task.function.name, arguments);
}

constexpr const char* kCopies = R"(char* device[sizeof(Slots) / sizeof(Slot)];

/* Outputs, too: what they hold before the call is the grader's. One allocation, which the grader
   opens; on the emulated device one for each buffer, so that an access behind it is found. */
void prolog(opgrade_call* c) {
  const Slots s(c);
#ifndef OPGRADE_EMULATED
  checkCudaErrors(cudaMalloc(reinterpret_cast<void**>(&c->device[0]), s.bytes));
#endif
  for (unsigned i = 0; i < sizeof device / sizeof *device; ++i) {
    const Slot& slot = s.slot[i];
#ifdef OPGRADE_EMULATED
    checkCudaErrors(cudaMalloc(reinterpret_cast<void**>(&device[i]), slot.bytes ? slot.bytes : 1));
#else
    device[i] = reinterpret_cast<char*>(c->device[0]) + slot.start;
#endif
    if (slot.bytes)
      checkCudaErrors(cudaMemcpy(device[i], slot.host, slot.bytes, cudaMemcpyHostToDevice));
  }
  checkCudaErrors(cudaDeviceSynchronize());
}

void epilog(opgrade_call* c) {
  const Slots s(c);
  for (unsigned i = 0; i < sizeof device / sizeof *device; ++i) {
    const Slot& slot = s.slot[i];
    if (slot.output && slot.bytes)
      checkCudaErrors(cudaMemcpy(slot.host, device[i], slot.bytes, cudaMemcpyDeviceToHost));
#ifdef OPGRADE_EMULATED
    checkCudaErrors(cudaFree(device[i]));
#endif
  }
#ifndef OPGRADE_EMULATED
  checkCudaErrors(cudaFree(c->device[0]));
#endif
}

)";

constexpr const char* kEnd = R"(}  // namespace

extern "C" __attribute__((visibility("default"))) const opgrade_submission* opgrade_get_submission(
    void) {
  return &kSubmission;
}
)";

std::string cpu_adapter(const TaskDescription& task) {
  return fmt::format(R"(#include <string.h>

#include "../submission_abi.h"
#include "{}.h"

namespace {{

{}void forward(opgrade_call* c) {{
  const Slots s(c);
  {}
}}

const opgrade_submission kSubmission = {{
    .abi_version = OPGRADE_ABI_VERSION, .forward = forward}};

)",
                     task.name, slots_text(task), call_text(task, "s.slot[{}].host")) +
         kEnd;
}

std::string gpu_adapter(const TaskDescription& task) {
  const std::string start = fmt::format(R"(#include <string.h>

#include "../cuda_device.h"
#include "../helper_cuda.h"
#include "{}.h"

namespace {{

{})",
                                        task.name, slots_text(task));
  const std::string forward = fmt::format(
      R"(void forward(opgrade_call* c) {{
  const Slots s(c);
  (void)s;
  opgrade_adapter::DeviceTimer timer(c);
  {}
  timer.stop();
}}

)",
      call_text(task, task.host_pointers ? "s.slot[{}].host" : "device[{}]"));
  const std::string table = fmt::format(
      "const opgrade_submission kSubmission = {{OPGRADE_ABI_VERSION,\n"
      "    {}, opgrade_adapter::synchronize, opgrade_adapter::touch,\n"
      "    {}, opgrade_adapter::findings}};\n\n",
      task.host_pointers ? "nullptr, forward, nullptr" : "prolog, forward, epilog",
      task.host_pointers ? "nullptr" : "opgrade_adapter::share_with<0>");
  return start + (task.host_pointers ? "" : kCopies) + forward + table + kEnd;
}

/// Parameters of reference(), and what the adapter passes for each.
struct ReferenceParameter {
  std::string declared, passed;
};

std::vector<ReferenceParameter> reference_parameters(const TaskDescription& task) {
  std::vector<ReferenceParameter> all;
  int shared = 1;
  std::vector<int> input_of(task.buffers.size());
  for (const auto& buffer : task.buffers)
    if (buffer.role == Role::in || buffer.role == Role::inout)
      input_of[slot_of(task, buffer)] = shared++;
  for (const auto& parameter : task.function.parameters) {
    const auto* const buffer = buffer_of(task, parameter);
    if (buffer == nullptr) {
      all.push_back({"long long " + parameter.name, parameter.name});
      continue;
    }
    const std::string input = fmt::format("reinterpret_cast<const {}*>(c->buffer[{}])",
                                          buffer->type->c_name, input_of[slot_of(task, *buffer)]);
    if (buffer->scalar) {
      all.push_back({fmt::format("{} {}", buffer->type->c_name, buffer->name), "*" + input});
      continue;
    }
    if (buffer->role == Role::in || buffer->role == Role::inout)
      all.push_back({fmt::format("const {}* {}", buffer->type->c_name, buffer->name), input});
    if (buffer->role != Role::out && buffer->role != Role::inout) continue;
    const std::string name = buffer->name + (buffer->role == Role::inout ? "_after" : "");
    const char* const type = buffer->type->floating ? "double" : "long long";
    all.push_back({fmt::format("{}* {}", type, name),
                   fmt::format("reinterpret_cast<{}*>({}_out)", type, buffer->name)});
    if (buffer->type->floating)
      all.push_back({fmt::format("double* {}_scale", name), buffer->name + "_scale"});
  }
  return all;
}

}  // namespace

const char* const kExpressionFunctions =
    "  const auto min = [](long long a, long long b) { return a < b ? a : b; };\n"
    "  const auto max = [](long long a, long long b) { return a > b ? a : b; };\n"
    "  const auto ceil_div = [](long long a, long long b) { return a / b + (a % b != 0); };\n"
    "  (void)min, (void)max, (void)ceil_div;\n";

std::string elements_text(const BufferDescription& buffer) {
  std::string product = "1LL";
  for (const auto& extent : buffer.extents) product += fmt::format(" * ({})", extent);
  return product;
}

std::string student_header(const TaskDescription& task) {
  return fmt::format(
      "/* The function that you write. */\n#pragma once\n\n#include <stdint.h>\n\n{};\n",
      declaration(task));
}

std::string student_adapter(const TaskDescription& task, Device device) {
  return device == Device::cpu ? cpu_adapter(task) : gpu_adapter(task);
}

std::string reference_header(const TaskDescription& task) {
  std::string declared;
  for (const auto& parameter : reference_parameters(task))
    declared += (declared.empty() ? "" : ", ") + parameter.declared;
  return fmt::format(
      "/* {0}: the right outputs in double precision or whole numbers. An output's scale is NaN: "
      "store the\n"
      " * sum of |terms| there where rounding is bounded by it; else the largest |output| counts. "
      "*/\n"
      "#pragma once\n\n#include <stdint.h>\n\nextern \"C\" void reference({1});\n",
      task.title, declared);
}

std::string reference_adapter(const TaskDescription& task) {
  std::string text = std::string(
                         "#include <string.h>\n\n#include \"../submission_abi.h\"\n"
                         "#include \"reference.h\"\n\nnamespace {\n\n") +
                     "void forward(opgrade_call* c) {\n" + std::string(kExpressionFunctions);
  for (std::size_t i = 0; i < task.sizes.size(); ++i)
    text +=
        fmt::format("  const long long {0} = c->size[{1}];\n  (void){0};\n", task.sizes[i].name, i);
  text += "  char* next = reinterpret_cast<char*>(c->buffer[0]);\n";
  for (const auto& buffer : task.buffers) {
    if (buffer.role != Role::out && buffer.role != Role::inout) continue;
    text += fmt::format(
        "  const unsigned long {0}_bytes = static_cast<unsigned long>({1}) * 8;\n"
        "  char* const {0}_out = next;\n  next += {0}_bytes;\n",
        buffer.name, elements_text(buffer));
    if (buffer.type->floating)
      text += fmt::format(
          "  double* const {0}_scale = reinterpret_cast<double*>(next);\n"
          "  memset(next, 0xff, {0}_bytes);\n  next += {0}_bytes;\n",
          buffer.name);
  }
  std::string arguments;
  for (const auto& parameter : reference_parameters(task))
    arguments += (arguments.empty() ? "" : ", ") + parameter.passed;
  text += fmt::format("  reference({});\n}}\n\n", arguments);
  text +=
      "const opgrade_submission kSubmission = {.abi_version = OPGRADE_ABI_VERSION, .forward = "
      "forward};\n\n";
  return text + kEnd;
}

}  // namespace opgrade
