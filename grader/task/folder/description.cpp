#include "grader/task/folder/description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "grader/task/folder/distribution.hpp"
#include "grader/task/folder/expression.hpp"

namespace opgrade {
namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 40;
constexpr const char *kPpmEnd = ".ppm", *kPngEnd = ".png";
constexpr const char* kBinaryEnd = ".bin";

bool is_name(std::string_view text) {
  const auto fits = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  return !text.empty() && !std::isdigit(static_cast<unsigned char>(text.front())) &&
         std::ranges::all_of(text, fits);
}

/// Splits a text into words and single characters.
std::vector<std::string> tokens_of(const std::string& text) {
  std::vector<std::string> tokens;
  bool in_word = false;
  for (const char c : text) {
    const bool word = std::isalnum(static_cast<unsigned char>(c)) || c == '_';
    if (std::isspace(static_cast<unsigned char>(c))) {
      in_word = false;
    } else if (word && in_word) {
      tokens.back() += c;
    } else {
      tokens.emplace_back(1, c);
      in_word = word;
    }
  }
  return tokens;
}

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : std::string(between)) + word;
  return text;
}

/// Joins the tokens of a type: "unsigned int", "std::vector<float>".
std::string type_text(const std::vector<std::string>& tokens) {
  std::string text;
  for (const auto& token : tokens) {
    const bool between_words =
        !text.empty() && is_name(token) && is_name(text.substr(text.size() - 1));
    text += (between_words ? " " : "") + token;
  }
  return text;
}

struct NamedType {
  ValueType value;
  std::shared_ptr<const StructType> record{};
};

/// `whose` names the type's owner in the message of the exception.
NamedType type_of(const std::string& type, const std::string& whose, const StructTypes& structs) {
  if (const ValueType found = find_value_type(type)) return {found};
  if (auto record = structs.find(type))
    return {{record->fields.front().type, static_cast<int>(record->fields.size())}, record};
  std::vector<std::string> known;
  for (const auto& one : kElementTypes) known.emplace_back(one.c_name);
  for (const auto& alias : kTypeAliases) known.emplace_back(alias.name);
  known.emplace_back("vector types of at most 16 bytes such as uchar4, int2 and float3");
  known.emplace_back("structs that types.h of the task's folder defines");
  throw std::invalid_argument(
      fmt::format("{} has the type '{}'; known are {}", whose, type, joined(known, ", ")));
}

/// True for a word that ends a type, and so is not a namespace.
bool names_type(const std::string& word, const StructTypes& structs) {
  constexpr std::array<std::string_view, 4> kOthers{"void", "long", "unsigned", "const"};
  return std::ranges::find(kOthers, word) != kOthers.end() || find_value_type(word) ||
         structs.find(word) != nullptr;
}

/// Refuses parts of a prototype that host C++ allows, but a task's description does not.
void refuse_extras(const std::vector<std::string>& tokens) {
  struct Extra {
    std::string_view token;
    const char* advice;
  };
  for (const auto& [token, advice] :
       {Extra{"__global__",
              "leave '__global__' out: the host calls this function, which launches "
              "kernels"},
        Extra{"extern", "leave 'extern \"C\"' out: opgrade gives the function C linkage"},
        Extra{"static", "leave 'static' out: opgrade calls the function from another file"},
        Extra{"inline", "leave 'inline' out: opgrade calls the function from another file"},
        Extra{"restrict", "'restrict' is C: C++ and CUDA have '__restrict__'"},
        Extra{"[", "write an array as a pointer, as in `const float* x`"},
        Extra{"=", "a parameter has no default value: `sizes` and `buffers` give all values"}})
    if (std::ranges::find(tokens, token) != tokens.end()) throw std::invalid_argument(advice);
}

Parameter parameter_of(std::vector<std::string> tokens, const StructTypes& structs) {
  if (tokens.size() < 2) throw std::invalid_argument("each parameter has a type and a name");
  Parameter parameter{.name = tokens.back()};
  tokens.pop_back();
  if (!is_name(parameter.name))
    throw std::invalid_argument(fmt::format("'{}' is no name of a parameter", parameter.name));
  for (const char* word : {"__restrict__", "__restrict"}) std::erase(tokens, word);
  if (!tokens.empty() && (tokens.back() == "*" || tokens.back() == "&")) {
    (tokens.back() == "*" ? parameter.pointer : parameter.reference) = true;
    tokens.pop_back();
  }
  parameter.constant = std::erase(tokens, "const") > 0;
  parameter.spelled = type_text(tokens);
  const auto [value, record] =
      type_of(parameter.spelled, fmt::format("'{}'", parameter.name), structs);
  parameter.type = value.type;
  parameter.components = value.components;
  parameter.record = record;
  return parameter;
}

/// The smallest and the largest sizes.
std::vector<Coordinates> ends_of(const TaskDescription& task) {
  std::vector<Coordinates> ends(2);
  for (const auto& size : task.sizes) {
    ends[0].push_back({size.name, size.from});
    ends[1].push_back({size.name, size.to});
  }
  return ends;
}

}  // namespace

const Parameter* Prototype::find(std::string_view of) const {
  const auto found = std::ranges::find(parameters, of, &Parameter::name);
  return found != parameters.end() ? &*found : nullptr;
}

std::string Prototype::declaration(std::string_view before) const {
  if (space.empty()) return fmt::format("{}{};", before, text);
  std::string inside = text;
  inside.erase(inside.rfind(name, inside.find('(')), space.size() + 2);
  return fmt::format("namespace {} {{\n{}{};\n}}", space, before, inside);
}

Prototype parse_prototype(const std::string& text, const StructTypes& structs) {
  Prototype prototype{.text = text};
  while (prototype.text.ends_with(';') || prototype.text.ends_with(' ')) prototype.text.pop_back();
  const auto tokens = tokens_of(prototype.text);
  refuse_extras(tokens);
  const auto open = static_cast<std::size_t>(std::ranges::find(tokens, "(") - tokens.begin());
  if (open < 2 || open + 2 > tokens.size() || !is_name(tokens[open - 1]) || tokens.back() != ")")
    throw std::invalid_argument("it must read as `void solve(const float* x, float* y, int n)`");
  std::size_t start = open - 1;  // of the function's name
  const auto is_behind_colons = [&] {
    return start >= 2 && tokens[start - 1] == ":" && tokens[start - 2] == ":";
  };
  while (is_behind_colons() && start >= 3 && is_name(tokens[start - 3]) &&
         !names_type(tokens[start - 3], structs))
    start -= 3;
  const auto tokens_at = [&](std::size_t from, std::size_t to) {
    return type_text({tokens.begin() + static_cast<std::ptrdiff_t>(from),
                      tokens.begin() + static_cast<std::ptrdiff_t>(to)});
  };
  prototype.name = tokens_at(start, open);
  if (is_behind_colons())
    throw std::invalid_argument(
        fmt::format("leave the '::' before '{}' out: a function without a namespace has C linkage",
                    prototype.name));
  if (start + 1 < open) prototype.space = tokens_at(start, open - 3);
  if (prototype.text.find(prototype.name) == std::string::npos)
    throw std::invalid_argument(fmt::format("write '{}' without blanks", prototype.name));
  prototype.returns_spelled = tokens_at(0, start);
  if (prototype.returns_spelled.empty())
    throw std::invalid_argument("it must begin with a type, as in `void solve(int n)`");
  if (prototype.returns_spelled != "void") {
    const auto [value, record] = type_of(prototype.returns_spelled, "what it returns", structs);
    prototype.returns = value.type;
    prototype.returns_components = value.components;
    prototype.returns_record = record;
  }
  std::vector<std::string> one;
  for (std::size_t i = open + 1; i < tokens.size(); ++i) {
    if (tokens[i] != "," && i + 1 < tokens.size()) {
      one.push_back(tokens[i]);
      continue;
    }
    prototype.parameters.push_back(parameter_of(one, structs));
    one.clear();
  }
  return prototype;
}

BufferDescription BufferDescription::column(const StructField& field) const {
  BufferDescription numbers = *this;
  numbers.type = field.type;
  numbers.components = 1;
  numbers.record = nullptr;
  return numbers;
}

std::string TaskDescription::caller_on(Device device) const {
  if (callers.empty()) return "";
  const std::string own(kCallerFiles[device == Device::cpu ? 0 : 1]);
  return callers.contains(own) ? own : callers.begin()->first;
}

const BufferDescription* TaskDescription::find(std::string_view of) const {
  const auto found = std::ranges::find(buffers, of, &BufferDescription::name);
  return found != buffers.end() ? &*found : nullptr;
}

bool TaskDescription::generates() const {
  return std::ranges::any_of(buffers, [](const BufferDescription& buffer) {
    return buffer.is_given() && std::ranges::find(buffer.values, kGenerated) != buffer.values.end();
  });
}

bool TaskDescription::judges() const {
  return std::ranges::any_of(buffers, [](const BufferDescription& buffer) {
    return buffer.is_checked() && buffer.error == BufferDescription::Error::program;
  });
}

std::vector<std::string> TaskDescription::sources() const {
  std::vector<std::string> files{"reference.cpp"};
  if (generates()) files.emplace_back("generate.cpp");
  if (validates) files.emplace_back("validate.cpp");
  if (judges()) files.emplace_back("check.cpp");
  return files;
}

std::vector<std::string> words_of_program(const std::string& program) {
  std::vector<std::string> words(1);
  bool in_braces = false;
  for (const char c : program) {
    const std::string_view signs = in_braces ? "_+-*/%()}" : "_./,=:+-{<>";
    if (c == ' ' && !in_braces) {
      if (!words.back().empty()) words.emplace_back();
    } else if (c != ' ' && !std::isalnum(static_cast<unsigned char>(c)) &&
               signs.find(c) == std::string_view::npos) {
      throw std::invalid_argument(fmt::format("'program': '{}' cannot stand in an argument", c));
    } else {
      words.back() += c;
    }
    in_braces = c == '{' || (in_braces && c != '}');
  }
  if (in_braces) throw std::invalid_argument("'program': a '{' is not closed");
  if (words.back().empty()) words.pop_back();
  return words;
}

std::vector<WordPart> parts_of_word(const std::string& word) {
  std::vector<WordPart> parts;
  for (std::size_t at = 0; at < word.size();) {
    const bool is_expression = word[at] == '{';
    const auto end = std::min(word.find(is_expression ? '}' : '{', at), word.size());
    parts.push_back({word.substr(at + is_expression, end - at - is_expression), is_expression});
    at = end + is_expression;
  }
  return parts;
}

ProgramWords split_program(const std::string& program) {
  ProgramWords split;
  const auto words = words_of_program(program);
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string* const file = words[i] == "<"   ? &split.input
                              : words[i] == ">" ? &split.output
                                                : nullptr;
    if (file == nullptr) {
      if (words[i].find_first_of("<>") != std::string::npos)
        throw std::invalid_argument(
            fmt::format("'program': write '{}' with blanks around '<' and '>'", words[i]));
      split.arguments.push_back(words[i]);
    } else if (!file->empty() || ++i == words.size()) {
      throw std::invalid_argument("'program': one file stands behind '<' and one behind '>'");
    } else {
      *file = words[i];
    }
  }
  return split;
}

std::string file_of(const TaskDescription& task, const BufferDescription& buffer) {
  std::string arguments = task.program;
  std::ranges::replace(arguments, ',', ' ');
  const auto words = words_of_program(arguments);
  for (const char* end : {".raw", ".dat", kBinaryEnd, kPpmEnd, kPngEnd})
    if (std::ranges::find(words, buffer.name + end) != words.end()) return buffer.name + end;
  return "";
}

ExpectedFile expected_file(const TaskDescription& task) {
  const auto arguments = split_program(task.program).arguments;
  const auto option = std::ranges::find(arguments, "-e");
  const auto output = std::ranges::find_if(task.buffers, &BufferDescription::is_checked);
  if (arguments.end() - option < 2 || output == task.buffers.end() ||
      file_of(task, *output).empty())
    return {};
  return {option[1], &*output};
}

namespace {

std::vector<std::string> files_of_staff(const TaskDescription& task,
                                        bool (BufferDescription::*is_its)() const) {
  std::vector<std::string> names;
  for (const auto& buffer : task.buffers)
    if (!task.program.empty() && (buffer.*is_its)() && file_of(task, buffer).empty())
      names.push_back(buffer.name);
  return names;
}

}  // namespace

std::vector<std::string> written_by_staff(const TaskDescription& task) {
  return files_of_staff(task, &BufferDescription::is_given);
}

std::vector<std::string> read_by_staff(const TaskDescription& task) {
  return files_of_staff(task, &BufferDescription::is_checked);
}

bool is_png(const std::string& file) { return file.ends_with(kPngEnd); }

bool is_image(const std::string& file) { return file.ends_with(kPpmEnd) || is_png(file); }

bool is_binary(const std::string& file) { return file.ends_with(kBinaryEnd); }

std::int64_t elements_of(const BufferDescription& buffer, const Coordinates& sizes) {
  std::int64_t product = buffer.components;
  for (const auto& extent : buffer.extents) {
    const auto value = evaluate(extent, sizes);
    if (value < 0)
      throw std::invalid_argument(fmt::format("'{}' has the extent {} = {} at {}", buffer.name,
                                              extent, value, text_of(sizes)));
    if (__builtin_mul_overflow(product, value, &product) || product > kMostElements)
      throw std::invalid_argument(
          fmt::format("'{}' has more than 2^40 elements at {}", buffer.name, text_of(sizes)));
  }
  return product;
}

const std::string& values_of(const BufferDescription& buffer, const Coordinates& sizes) {
  if (buffer.values_by.empty()) return buffer.values.front();
  const auto number = evaluate(buffer.values_by, sizes);
  if (number < 1 || number > static_cast<std::int64_t>(buffer.values.size()))
    throw std::invalid_argument(fmt::format("'{}' has {} kinds of values, and {} is {}",
                                            buffer.name, buffer.values.size(), buffer.values_by,
                                            number));
  return buffer.values[static_cast<std::size_t>(number) - 1];
}

namespace {

template <class... Values>
[[noreturn]] void fail(const std::string& where, fmt::format_string<Values...> why,
                       Values&&... values) {
  throw TaskMistake(where, fmt::format(why, std::forward<Values>(values)...));
}

/// Names that adapters (adapter_text.cpp, staff_text.cpp) use in functions whose local variables
/// are the sizes.
constexpr std::array<std::string_view, 16> kUsedNames{
    "c",    "s",    "out",     "bytes",  "slot",  "min",       "max",  "ceil_div",
    "next", "last", "extents", "folder", "words", "pow2_ceil", "exit", "environ"};

void check_names(const TaskDescription& task) {
  std::set<std::string> names;
  for (const auto& parameter : task.function.parameters)
    if (!names.insert(parameter.name).second)
      fail("function", "two parameters are named '{}'", parameter.name);
  if (task.function.returns != nullptr && !names.insert(kReturned).second)
    fail("function", "'{}' stands for what the function returns: rename the parameter", kReturned);
  for (const auto& size : task.sizes) {
    if (!is_name(size.name)) fail(size.name, "'{}' is no name of a size", size.name);
    if (std::ranges::find(kUsedNames, size.name) != kUsedNames.end())
      fail(size.name,
           "'{}' is a name of opgrade's own code around the function: rename "
           "the size, such as {}_",
           size.name, size.name);
    if (size.to < size.from)
      fail(size.name, "'{}' goes from {} to {}", size.name, size.from, size.to);
  }
  for (const auto& buffer : task.buffers)
    if (!names.contains(buffer.name))
      fail(buffer.name, "'{}' is no parameter of the function", buffer.name);
  if (task.sizes.size() > kMostSizes) fail("sizes", "more than {} sizes", kMostSizes);
  if (std::ranges::count_if(task.buffers, &BufferDescription::is_given) >
      static_cast<std::ptrdiff_t>(kMostInputs))
    fail("buffers", "more than {} inputs", kMostInputs);
}

/// Checks that a size that the function does not take is used to choose inputs.
void check_use(const TaskDescription& task, const SizeDescription& size) {
  if (task.function.find(size.name) != nullptr) return;
  std::vector<std::string> texts = task.constraints;
  for (const auto& buffer : task.buffers) {
    texts.insert(texts.end(), buffer.extents.begin(), buffer.extents.end());
    texts.insert(texts.end(), buffer.values.begin(), buffer.values.end());
    texts.push_back(buffer.values_by);
  }
  const auto uses = [&](const std::string& text) {
    const auto words = tokens_of(text);
    return std::ranges::find(words, size.name) != words.end();
  };
  if (std::ranges::none_of(texts, uses) && !task.generates())
    fail(size.name, "the size '{}' is no parameter of the function, and nothing else uses it",
         size.name);
}

void check_parameter(const TaskDescription& task, const Parameter& parameter) {
  const bool sized =
      std::ranges::find(task.sizes, parameter.name, &SizeDescription::name) != task.sizes.end();
  const auto* const buffer = task.find(parameter.name);
  if (sized && buffer != nullptr)
    fail(parameter.name, "'{}' stands in `sizes` and in `buffers`", parameter.name);
  if (sized && !parameter.may_be_size())
    fail(parameter.name, "'{}' is a size, so its type must be an integer", parameter.name);
  if (sized) return;
  if (buffer == nullptr)
    fail(parameter.name, "'{}' is neither one of `sizes` nor one of `buffers`", parameter.name);
  if (buffer->role != BufferDescription::Role::in &&
      (!(parameter.pointer || parameter.reference) || parameter.constant))
    fail(parameter.name, "'{}' cannot be written: its type must be a pointer without const",
         parameter.name);
  if (!parameter.pointer && !buffer->extents.empty())
    fail(parameter.name, "'{}' is no pointer, so it has no `extents`", parameter.name);
  if (parameter.pointer && buffer->extents.empty())
    fail(parameter.name, "'{}' needs `extents`, such as [n]", parameter.name);
}

void check_output(const TaskDescription& task, const BufferDescription& buffer) {
  using Error = BufferDescription::Error;
  const auto other = [&](const char* key, const std::string& name) {
    const auto* const found = task.find(name);
    if (found == nullptr)
      fail(buffer.name, "'{}: {}' of '{}' names no buffer", key, name, buffer.name);
    return found;
  };
  if (!buffer.record && !buffer.type->floating && buffer.error != Error::scaled &&
      buffer.error != Error::absolute && buffer.error != Error::program)
    fail(buffer.name, "'{}' holds whole numbers: its `tolerance` is a difference, without `error`",
         buffer.name);
  if (buffer.any_order && (buffer.components > 1 || buffer.record))
    fail(buffer.name,
         "'{}' has elements of several numbers, which have no order: leave out "
         "`any_order`, or let `error: program` decide",
         buffer.name);
  if (buffer.record && buffer.error == Error::norm)
    fail(buffer.name, "'{}' has structs, whose fields have no common norm", buffer.name);
  if (buffer.picture &&
      (picture_channels(buffer) == 0 || buffer.any_order || !buffer.defined.empty() ||
       !buffer.or_in.empty() || buffer.error == Error::norm || buffer.error == Error::program))
    fail(
        buffer.name,
        "'{}' is no picture: it must be unsigned char or float, [rows, columns] of numbers or of "
        "a vector type such as uchar4, or [rows, columns, 3], checked whole and element by element",
        buffer.name);
  if (buffer.any_order && buffer.error == Error::norm)
    fail(buffer.name, "'{}' is checked in any order, so its elements have no norm", buffer.name);
  if (buffer.or_in.empty() != buffer.or_when.empty())
    fail(buffer.name, "'{}' needs both `or_in` and `or_when`", buffer.name);
  if (!buffer.or_in.empty()) {
    const auto* const scratch = other("or_in", buffer.or_in);
    if (scratch->role != BufferDescription::Role::scratch || scratch->type != buffer.type ||
        scratch->components != buffer.components || scratch->record != buffer.record ||
        scratch->extents != buffer.extents)
      fail(buffer.name, "'{}' must be `role: scratch` with the type and extents of '{}'",
           buffer.or_in, buffer.name);
    if (std::ranges::count(task.buffers, buffer.or_in, &BufferDescription::or_in) > 1)
      fail(buffer.name,
           "'{}' is the `or_in` of more than one buffer: a scratch buffer "
           "holds one result",
           buffer.or_in);
  }
  if (const auto* const count = task.find(buffer.defined); count != nullptr) {
    if (count->type->floating || count->components > 1 || count->record ||
        count->role == BufferDescription::Role::scratch ||
        !(count->scalar || count->extents == std::vector<std::string>{"1"}))
      fail(buffer.name, "'defined: {}' of '{}' must be one whole number", count->name, buffer.name);
  }
}

}  // namespace

int picture_channels(const BufferDescription& buffer) {
  const bool is_colour =
      buffer.type->id == ElementType::Id::u8 || buffer.type->id == ElementType::Id::f32;
  if (!is_colour || buffer.record || buffer.scalar) return 0;
  const std::size_t extents = buffer.extents.size();
  if (extents == 2 && buffer.components != 2) return buffer.components;
  if (extents != 3 || buffer.components != 1) return 0;
  return buffer.extents[2] == "3" ? 3 : buffer.extents[2] == "4" ? 4 : 0;
}

namespace {

std::vector<const ElementType*> types_in(const BufferDescription& buffer) {
  if (!buffer.record) return {buffer.type};
  std::vector<const ElementType*> types;
  for (const StructField& field : buffer.record->fields)
    if (std::ranges::find(types, field.type) == types.end()) types.push_back(field.type);
  return types;
}

void check_buffer_at(const BufferDescription& buffer, const TaskDescription& task,
                     const Coordinates& sizes) {
  // An empty buffer is not checked, because values such as integers(0, n - 1) are impossible there.
  if (elements_of(buffer, sizes) > 0)
    for (const auto& values : buffer.values)
      if (values != kGenerated)
        for (const ElementType* const type : types_in(buffer)) Distribution(values, sizes, *type);
  if (buffer.is_given()) values_of(buffer, sizes);
  for (const auto& start : buffer.file_starts_with)
    if (const auto value = evaluate(start, sizes);
        is_binary(file_of(task, buffer)) && value != static_cast<std::int32_t>(value))
      throw std::invalid_argument(fmt::format(
          "'{}' starts with {} at {}, and a number at the start of a .bin file has four "
          "bytes: keep it below 2^31",
          buffer.name, value, text_of(sizes)));
  evaluate(buffer.mismatches, sizes);
  if (!buffer.or_when.empty()) evaluate(buffer.or_when, sizes);
  if (!buffer.defined.empty() && task.find(buffer.defined) == nullptr)
    evaluate(buffer.defined, sizes);
}

/// Checks that a program's standard input is a file that opgrade writes, and its standard output
/// one that opgrade reads.
void check_redirection(const TaskDescription& task, char sign, const std::string& file,
                       BufferDescription::Role role) {
  if (file.empty()) return;
  const auto is_its = [&](const BufferDescription& buffer) {
    return buffer.role == role && file == file_of(task, buffer);
  };
  const bool reads = role == BufferDescription::Role::in;
  const bool is_staffs = reads ? !task.writer.empty() && !written_by_staff(task).empty()
                               : !task.reader.empty() && !read_by_staff(task).empty();
  if (is_staffs || std::ranges::any_of(task.buffers, is_its)) return;
  fail("program",
       "'{} {}' is no file of a buffer with `role: {}`: name one, such as {}, or add {} that {} it",
       sign, file, reads ? "in" : "out", reads ? "x.raw" : "y.raw",
       reads ? kWriterFile : kReaderFile, reads ? "writes" : "reads");
}

/// Checks that the buffer fits into a file of one of opgrade's formats.
void check_file(const BufferDescription& buffer, const std::string& file) {
  const bool is_text = !is_binary(file) && !is_image(file);
  if (buffer.scalar || buffer.type->narrow() || buffer.record ||
      buffer.type->id == ElementType::Id::b8 || (is_text && buffer.components > 1))
    fail(buffer.name,
         "'{}' is a file of a program: it must be a pointer to float, double or whole numbers, in "
         "a .bin "
         "file or an image also to a vector type; {} may have a format for others",
         buffer.name, buffer.is_given() ? kWriterFile : kReaderFile);
  const int channels = picture_channels(buffer);
  if (is_image(file) && (channels == 0 || (!is_png(file) && channels != 3)))
    fail(buffer.name, "'{}' is the image {}: it must be unsigned char or float, {}", buffer.name,
         file,
         is_png(file) ? "[rows, columns] of numbers or of a vector type such as uchar4, or [rows, "
                        "columns, 3]"
                      : "[rows, columns, 3] or [rows, columns] of a vector type such as uchar3");
}

/// Checks that each buffer that the program reads, and each output that is checked, has a file.
void check_program(const TaskDescription& task) {
  try {
    const auto words = split_program(task.program);
    check_redirection(task, '<', words.input, BufferDescription::Role::in);
    check_redirection(task, '>', words.output, BufferDescription::Role::out);
  } catch (const std::invalid_argument& e) {
    fail("program", "{}", e.what());
  }
  for (const auto& buffer : task.buffers) {
    if (buffer.role != BufferDescription::Role::in && buffer.role != BufferDescription::Role::out)
      fail(buffer.name, "'{}' is a file of a program: its role is in or out", buffer.name);
    const std::string file = file_of(task, buffer);
    const bool is_staffs = file.empty() && !(buffer.is_given() ? task.writer : task.reader).empty();
    if (!is_staffs) check_file(buffer, file.empty() ? buffer.name + kBinaryEnd : file);
    if (file.empty() && !is_staffs)
      fail("program",
           "'program' does not name the file {0}.raw, {0}.dat, {0}.bin, {0}.ppm or {0}.png, and "
           "the folder has no {1} for a format of your own",
           buffer.name, buffer.is_given() ? kWriterFile : kReaderFile);
  }
  if (const auto [file, buffer] = expected_file(task); buffer != nullptr) check_file(*buffer, file);
}

void check_at(const TaskDescription& task, const Coordinates& sizes) {
  const auto at = [](const std::string& where, auto try_it) {
    try {
      try_it();
    } catch (const std::invalid_argument& e) {
      fail(where, "{}", e.what());
    }
  };
  for (const auto& buffer : task.buffers)
    at(buffer.name, [&] { check_buffer_at(buffer, task, sizes); });
  for (const auto& constraint : task.constraints)
    at("constraints", [&] { evaluate(constraint, sizes); });
  at("flops", [&] { evaluate(task.flops, sizes); });
  at("program", [&] {
    for (const auto& word : words_of_program(task.program))
      for (const WordPart& part : parts_of_word(word))
        if (part.is_expression) evaluate(part.text, sizes);
  });
}

}  // namespace

void check(const TaskDescription& task) {
  check_names(task);
  for (const auto& parameter : task.function.parameters) check_parameter(task, parameter);
  for (const auto& size : task.sizes) check_use(task, size);
  if (!task.program.empty()) check_program(task);
  bool writes = false;
  for (const auto& buffer : task.buffers) {
    if (buffer.values.empty()) fail(buffer.name, "'{}' has no `values`", buffer.name);
    if (buffer.values.size() > 1 && buffer.values_by.empty())
      fail(buffer.name,
           "'{}' has several `values`: name the size that chooses one, `values_by: kind`",
           buffer.name);
    if (buffer.is_checked()) check_output(task, buffer);
    writes |= buffer.is_checked();
  }
  if (!writes) fail("buffers", "no buffer is an output: give one `role: out` or `role: inout`");
  for (const auto& sizes : ends_of(task)) check_at(task, sizes);
}

}  // namespace opgrade
