#include "grader/task/folder/adapter_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "grader/task/folder/layout.hpp"
#include "grader/task/folder/program_text.hpp"

namespace opgrade {
namespace {

using Role = BufferDescription::Role;

constexpr const char* kSystemHeaders =
    "#include <dlfcn.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
    "#include <sys/syscall.h>\n#include <unistd.h>\n\n";

std::string types_text(const TaskDescription& task);

/// The task's files that an adapter includes, and the functions that it calls.
std::string declarations_text(const TaskDescription& task, Device device) {
  if (!task.program.empty())
    return (written_by_staff(task).empty() && read_by_staff(task).empty() ? "" : types_text(task)) +
           files_declarations(task) + "\n";
  if (task.caller_on(device).empty()) return fmt::format("#include \"{}.h\"\n\n", task.name);
  return types_text(task) + task.function.declaration("static ") + "\n\n";
}

/// Follows all of opgrade's own code, so that its macros cannot change that code.
std::string staffs_text(const TaskDescription& task, Device device) {
  std::string text;
  const auto add = [&](std::string_view file, const std::string& code) {
    text += fmt::format("\n#line 1 \"{}\"\n{}\n", file, code);
  };
  if (const std::string file = task.caller_on(device); !file.empty())
    add(file, task.callers.at(file));
  if (!written_by_staff(task).empty()) add(kWriterFile, task.writer);
  if (!read_by_staff(task).empty()) add(kReaderFile, task.reader);
  return text;
}

/// `struct Slots` holds the host address and size of each buffer of a call, and where its copy
/// starts in the allocation on a device. Layout has the same rule.
std::string slots_text(const TaskDescription& task) {
  std::string text = fmt::format(R"(struct Slot {{
  char* host;
  unsigned long bytes, start;
  int output, scalar;
}};

inline unsigned long aligned(unsigned long bytes) {{ return (bytes + {0}) / {1} * {1}; }}

struct Slots {{
  Slot slot[{2}];
  unsigned long bytes;
  explicit Slots(const opgrade_call* c) {{
)",
                                 kOutputAlignment - 1, kOutputAlignment, task.buffers.size());
  text += sizes_text(task);
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
        "    slot[{0}] = {{{1}, {2}, bytes, {3:d}, {4:d}}};\n"
        "    bytes += aligned(slot[{0}].bytes + {5});\n",
        number, host, bytes_text(buffer), output, buffer.scalar, output ? kGuardBytes : 0);
  }
  return text + "    (void)out;\n" + inputs +
         fmt::format("    bytes += {};\n  }}\n}};\n\n", kOutputAlignment);
}

/// The call of the student's function. `place` names the pointer of a slot.
std::string call_text(const TaskDescription& task, const char* place) {
  std::string arguments;
  for (const auto& parameter : task.function.parameters)
    arguments += (arguments.empty() ? "" : ", ") + argument_text(task, parameter, place);
  const auto* const result = task.function.returns != nullptr ? task.find(kReturned) : nullptr;
  return fmt::format(
      "{}{}({});",
      result != nullptr ? value_text(task, *result, task.function.returns_spelled) + " = " : "",
      task.function.name, arguments);
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
    if (slot.scalar) continue; /* on the host */
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
    if (slot.scalar) continue;
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

/// Not timed, because the first allocation and the first copies of a process take longer than later
/// ones.
constexpr const char* kWarmed = R"(void prepare(opgrade_call*) {
#ifndef OPGRADE_EMULATED
  static char block[1 << 16];
  void* device = nullptr;
  checkCudaErrors(cudaMalloc(&device, sizeof block));
  checkCudaErrors(cudaMemcpy(device, block, sizeof block, cudaMemcpyHostToDevice));
  checkCudaErrors(cudaMemcpy(block, device, sizeof block, cudaMemcpyDeviceToHost));
  checkCudaErrors(cudaFree(device));
#endif
}

)";

std::string cpu_adapter(const TaskDescription& task) {
  const bool program = !task.program.empty();
  return fmt::format(R"({}#include "../submission_abi.h"
{}{}namespace {{

{}{}void forward(opgrade_call* c) {{
  const Slots s(c);
  (void)s;
  {}
}}

const opgrade_submission kSubmission = {{
    .abi_version = OPGRADE_ABI_VERSION, .forward = forward{}}};

)",
                     kSystemHeaders, declarations_text(task, Device::cpu),
                     program ? program_start(task) : "", slots_text(task),
                     program ? program_text(task) : "",
                     program ? "run_program(c);" : call_text(task, "s.slot[{}].host"),
                     program ? ", .collect = collect" : "") +
         kAdapterEnd + staffs_text(task, Device::cpu);
}

std::string gpu_adapter(const TaskDescription& task) {
  const bool program = !task.program.empty();
  const std::string start = fmt::format(R"({}#include "../cuda_device.h"
#include "../helper_cuda.h"
{}{}namespace {{

{})",
                                        kSystemHeaders, declarations_text(task, Device::cuda),
                                        program ? program_start(task) : "", slots_text(task));
  // A program may reset the device, which destroys the events of a timer.
  const std::string forward =
      program ? fmt::format("{}void forward(opgrade_call* c) {{ run_program(c); }}\n\n", kWarmed)
              : fmt::format(
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
      "    {}, opgrade_adapter::findings{}}};\n\n",
      task.host_pointers ? "nullptr, forward, nullptr" : "prolog, forward, epilog",
      task.host_pointers ? "nullptr" : "opgrade_adapter::share_with<0>",
      program ? ", prepare, nullptr, collect" : "");
  return start + (task.host_pointers ? "" : kCopies) + (program ? program_text(task) : "") +
         forward + table + kAdapterEnd + staffs_text(task, Device::cuda);
}

}  // namespace

std::size_t slot_of(const TaskDescription& task, const BufferDescription& buffer) {
  return static_cast<std::size_t>(&buffer - task.buffers.data());
}

std::string value_text(const TaskDescription& task, const BufferDescription& buffer,
                       const std::string& type) {
  return fmt::format("*reinterpret_cast<{}*>(s.slot[{}].host)", type, slot_of(task, buffer));
}

std::string argument_text(const TaskDescription& task, const Parameter& parameter,
                          const char* place) {
  if (const auto* const buffer = task.find(parameter.name)) {
    const std::string type = (parameter.constant ? "const " : "") + parameter.spelled;
    return buffer->scalar ? value_text(task, *buffer, type)
                          : fmt::format("reinterpret_cast<{}*>({})", type,
                                        fmt::format(fmt::runtime(place), slot_of(task, *buffer)));
  }
  const auto size =
      std::ranges::find(task.sizes, parameter.name, &SizeDescription::name) - task.sizes.begin();
  return fmt::format("static_cast<{}>(c->size[{}])", parameter.spelled, size);
}

const char* const kAdapterEnd = "}  // namespace\n\nOPGRADE_EXPORT(kSubmission)\n";

const char* const kExpressionFunctions =
    "  const auto min = [](long long a, long long b) { return a < b ? a : b; };\n"
    "  const auto max = [](long long a, long long b) { return a > b ? a : b; };\n"
    "  const auto ceil_div = [](long long a, long long b) { return a / b + (a % b != 0); };\n"
    "  const auto pow2_ceil = [](long long a) {\n"
    "    long long power = 1;\n"
    "    while (power < a) power *= 2;\n"
    "    return power;\n"
    "  };\n"
    "  (void)min, (void)max, (void)ceil_div, (void)pow2_ceil;\n";

std::string sizes_text(const TaskDescription& task) {
  std::string text = kExpressionFunctions;
  for (std::size_t i = 0; i < task.sizes.size(); ++i)
    text +=
        fmt::format("  const long long {0} = c->size[{1}];\n  (void){0};\n", task.sizes[i].name, i);
  return text;
}

std::string elements_text(const BufferDescription& buffer) {
  std::string product = fmt::format("{}LL", buffer.components);
  for (const auto& extent : buffer.extents) product += fmt::format(" * ({})", extent);
  return product;
}

std::string bytes_text(const BufferDescription& buffer) {
  std::string product = fmt::format("{}UL", buffer.element_bytes());
  for (const auto& extent : buffer.extents)
    product += fmt::format(" * static_cast<unsigned long>({})", extent);
  return product;
}

namespace {

/// A vector type as CUDA's headers define it.
std::string vector_text(const std::string& name, const ValueType& value) {
  std::string members, parameters, values;
  for (const char component :
       kComponentNames.substr(0, static_cast<std::size_t>(value.components))) {
    members += fmt::format("{}{}", members.empty() ? "" : ", ", component);
    parameters +=
        fmt::format("{}{} {}", parameters.empty() ? "" : ", ", value.type->c_name, component);
  }
  values = members;
  const auto components = static_cast<std::size_t>(value.components);
  const std::size_t aligned = value.type->bytes * (components == 3 ? 1 : components);
  return fmt::format(
      "struct alignas({}) {} {{\n  {} {};\n}};\n"
      "inline {} make_{}({}) {{ return {{{}}}; }}\n",
      aligned, name, value.type->c_name, members, name, name, parameters, values);
}

/// Definitions of those of CUDA's vector types that `names` has.
std::string vectors_text(const std::vector<std::string>& names) {
  std::map<std::string, ValueType> used;
  for (const auto& name : names)
    if (const ValueType value = find_value_type(name); value.components > 1) used[name] = value;
  if (used.empty()) return "";
  std::string text = R"(#if defined(__CUDACC__) || defined(OPGRADE_EMULATED)
#include <cuda_runtime.h>
#elif __has_include(<vector_functions.h>)
#include <vector_functions.h>
#else
)";
  for (const auto& [name, value] : used) text += vector_text(name, value);
  return text + "#endif\n\n";
}

constexpr const char* kHalf = R"(#if defined(__CUDACC__) || defined(OPGRADE_EMULATED)
#include <cuda_fp16.h>
#else
typedef _Float16 half;
typedef _Float16 __half;
#endif

)";

constexpr const char* kBfloat = R"(#if defined(__CUDACC__) || defined(OPGRADE_EMULATED)
#include <cuda_bf16.h>
#else
struct __nv_bfloat16 {
  unsigned short bits;
  __nv_bfloat16() = default;
  __nv_bfloat16(float value) {
    unsigned whole;
    __builtin_memcpy(&whole, &value, 4);
    bits = static_cast<unsigned short>((whole + 0x7fff + (whole >> 16 & 1)) >> 16);
  }
  operator float() const {
    const unsigned whole = static_cast<unsigned>(bits) << 16;
    float value;
    __builtin_memcpy(&value, &whole, 4);
    return value;
  }
};
#endif

)";

/// Includes CUDA's headers; on a CPU, defines their types.
std::string cuda_types_text(const std::vector<std::string>& names) {
  const auto has = [&](ElementType::Id id) {
    return std::ranges::any_of(names, [&](const std::string& name) {
      const ElementType* const type = find_element_type(name);
      return type != nullptr && type->id == id;
    });
  };
  return std::string(has(ElementType::Id::f16) ? kHalf : "") +
         (has(ElementType::Id::bf16) ? kBfloat : "") + vectors_text(names);
}

/// Defines the types of the prototype.
std::string types_text(const TaskDescription& task) {
  std::vector<std::string> names{task.function.returns_spelled};
  for (const Parameter& one : task.function.parameters) names.push_back(one.spelled);
  const auto defined = cuda_types_in(task.types);
  std::erase_if(names, [&](const std::string& name) {
    return std::ranges::find(defined, name) != defined.end();
  });
  return "#include <stddef.h>\n#include <stdint.h>\n\n" +
         std::string(task.types.empty() ? "" : "#include \"types.h\"\n\n") + cuda_types_text(names);
}

}  // namespace

std::string student_header(const TaskDescription& task) {
  if (!task.program.empty())
    return "/* You write main(); wb.h reads and writes its files. */\n#pragma once\n";
  if (!task.callers.empty())
    return fmt::format("/* {} calls what you write. */\n#pragma once\n\n{}",
                       task.callers.begin()->first, types_text(task));
  return fmt::format("/* The function that you write. */\n#pragma once\n\n{}{}\n", types_text(task),
                     task.function.declaration());
}

std::string types_header(const TaskDescription& task) {
  return fmt::format(
      "#ifndef OPGRADE_TYPES_H\n#define OPGRADE_TYPES_H\n\n#include <stddef.h>\n"
      "#include <stdint.h>\n\n{}{}\n#endif\n",
      cuda_types_text(cuda_types_in(task.types)), task.types);
}

std::string student_adapter(const TaskDescription& task, Device device) {
  return device == Device::cpu ? cpu_adapter(task) : gpu_adapter(task);
}

}  // namespace opgrade
