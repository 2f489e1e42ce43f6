#include "grader/tasks/folder/adapter_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "grader/tasks/folder/layout.hpp"

namespace opgrade {
namespace {

using Role = BufferDescription::Role;

constexpr const char* kSystemHeaders =
    "#include <dlfcn.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
    "#include <sys/syscall.h>\n#include <unistd.h>\n\n";

/// What a program that is not synchronised with C's files has not written yet lies in std::cout.
/// libstdc++ flushes it when the process ends, which is after the output was read.
constexpr const char* kStream = "#include <iostream>\n\n";

std::string types_text(const TaskDescription& task);

/// What an adapter includes of the task, and what it calls.
std::string declarations_text(const TaskDescription& task, Device device) {
  if (task.caller_on(device).empty()) return fmt::format("#include \"{}.h\"\n\n", task.name);
  return types_text(task) + task.function.declaration("static ") + "\n\n";
}

/// Behind all of opgrade's own code, which its macros cannot change.
std::string caller_text(const TaskDescription& task, Device device) {
  const std::string file = task.caller_on(device);
  if (file.empty()) return "";
  return fmt::format("\n#line 1 \"{}\"\n{}", file, task.callers.at(file));
}

/// Number of a buffer's slot: its place.
std::size_t slot_of(const TaskDescription& task, const BufferDescription& buffer) {
  return static_cast<std::size_t>(&buffer - task.buffers.data());
}

/// `struct Slots`: host place and size of each buffer of a call, and where its copy starts in the
/// allocation on a device. Layout has the same rule.
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

/// The call of the student's function, with the pointers that `place` names for a slot. Values,
/// references and what is returned lie on the host.
std::string call_text(const TaskDescription& task, const char* place) {
  const auto on_host = [&](const BufferDescription& buffer, const std::string& type) {
    return fmt::format("*reinterpret_cast<{}*>(s.slot[{}].host)", type, slot_of(task, buffer));
  };
  std::string arguments;
  for (const auto& parameter : task.function.parameters) {
    if (!arguments.empty()) arguments += ", ";
    if (const auto* const buffer = task.find(parameter.name)) {
      const std::string type = (parameter.constant ? "const " : "") + parameter.spelled;
      arguments += buffer->scalar
                       ? on_host(*buffer, type)
                       : fmt::format("reinterpret_cast<{}*>({})", type,
                                     fmt::format(fmt::runtime(place), slot_of(task, *buffer)));
    } else {
      const auto size = std::ranges::find(task.sizes, parameter.name, &SizeDescription::name) -
                        task.sizes.begin();
      arguments += fmt::format("static_cast<{}>(c->size[{}])", parameter.spelled, size);
    }
  }
  const auto* const result = task.function.returns != nullptr ? task.find(kReturned) : nullptr;
  return fmt::format(
      "{}{}({});", result != nullptr ? on_host(*result, task.function.returns_spelled) + " = " : "",
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

/// A program's ends without the handlers of exit(). Hidden, so that only the submission calls
/// these. The harness has a handler of its own for the usual end.
constexpr const char* kExits = R"(static struct {
  void (*over)(int status); /* null: nobody waits for an output */
  int quick_status;
} opgrade_end;

extern "C" {
__attribute__((visibility("hidden"))) void opgrade_end1(int) __asm__("_exit");
__attribute__((visibility("hidden"))) void opgrade_end2(int) __asm__("_Exit");
__attribute__((visibility("hidden"))) void opgrade_end3(int) __asm__("quick_exit");
int opgrade_program(int, char**, char**) __asm__("main");
}

void opgrade_end1(int status) {
  if (opgrade_end.over) opgrade_end.over(status);
  for (;;) syscall(SYS_exit_group, status);
}
void opgrade_end2(int status) { opgrade_end1(status); }
void opgrade_end3(int status) {
  typedef void (*Exit)(int);
  opgrade_end.quick_status = status;
  reinterpret_cast<Exit>(dlsym(RTLD_DEFAULT, "quick_exit"))(status);
  opgrade_end1(status);
}

)";

/// Reads and writes the data files of a program.
constexpr const char* kFiles = R"(template <class T>
void write_value(FILE* out, T value) {
  if (static_cast<T>(0.5) == 0)
    fprintf(out, static_cast<T>(-1) < T() ? "%lld\n" : "%llu\n", static_cast<long long>(value));
  else
    fprintf(out, sizeof(T) == 4 ? "%.9g\n" : "%.17g\n", static_cast<double>(value));
}

/* What stands before a buffer in its file. */
struct Start {
  unsigned long count;
  long long value[8];
};

template <class T>
void write_file(const char* name, const char* extents, const Start& start, const char* from,
                unsigned long count) {
  FILE* const out = fopen(name, "w");
  if (!out) abort();
  fprintf(out, "%s\n", extents);
  for (unsigned long i = 0; i < start.count; ++i) fprintf(out, "%lld\n", from ? start.value[i] : 0);
  for (unsigned long i = 0; i < count; ++i)
    write_value(out, from ? reinterpret_cast<const T*>(from)[i] : T());
  if (fclose(out) != 0) abort();
}

/* What is missing stays as it was: not written. */
template <class T>
void read_file(const char* name, const Start& start, char* to, unsigned long count) {
  FILE* const in = fopen(name, "r");
  char line[256];
  if (!in) {
    printf("the program wrote no %s\n", name);
    return;
  }
  char word[64];
  const bool whole_line = fgets(line, sizeof line, in);
  for (unsigned long i = 0; whole_line && i < start.count; ++i)
    if (fscanf(in, "%63s", word) != 1 || strtod(word, nullptr) != start.value[i]) {
      printf("value %lu of %s is not %lld\n", i, name, start.value[i]);
      fclose(in);
      return;
    }
  if (whole_line)
    for (unsigned long i = 0; i < count && fscanf(in, "%63s", word) == 1; ++i) {
      char* end;
      const unsigned long long whole = strtoull(word, &end, 10); /* exact beyond 2^53 */
      const bool is_whole = *end == 0 && static_cast<T>(0.5) == 0;
      reinterpret_cast<T*>(to)[i] =
          is_whole ? static_cast<T>(whole) : static_cast<T>(strtod(word, nullptr));
    }
  fclose(in);
}

inline void write_image(const char* name, const char* extents, const char* from,
                        unsigned long count) {
  FILE* const out = fopen(name, "wb");
  if (!out) abort();
  fprintf(out, "P6\n%s\n255\n", extents);
  for (unsigned long i = 0; i < count; ++i)
    fputc(from ? static_cast<int>(reinterpret_cast<const float*>(from)[i] * 255 + 0.5f) : 0, out);
  if (fclose(out) != 0) abort();
}

inline void read_image(const char* name, char* to, unsigned long count) {
  FILE* const in = fopen(name, "rb");
  unsigned long columns, rows, most;
  if (!in || fscanf(in, "P6 %lu %lu %lu", &columns, &rows, &most) != 3 || columns * rows * 3 != count)
    printf("the program wrote no image %s of the right size\n", name);
  else if (fgetc(in) != EOF)
    for (unsigned long i = 0; i < count; ++i)
      reinterpret_cast<float*>(to)[i] = static_cast<float>(fgetc(in)) / static_cast<float>(most);
  if (in) fclose(in);
}

)";

/// Binary files: whole numbers of four bytes, then the values as in memory.
constexpr const char* kBinaryFiles = R"(template <class T>
void write_binary(const char* name, const char*, const Start& start, const char* from,
                  unsigned long count) {
  FILE* const out = fopen(name, "wb");
  if (!out) abort();
  for (unsigned long i = 0; i < start.count; ++i) {
    const int value = from ? static_cast<int>(start.value[i]) : 0;
    fwrite(&value, sizeof value, 1, out);
  }
  const T zero = T();
  for (unsigned long i = 0; !from && i < count; ++i) fwrite(&zero, sizeof zero, 1, out);
  if (from && fwrite(from, sizeof(T), count, out) != count) abort();
  if (fclose(out) != 0) abort();
}

template <class T>
void read_binary(const char* name, const Start& start, char* to, unsigned long count) {
  FILE* const in = fopen(name, "rb");
  if (!in) {
    printf("the program wrote no %s\n", name);
    return;
  }
  for (unsigned long i = 0; i < start.count; ++i) {
    int value = 0;
    if (fread(&value, sizeof value, 1, in) != 1 || value != start.value[i]) {
      printf("value %lu of %s is not %lld\n", i, name, start.value[i]);
      fclose(in);
      return;
    }
  }
  const long begin = ftell(in);
  const bool is_longer = fseek(in, count * sizeof(T), SEEK_CUR) != 0 || fgetc(in) != EOF;
  fseek(in, begin, SEEK_SET);
  if (is_longer)
    printf("%s has more than its %lu values, so none of them counts\n", name, count);
  else if (const unsigned long found = fread(to, sizeof(T), count, in); found != count)
    printf("%s has %lu of its %lu values\n", name, found, count);
  fclose(in);
}

)";

/// The values that stand before a buffer in its file.
std::string start_text(const BufferDescription& buffer) {
  std::string values;
  for (const auto& value : buffer.file_starts_with) values += fmt::format("({}), ", value);
  return fmt::format("Start{{{}, {{{}}}}}", buffer.file_starts_with.size(), values);
}

/// "read_file<float>"
std::string function_for(const char* verb, const std::string& file,
                         const BufferDescription& buffer) {
  if (is_image(file)) return fmt::format("{}_image", verb);
  return fmt::format("{}_{}<{}>", verb, is_binary(file) ? "binary" : "file", buffer.type->c_name);
}

/// Writes a buffer's file: its first line has the extents, or one number where other values come
/// before the buffer's.
std::string write_text(const TaskDescription& task, const BufferDescription& buffer,
                       const std::string& name, const std::string& from) {
  std::string format, values;
  const auto add = [&](const std::string& extent) {
    format += format.empty() ? "%lld" : " %lld";
    values += fmt::format(", static_cast<long long>({})", extent);
  };
  if (is_image(name)) {
    add(buffer.extents[1]);
    add(buffer.extents[0]);
  } else if (!buffer.file_starts_with.empty()) {
    add(fmt::format("{} + {}", buffer.file_starts_with.size(), elements_text(buffer)));
  } else {
    std::ranges::for_each(buffer.extents, add);
  }
  return fmt::format(
      "  snprintf(extents, sizeof extents, \"{}\"{});\n"
      "  {}(\"{}\", extents, {}{}, s.slot[{}].bytes / {});\n",
      format, values, function_for("write", name, buffer), name,
      is_image(name) ? "" : start_text(buffer) + ", ", from, slot_of(task, buffer),
      buffer.type->bytes);
}

std::string read_text(const TaskDescription& task, const BufferDescription& buffer) {
  const std::string name = file_of(task, buffer);
  return fmt::format("  {}(\"{}\", {}s.slot[{}].host, s.slot[{}].bytes / {});\n",
                     function_for("read", name, buffer), name,
                     is_image(name) ? "" : start_text(buffer) + ", ", slot_of(task, buffer),
                     slot_of(task, buffer), buffer.type->bytes);
}

/// `write_inputs`: the files that a program finds.
std::string inputs_text(const TaskDescription& task) {
  std::string text =
      "void write_inputs(const opgrade_call* c) {\n  const Slots s(c);\n  char extents[128];\n" +
      sizes_text(task);
  const auto arguments = split_program(task.program).arguments;
  auto expected = std::ranges::find(arguments, "-e");
  if (expected != arguments.end()) ++expected;
  for (const auto& buffer : task.buffers) {
    if (buffer.is_given()) {
      text += write_text(task, buffer, file_of(task, buffer),
                         fmt::format("s.slot[{}].host", slot_of(task, buffer)));
    } else if (buffer.is_checked()) {
      if (expected != arguments.end()) text += write_text(task, buffer, *expected, "nullptr");
      expected = arguments.end();
    }
  }
  return text + "}\n\n";
}

/// A constructor of the program may open its files, so that they are there before the first one
/// runs. They are written again if the grader has changed the inputs since, as before a timed call.
constexpr const char* kFirst = R"(unsigned long long written;

unsigned long long sum_of_inputs(const opgrade_call* c) {
  const Slots s(c);
  unsigned long long sum = 1;
  for (unsigned i = 0; i < sizeof s.slot / sizeof *s.slot; ++i) {
    const unsigned long bytes = s.slot[i].output ? 0 : s.slot[i].bytes;
    for (unsigned long at = 0; at < bytes; at += sizeof sum) {
      unsigned long long word = 0;
      memcpy(&word, s.slot[i].host + at, bytes - at < sizeof word ? bytes - at : sizeof word);
      sum = (sum ^ word) * 0x9e3779b97f4a7c15;
      sum ^= sum >> 29;
    }
  }
  return sum;
}

void end_quickly() {
  if (opgrade_end.over) opgrade_end.over(opgrade_end.quick_status);
}

__attribute__((constructor(101))) void write_first() {
  const opgrade_call** const call =
      reinterpret_cast<const opgrade_call**>(dlsym(RTLD_DEFAULT, OPGRADE_PROGRAM_CALL));
  if (!call || !*call) return;
  opgrade_end.over = (*call)->over;
  at_quick_exit(end_quickly);
  written = sum_of_inputs(*call);
  write_inputs(*call);
}

)";

/// An argument of the program as the array `opgrade_word<number>`.
std::string word_text(const std::string& word, int number) {
  if (word.find('{') == std::string::npos)
    return fmt::format("  static char opgrade_word{}[] = \"{}\";\n", number, word);
  std::string format, values;
  for (const WordPart& part : parts_of_word(word)) {
    format += part.is_expression ? "%lld" : part.text;
    if (part.is_expression) values += fmt::format(", static_cast<long long>({})", part.text);
  }
  return fmt::format(
      "  static char opgrade_word{0}[256];\n"
      "  snprintf(opgrade_word{0}, sizeof opgrade_word{0}, \"{1}\"{2});\n",
      number, format, values);
}

/// `run_program`: files, then main, which ends the process. `collect`: the file that it wrote.
std::string program_text(const TaskDescription& task) {
  std::string text = std::string(kFiles) + kBinaryFiles + inputs_text(task) + kFirst;
  std::string words, list = "opgrade_word0";
  int count = 1;
  const auto [arguments, input, output] = split_program(task.program);
  for (const auto& word : arguments) {
    words += word_text(word, count);
    list += fmt::format(", opgrade_word{}", count++);
  }
  for (const auto& [file, mode, stream] :
       {std::tuple(input, "r", "stdin"), std::tuple(output, "w", "stdout")})
    if (!file.empty())
      words += fmt::format("  if (!freopen(\"{}\", \"{}\", {})) abort();\n", file, mode, stream);
  text += fmt::format(
      "void run_program(opgrade_call* c) {{\n  opgrade_end.over = c->over;\n"
      "  if (written != sum_of_inputs(c)) write_inputs(c);\n{}"
      "  static char opgrade_word0[] = \"./program\";\n{}"
      "  static char* words[] = {{{}, nullptr}};\n"
      "  exit(opgrade_program({}, words, environ));\n}}\n\n",
      sizes_text(task), words, list, count);
  text += "void collect(opgrade_call* c, int status) {\n  const Slots s(c);\n" +
          std::string(output.empty() ? ""
                                     : "  std::cout.flush();\n  fflush(stdout);\n  dup2(2, 1);\n") +
          "  if (status != 0) {\n"
          "    printf(\"main returned %d: its output file does not count\\n\", status);\n"
          "    return;\n  }\n" +
          sizes_text(task);
  for (const auto& buffer : task.buffers)
    if (buffer.is_checked()) text += read_text(task, buffer);
  return text + "}\n\n";
}

/// Untimed: the first allocation and the first copies of a process take longer than later ones.
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

std::string program_start(const TaskDescription& task) {
  return (split_program(task.program).output.empty() ? "" : kStream) + std::string(kExits);
}

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
         kAdapterEnd + caller_text(task, Device::cpu);
}

std::string gpu_adapter(const TaskDescription& task) {
  const bool program = !task.program.empty();
  const std::string start = fmt::format(R"({}#include "../cuda_device.h"
#include "../helper_cuda.h"
{}{}namespace {{

{})",
                                        kSystemHeaders, declarations_text(task, Device::cuda),
                                        program ? program_start(task) : "", slots_text(task));
  // A program may reset the device, and with it the events of a timer.
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
         forward + table + kAdapterEnd + caller_text(task, Device::cuda);
}

}  // namespace

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

/// CUDA's vector types among `names`.
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

/// CUDA's headers, or on a CPU what defines these types of theirs.
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
