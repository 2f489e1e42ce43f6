#include "grader/task/folder/program_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "grader/task/folder/adapter_text.hpp"

namespace opgrade {
namespace {

/// If a program is not synchronised with C's files, text that it has not written yet lies in
/// std::cout. libstdc++ flushes it when the process ends, which is after the output was read.
constexpr const char* kStream = "#include <iostream>\n\n";

/// The functions that end a program without the handlers of exit(). They are hidden, so that only
/// the submission calls them. The harness has its own handler for the usual end.
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
)";

/// Binary files: whole numbers of four bytes, then the values as they are in memory.
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

/// Pictures: a float from 0 to 1 becomes a level from 0 to 255, a byte is the level itself.
constexpr const char* kImages = R"(inline unsigned char level_of(float value) {
  return static_cast<unsigned char>(value <= 0 ? 0 : value >= 1 ? 255 : value * 255 + 0.5f);
}
inline unsigned char level_of(unsigned char value) { return value; }
inline void set_level(float& to, int level, int most) {
  to = static_cast<float>(level) / static_cast<float>(most);
}
inline void set_level(unsigned char& to, int level, int most) {
  to = static_cast<unsigned char>((level * 255 + most / 2) / most);
}

struct Picture {
  unsigned columns, rows, channels;
  unsigned long numbers() const { return 1UL * columns * rows * channels; }
};

template <class T>
void write_ppm(const char* name, const Picture& picture, const char* from) {
  FILE* const out = fopen(name, "wb");
  if (!out) abort();
  fprintf(out, "P6\n%u %u\n255\n", picture.columns, picture.rows);
  for (unsigned long i = 0; i < picture.numbers(); ++i)
    fputc(from ? level_of(reinterpret_cast<const T*>(from)[i]) : 0, out);
  if (fclose(out) != 0) abort();
}

template <class T>
void read_ppm(const char* name, const Picture& picture, char* to) {
  FILE* const in = fopen(name, "rb");
  unsigned columns, rows;
  int most, level = 0;
  if (!in || fscanf(in, "P6 %u %u %d", &columns, &rows, &most) != 3 || columns != picture.columns ||
      rows != picture.rows || most < 1 || most > 255)
    printf("the program wrote no image %s of %u columns and %u rows\n", name, picture.columns,
           picture.rows);
  else if (fgetc(in) != EOF)
    for (unsigned long i = 0; i < picture.numbers() && (level = fgetc(in)) != EOF; ++i)
      set_level(reinterpret_cast<T*>(to)[i], level, most);
  if (in) fclose(in);
}

)";

constexpr const char* kPng = R"(template <class T>
void write_png(const char* name, const Picture& picture, const char* from) {
  opgrade_png::Bytes levels(picture.numbers());
  for (unsigned long i = 0; from && i < levels.size(); ++i)
    levels[i] = level_of(reinterpret_cast<const T*>(from)[i]);
  if (!opgrade_png::write(name, {picture.columns, picture.rows, picture.channels}, levels.data()))
    abort();
}

template <class T>
void read_png(const char* name, const Picture& picture, char* to) {
  opgrade_png::Bytes levels;
  if (const char* const wrong =
          opgrade_png::read(name, {picture.columns, picture.rows, picture.channels}, levels))
    printf("%s: %s, so none of its pixels counts\n", name, wrong);
  else
    for (unsigned long i = 0; i < levels.size(); ++i)
      set_level(reinterpret_cast<T*>(to)[i], levels[i], 255);
}

)";

/// The values that come before a buffer in its file.
std::string start_text(const BufferDescription& buffer) {
  std::string values;
  for (const auto& value : buffer.file_starts_with) values += fmt::format("({}), ", value);
  return fmt::format("Start{{{}, {{{}}}}}", buffer.file_starts_with.size(), values);
}

/// The name of the function for a file: "read_file<float>".
std::string function_for(const char* verb, const std::string& file,
                         const BufferDescription& buffer) {
  const char* const kind = is_png(file)      ? "png"
                           : is_image(file)  ? "ppm"
                           : is_binary(file) ? "binary"
                                             : "file";
  return fmt::format("{}_{}<{}>", verb, kind, buffer.type->c_name);
}

std::string picture_text(const BufferDescription& buffer) {
  return fmt::format("{{static_cast<unsigned>({}), static_cast<unsigned>({}), {}}}",
                     buffer.extents[1], buffer.extents[0], picture_channels(buffer));
}

/// Writes a buffer's file. Its first line has the extents, or the number of all values if other
/// values come before the buffer's.
std::string write_text(const TaskDescription& task, const BufferDescription& buffer,
                       const std::string& name, const std::string& from) {
  const std::string function = function_for("write", name, buffer);
  if (is_image(name))
    return fmt::format("  {}(\"{}\", {}, {});\n", function, name, picture_text(buffer), from);
  std::string format, values;
  const auto add = [&](const std::string& extent) {
    format += format.empty() ? "%lld" : " %lld";
    values += fmt::format(", static_cast<long long>({})", extent);
  };
  if (!buffer.file_starts_with.empty())
    add(fmt::format("{} + {}", buffer.file_starts_with.size(), elements_text(buffer)));
  else
    std::ranges::for_each(buffer.extents, add);
  return fmt::format(
      "  snprintf(extents, sizeof extents, \"{}\"{});\n"
      "  {}(\"{}\", extents, {}, {}, s.slot[{}].bytes / {});\n",
      format, values, function, name, start_text(buffer), from, slot_of(task, buffer),
      buffer.type->bytes);
}

std::string read_text(const TaskDescription& task, const BufferDescription& buffer) {
  const std::string name = file_of(task, buffer), function = function_for("read", name, buffer);
  const auto slot = slot_of(task, buffer);
  if (is_image(name))
    return fmt::format("  {}(\"{}\", {}, s.slot[{}].host);\n", function, name, picture_text(buffer),
                       slot);
  return fmt::format("  {}(\"{}\", {}, s.slot[{}].host, s.slot[{}].bytes / {});\n", function, name,
                     start_text(buffer), slot, slot, buffer.type->bytes);
}

constexpr const char* kOnHost = "s.slot[{}].host";

/// Parameters and arguments of staff's functions: the writer gets the prototype's without the
/// outputs, the reader all of them and then the function's returned value.
struct StaffsArguments {
  std::string declared, passed;

  StaffsArguments(const TaskDescription& task, bool reads) {
    for (const Parameter& one : task.function.parameters) {
      const auto* const buffer = task.find(one.name);
      if (!reads && buffer != nullptr && !buffer->is_given()) continue;
      add(fmt::format("{}{}{} {}", one.constant ? "const " : "", one.spelled,
                      one.pointer     ? "*"
                      : one.reference ? "&"
                                      : "",
                      one.name),
          argument_text(task, one, kOnHost));
    }
    if (const auto* const result = task.find(kReturned);
        reads && result != nullptr && task.function.returns != nullptr)
      add(fmt::format("{}& {}", task.function.returns_spelled, kReturned),
          value_text(task, *result, task.function.returns_spelled));
  }

 private:
  void add(const std::string& declaration, const std::string& argument) {
    declared += (declared.empty() ? "" : ", ") + declaration;
    passed += (passed.empty() ? "" : ", ") + argument;
  }
};

/// Staff's reader fills the outputs whose files are staff's. If the reader complains, these outputs
/// are restored, so that they count as not written.
std::string reader_text(const TaskDescription& task) {
  if (read_by_staff(task).empty()) return "";
  std::string kept, restored;
  for (const auto& buffer : task.buffers) {
    if (!buffer.is_checked() || !file_of(task, buffer).empty()) continue;
    const auto slot = slot_of(task, buffer);
    kept += fmt::format(
        "  char* const before{0} = static_cast<char*>(malloc(s.slot[{0}].bytes + 1));\n"
        "  if (!before{0}) abort();\n"
        "  memcpy(before{0}, s.slot[{0}].host, s.slot[{0}].bytes);\n",
        slot);
    restored += fmt::format("    memcpy(s.slot[{0}].host, before{0}, s.slot[{0}].bytes);\n", slot);
  }
  return fmt::format(
      "{}  if (const char* const wrong = ::{}({})) {{\n"
      "    printf(\"%s: none of these values counts\\n\", wrong);\n{}  }}\n",
      kept, kReaderFunction, StaffsArguments(task, true).passed, restored);
}

/// `write_files`: writes the files that a program reads.
std::string inputs_text(const TaskDescription& task) {
  std::string text =
      "void write_files(const opgrade_call* c) {\n  const Slots s(c);\n  char extents[128];\n" +
      sizes_text(task);
  for (const auto& buffer : task.buffers)
    if (const std::string file = file_of(task, buffer); buffer.is_given() && !file.empty())
      text += write_text(task, buffer, file, fmt::format(kOnHost, slot_of(task, buffer)));
  if (const auto [file, buffer] = expected_file(task); buffer != nullptr)
    text += write_text(task, *buffer, file, "nullptr");
  if (!written_by_staff(task).empty())
    text += fmt::format("  ::{}({});\n", kWriterFunction, StaffsArguments(task, false).passed);
  return text + "  (void)extents;\n}\n\n";
}

/// A constructor of the program may open its files, so they exist before the first constructor
/// runs. They are written again if the grader has changed the inputs since, as it does before a
/// timed call.
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
  write_files(*call);
}

)";

/// Defines an argument of the program as the array `opgrade_word<number>`.
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

bool uses_png(const TaskDescription& task) {
  return task.program.find(".png") != std::string::npos;
}

}  // namespace

std::string files_declarations(const TaskDescription& task) {
  std::string text = uses_png(task) ? "#include \"../png_file.h\"\n\n" : "";
  if (!written_by_staff(task).empty())
    text += fmt::format("static void {}({});\n", kWriterFunction,
                        StaffsArguments(task, false).declared);
  if (!read_by_staff(task).empty())
    text += fmt::format("static const char* {}({});\n", kReaderFunction,
                        StaffsArguments(task, true).declared);
  return text;
}

/// `run_program` writes the files and calls main, which ends the process. `collect` reads the files
/// that the program wrote.
std::string program_text(const TaskDescription& task) {
  std::string text = std::string(kFiles) + kBinaryFiles + kImages + (uses_png(task) ? kPng : "") +
                     inputs_text(task) + kFirst;
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
      "  if (written != sum_of_inputs(c)) write_files(c);\n{}"
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
    if (buffer.is_checked() && !file_of(task, buffer).empty()) text += read_text(task, buffer);
  return text + reader_text(task) + "}\n\n";
}

std::string program_start(const TaskDescription& task) {
  return (split_program(task.program).output.empty() ? "" : kStream) + std::string(kExits);
}

}  // namespace opgrade
