/// What a task's folder says, as plain data. docs/new-task.md gives the YAML form of every key.
#pragma once

#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "grader/base/core/coordinates.hpp"
#include "grader/base/core/device.hpp"
#include "grader/base/core/element_type.hpp"
#include "grader/task/folder/distribution.hpp"
#include "grader/task/folder/struct_type.hpp"

namespace opgrade {

/// One parameter of the student's function.
struct Parameter {
  std::string name;
  const ElementType* type = nullptr;
  int components = 1;                          ///< of a vector type; of a struct its numbers
  std::shared_ptr<const StructType> record{};  ///< null for numbers and vectors
  bool pointer = false;
  bool constant = false;
  bool reference = false;  ///< `float& sum`
  std::string spelled;     ///< the type as the prototype writes it: "size_t"

  bool may_be_size() const {
    return !pointer && !reference && !record && !type->floating && components == 1 &&
           type->id != ElementType::Id::b8;
  }
};

/// `void solve(const float* x, float* y, int n)`
struct Prototype {
  std::string text;
  std::string name;   ///< "solve", "rle::run"
  std::string space;  ///< the namespace, "rle"; empty: the function has C linkage
  std::vector<Parameter> parameters;
  const ElementType* returns = nullptr;  ///< null for void
  int returns_components = 1;
  std::shared_ptr<const StructType> returns_record{};
  std::string returns_spelled;

  const Parameter* find(std::string_view name) const;

  /// The declaration in its namespace; `before` stands before the function's type.
  std::string declaration(std::string_view before) const;
  /// What students write.
  std::string declaration() const { return declaration(space.empty() ? "extern \"C\" " : ""); }
  /// The head of its definition, behind that declaration.
  std::string definition() const { return (space.empty() ? "extern \"C\" " : "") + text; }
};

/// `structs` are those of the task. Throws std::invalid_argument with the reason.
Prototype parse_prototype(const std::string& text, const StructTypes& structs = {});

/// The buffer of a returned value.
inline constexpr const char* kReturned = "result";

/// The header of a task's own types, and staff's code that calls what students write.
inline constexpr const char* kTypesFile = "types.h";
inline constexpr std::array<std::string_view, 2> kCallerFiles{"call.cpp", "call.cu"};

/// Staff's code for the files of a program that have another format than opgrade's, and what it
/// defines.
inline constexpr const char *kWriterFile = "write.cpp", *kWriterFunction = "write_inputs";
inline constexpr const char *kReaderFile = "read.cpp", *kReaderFunction = "read_outputs";

/// More than the first cannot be passed to a process.
inline constexpr std::size_t kMostSizes = 15, kMostInputs = 6;

struct SizeDescription {
  std::string name;
  int from = 1, to = 0;
  int random = 0;  ///< the largest of a random case
};

struct BufferDescription {
  enum class Role { in, out, inout, scratch };
  enum class Initial { poison, zero };  ///< what an output holds before the call
  /// What an element's error is divided by before it is held against the tolerance. `program`:
  /// check.cpp decides.
  enum class Error { scaled, absolute, relative, mixed, norm, program };

  std::string name;
  const ElementType* type = nullptr;  ///< of a struct that of its first number
  int components = 1;  ///< of a vector type; each of them is a number that is made and checked
  std::shared_ptr<const StructType> record{};  ///< the struct, whose numbers are `components`
  Role role = Role::in;
  bool scalar = false;                        ///< a value, a reference or what is returned
  std::vector<std::string> extents;           ///< expressions of the sizes; none for a scalar
  std::vector<std::string> values{"random"};  ///< of an input: see Distribution, or kGenerated
  std::string values_by;                      ///< the size that chooses one of several values
  Initial initial = Initial::poison;

  /// Expressions whose values stand before the buffer's in the file of a program.
  std::vector<std::string> file_starts_with;

  // Of an output.
  std::optional<double> tolerance;  ///< the stage's for float, 0 for integers
  Error error = Error::scaled;
  std::string mismatches = "0";  ///< expression: so many elements may be wrong
  std::string defined;           ///< number of its elements that are: an expression or a buffer
  bool any_order = false;        ///< checked as a set
  bool picture = false;          ///< reports show it, and `mismatches` counts its pixels
  std::string or_in, or_when;    ///< it lies in that scratch buffer where the expression is not 0

  bool is_given() const { return role == Role::in || role == Role::inout; }
  bool is_checked() const { return role == Role::out || role == Role::inout; }
  /// Of a number, a vector or a struct.
  std::size_t element_bytes() const {
    return record ? record->bytes : static_cast<std::size_t>(components) * type->bytes;
  }
  /// The buffer as if its elements were these numbers of its struct.
  BufferDescription column(const StructField& field) const;
};

inline constexpr std::array<std::string_view, 4> kRoleNames{"in", "out", "inout", "scratch"};
inline constexpr std::array<std::string_view, 2> kInitialNames{"poison", "zero"};
inline constexpr std::array<std::string_view, 6> kErrorNames{"scaled", "absolute", "relative",
                                                             "mixed",  "norm",     "program"};

struct TaskDescription {
  std::string name, title;
  std::filesystem::path file;  ///< the yaml file, in the task's folder
  Prototype function;
  std::string program;         ///< arguments of the main that a student writes; empty: a function
  bool host_pointers = false;  ///< a GPU stage's function copies itself
  std::vector<SizeDescription> sizes;
  std::vector<std::string> constraints;    ///< expressions of the sizes, not 0 where they hold
  std::vector<BufferDescription> buffers;  ///< in the function's order, then what it returns
  std::string flops = "0";
  bool validates = false;                      ///< there is a validate.cpp
  std::string types;                           ///< the text of types.h, if the task has one
  std::map<std::string, std::string> callers;  ///< the texts of kCallerFiles, if there are some
  std::string writer, reader;  ///< the texts of kWriterFile and kReaderFile, if a buffer needs them
  std::string edit;            ///< the one function that a student changes in the given files
  std::map<std::string, std::string> given;  ///< their texts, where there is one

  const BufferDescription* find(std::string_view name) const;
  bool generates() const;  ///< generate.cpp fills a buffer
  bool judges() const;     ///< check.cpp decides about an output
  /// The name of staff's code that calls what students write; empty if opgrade calls them.
  std::string caller_on(Device device) const;
  /// Of staff's, in the folder.
  std::vector<std::string> sources() const;
};

/// The arguments of a program. Throws std::invalid_argument where one has other signs than letters,
/// digits and _ . / , = : + -, unless they stand in an expression in {}.
std::vector<std::string> words_of_program(const std::string& program);

/// A part of an argument: a text as it stands, or an expression of the sizes, whose value stands
/// there.
struct WordPart {
  std::string text;
  bool is_expression = false;
};
/// Of "--size={n}". Throws std::invalid_argument if a brace is alone.
std::vector<WordPart> parts_of_word(const std::string& word);

/// The files that a program reads and writes as its standard input and output: "< x.raw > y.raw".
/// These words are no arguments.
struct ProgramWords {
  std::vector<std::string> arguments;
  std::string input, output;  ///< or empty
};
/// Throws std::invalid_argument as words_of_program() does, or if a file is missing.
ProgramWords split_program(const std::string& program);

/// The file among the program's words that holds a buffer in one of opgrade's formats: "sum.raw",
/// "sum.dat", "sum.bin", "sum.ppm" or "sum.png"; empty where there is none.
std::string file_of(const TaskDescription& task, const BufferDescription& buffer);

/// The file behind `-e`, which is to hold zeros in place of the first output; null: there is none,
/// or staff's code reads that output.
struct ExpectedFile {
  std::string name;
  const BufferDescription* buffer = nullptr;
};
ExpectedFile expected_file(const TaskDescription& task);

/// The buffers of a program that staff's code writes, or reads.
std::vector<std::string> written_by_staff(const TaskDescription& task);
std::vector<std::string> read_by_staff(const TaskDescription& task);

/// Its values are those in memory, byte by byte.
bool is_binary(const std::string& file);

/// Its values are levels of a picture; those of a float stand for 0 to 1.
bool is_image(const std::string& file);
bool is_png(const std::string& file);

/// The numbers of a pixel, 1 for grey; 0 if the buffer cannot be a picture.
int picture_channels(const BufferDescription& buffer);

/// The numbers in a buffer: its elements, or their components. 1 for a scalar number. Throws
/// std::invalid_argument where an extent is below 0 or their product beyond 2^40.
std::int64_t elements_of(const BufferDescription& buffer, const Coordinates& sizes);

/// The distribution of an input at these sizes. Throws std::invalid_argument.
const std::string& values_of(const BufferDescription& buffer, const Coordinates& sizes);

struct TaskMistake : std::invalid_argument {
  TaskMistake(const std::string& place, const std::string& why)
      : std::invalid_argument(why), where(place) {}
  std::string where;  ///< the size, the buffer or the key
};

/// Throws TaskMistake: each parameter is a size or has a buffer, names are C names and unique,
/// expressions and values can be evaluated at the smallest and the largest sizes.
void check(const TaskDescription& task);

}  // namespace opgrade
