/// The content of a task's folder, as plain data. docs/new-task.md gives the YAML form of every
/// key.
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
  int components = 1;  ///< of a vector type; for a struct, the number of its numbers
  std::shared_ptr<const StructType> record{};  ///< null for numbers and vectors
  bool pointer = false;
  bool constant = false;
  bool reference = false;  ///< true for `float& sum`
  std::string spelled;     ///< the type as the prototype spells it: "size_t"

  bool may_be_size() const {
    return !pointer && !reference && !record && !type->floating && components == 1 &&
           type->id != ElementType::Id::b8;
  }
};

/// The prototype of the student's function: `void solve(const float* x, float* y, int n)`.
struct Prototype {
  std::string text;
  std::string name;   ///< "solve", "rle::run"
  std::string space;  ///< the namespace, "rle"; empty if the function has C linkage
  std::vector<Parameter> parameters;
  const ElementType* returns = nullptr;  ///< null for void
  int returns_components = 1;
  std::shared_ptr<const StructType> returns_record{};
  std::string returns_spelled;

  const Parameter* find(std::string_view name) const;

  /// The declaration in its namespace, with `before` in front of the function's type.
  std::string declaration(std::string_view before) const;
  /// The declaration that students see.
  std::string declaration() const { return declaration(space.empty() ? "extern \"C\" " : ""); }
  /// The head of the definition, for use after declaration().
  std::string definition() const { return (space.empty() ? "extern \"C\" " : "") + text; }
};

/// `structs` are the task's. Throws std::invalid_argument with the reason.
Prototype parse_prototype(const std::string& text, const StructTypes& structs = {});

/// Name of the buffer of a returned value.
inline constexpr const char* kReturned = "result";

/// The header of a task's own types, and staff's code that calls what students write.
inline constexpr const char* kTypesFile = "types.h";
inline constexpr std::array<std::string_view, 2> kCallerFiles{"call.cpp", "call.cu"};

/// Staff's code for files of a program that have another format than opgrade's, and the functions
/// that it defines.
inline constexpr const char *kWriterFile = "write.cpp", *kWriterFunction = "write_inputs";
inline constexpr const char *kReaderFile = "read.cpp", *kReaderFunction = "read_outputs";

/// A process cannot get more sizes or inputs.
inline constexpr std::size_t kMostSizes = 15, kMostInputs = 6;

struct SizeDescription {
  std::string name;
  int from = 1, to = 0;
  int random = 0;  ///< largest value in a random case
};

struct BufferDescription {
  enum class Role { in, out, inout, scratch };
  enum class Initial { poison, zero };  ///< what an output holds before the call
  /// By what an element's error is divided before it is compared with the tolerance. `program`:
  /// check.cpp decides.
  enum class Error { scaled, absolute, relative, mixed, norm, program };

  std::string name;
  const ElementType* type = nullptr;  ///< for a struct, the type of its first number
  int components = 1;  ///< of a vector type; each component is made and checked as a number
  std::shared_ptr<const StructType> record{};  ///< the struct, which has `components` numbers
  Role role = Role::in;
  bool scalar = false;                        ///< a value, a reference or a returned value
  std::vector<std::string> extents;           ///< expressions of the sizes; empty for a scalar
  std::vector<std::string> values{"random"};  ///< for an input: a Distribution, or kGenerated
  std::string values_by;                      ///< the size that chooses one of several values
  Initial initial = Initial::poison;

  /// Expressions of values that come before the buffer's in a program's file.
  std::vector<std::string> file_starts_with;

  // The members down to `or_when` are for outputs only.
  std::optional<double> tolerance;  ///< the stage's for float, 0 for integers
  Error error = Error::scaled;
  std::string mismatches = "0";  ///< expression: the number of elements that may be wrong
  std::string defined;           ///< expression or buffer: number of its defined elements
  bool any_order = false;        ///< the output is checked as a set
  bool picture = false;          ///< reports show the picture, and `mismatches` counts its pixels
  std::string or_in, or_when;  ///< the output lies in the scratch buffer `or_in` if the expression
                               ///< `or_when` is not 0

  bool is_given() const { return role == Role::in || role == Role::inout; }
  bool is_checked() const { return role == Role::out || role == Role::inout; }
  /// Bytes of a number, a vector or a struct.
  std::size_t element_bytes() const {
    return record ? record->bytes : static_cast<std::size_t>(components) * type->bytes;
  }
  /// The buffer as if its elements were the numbers of this field.
  BufferDescription column(const StructField& field) const;
};

inline constexpr std::array<std::string_view, 4> kRoleNames{"in", "out", "inout", "scratch"};
inline constexpr std::array<std::string_view, 2> kInitialNames{"poison", "zero"};
inline constexpr std::array<std::string_view, 6> kErrorNames{"scaled", "absolute", "relative",
                                                             "mixed",  "norm",     "program"};

struct TaskDescription {
  std::string name, title;
  std::filesystem::path file;  ///< the YAML file, in the task's folder
  Prototype function;
  std::string program;  ///< the command line of the program that a student writes; empty: the
                        ///< student writes a function
  bool host_pointers = false;  ///< a GPU stage's function gets host pointers and copies
  std::vector<SizeDescription> sizes;
  std::vector<std::string> constraints;    ///< expressions of the sizes that must not be 0
  std::vector<BufferDescription> buffers;  ///< in the function's order, then the returned value
  std::string flops = "0";
  bool validates = false;                      ///< there is a validate.cpp
  std::string types;                           ///< the text of types.h, if the task has one
  std::map<std::string, std::string> callers;  ///< texts of kCallerFiles that the folder has
  std::string writer, reader;  ///< the texts of kWriterFile and kReaderFile, if a buffer needs them
  std::string edit;            ///< the one function that a student changes in the given files
  std::map<std::string, std::string> given;  ///< texts of the given files, by name

  const BufferDescription* find(std::string_view name) const;
  bool generates() const;  ///< generate.cpp fills a buffer
  bool judges() const;     ///< check.cpp decides whether an output is right
  /// The name of staff's code that calls what students write; empty if opgrade calls them.
  std::string caller_on(Device device) const;
  /// The names of staff's source files in the folder.
  std::vector<std::string> sources() const;
};

/// The arguments of a program. Throws std::invalid_argument if one has characters other than
/// letters, digits and _ . / , = : + - outside of an expression in {}.
std::vector<std::string> words_of_program(const std::string& program);

/// A part of an argument: literal text, or an expression of the sizes, whose value is inserted.
struct WordPart {
  std::string text;
  bool is_expression = false;
};
/// Splits a word such as "--size={n}". Throws std::invalid_argument if a brace has no partner.
std::vector<WordPart> parts_of_word(const std::string& word);

/// The words of a program: its arguments, and the files that it reads and writes as standard input
/// and output: "< x.raw > y.raw". The redirections are no arguments.
struct ProgramWords {
  std::vector<std::string> arguments;
  std::string input, output;  ///< may be empty
};
/// Throws std::invalid_argument as words_of_program() does, or if a file is missing.
ProgramWords split_program(const std::string& program);

/// The file among the program's words that holds a buffer in one of opgrade's formats: "sum.raw",
/// "sum.dat", "sum.bin", "sum.ppm" or "sum.png"; empty if there is none.
std::string file_of(const TaskDescription& task, const BufferDescription& buffer);

/// The file after `-e`, which is to hold zeros instead of the first output; null if there is none,
/// or if staff's code reads that output.
struct ExpectedFile {
  std::string name;
  const BufferDescription* buffer = nullptr;
};
ExpectedFile expected_file(const TaskDescription& task);

/// Names of the buffers of a program whose files staff's code writes, or reads.
std::vector<std::string> written_by_staff(const TaskDescription& task);
std::vector<std::string> read_by_staff(const TaskDescription& task);

/// True if the file holds the values as they are in memory.
bool is_binary(const std::string& file);

/// True if the file's values are levels of a picture; a float from 0 to 1 is a level.
bool is_image(const std::string& file);
bool is_png(const std::string& file);

/// Numbers per pixel, 1 for grey; 0 if the buffer cannot be a picture.
int picture_channels(const BufferDescription& buffer);

/// Number of numbers in a buffer: its elements, or their components. 1 for a scalar number. Throws
/// std::invalid_argument if an extent is below 0 or the product is above 2^40.
std::int64_t elements_of(const BufferDescription& buffer, const Coordinates& sizes);

/// The distribution of an input at these sizes. Throws std::invalid_argument if there is none.
const std::string& values_of(const BufferDescription& buffer, const Coordinates& sizes);

struct TaskMistake : std::invalid_argument {
  TaskMistake(const std::string& place, const std::string& why)
      : std::invalid_argument(why), where(place) {}
  std::string where;  ///< the size, buffer or key with the mistake
};

/// Throws TaskMistake unless each parameter is a size or has a buffer, names are C names and
/// unique, and expressions and values can be evaluated at the smallest and the largest sizes.
void check(const TaskDescription& task);

}  // namespace opgrade
