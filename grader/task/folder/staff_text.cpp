#include "grader/task/folder/staff_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "grader/task/folder/adapter_text.hpp"
#include "grader/task/folder/layout.hpp"
#include "grader/task/interface/reference_code.hpp"

namespace opgrade {
namespace {

/// A parameter of one of staff's functions, and what the adapter passes for it.
struct StaffParameter {
  std::string declared, passed;
};

StaffParameter size_parameter(const std::string& name) { return {"long long " + name, name}; }

std::string_view staff_type(const BufferDescription& buffer) {
  return buffer.record ? std::string_view(buffer.record->name) : buffer.type->staff_name();
}

/// The type of the buffer's elements in memory.
std::string_view stored_type(const BufferDescription& buffer) {
  return buffer.record ? std::string_view(buffer.record->name) : buffer.type->c_name;
}

bool is_narrow(const BufferDescription& buffer) { return !buffer.record && buffer.type->narrow(); }

/// "const float* x"; a value if the student's parameter is a single number or struct.
StaffParameter input_parameter(const BufferDescription& buffer) {
  const auto type = staff_type(buffer);
  const bool one = buffer.scalar && (buffer.components == 1 || buffer.record);
  if (one && buffer.role == BufferDescription::Role::in)
    return {fmt::format("{} {}", type, buffer.name), "*in_" + buffer.name};
  return {fmt::format("const {}* {}", type, buffer.name), "in_" + buffer.name};
}

std::string after(const BufferDescription& buffer) {
  return buffer.name + (buffer.role == BufferDescription::Role::inout ? "_after" : "");
}

using Parameters = std::vector<StaffParameter>;

bool is_generated(const BufferDescription& buffer) {
  return buffer.is_given() && std::ranges::find(buffer.values, kGenerated) != buffer.values.end();
}

StaffParameter generated_parameter(const BufferDescription& buffer) {
  return {fmt::format("{}* {}", staff_type(buffer), buffer.name), "made_" + buffer.name};
}

/// Parameters in the function's order, with the returned value last: sizes, the inputs as `input`
/// gives them, and what `output` gives for each output. With `kinds`, the sizes that the function
/// does not take follow.
Parameters parameters_of(const TaskDescription& task, bool kinds, auto input, auto output) {
  Parameters all;
  const auto add = [&](const BufferDescription& buffer) {
    if (buffer.is_given()) all.push_back(input(buffer));
    if (!buffer.is_checked()) return;
    for (StaffParameter& one : output(buffer)) all.push_back(std::move(one));
  };
  for (const auto& parameter : task.function.parameters) {
    if (const auto* const found = task.find(parameter.name))
      add(*found);
    else
      all.push_back(size_parameter(parameter.name));
  }
  if (task.function.returns != nullptr)
    if (const auto* const result = task.find(kReturned)) add(*result);
  for (const auto& size : task.sizes)
    if (kinds && task.function.find(size.name) == nullptr) all.push_back(size_parameter(size.name));
  return all;
}

Parameters no_outputs(const BufferDescription&) { return {}; }

Parameters reference_parameters(const TaskDescription& task) {
  return parameters_of(task, false, input_parameter, [](const BufferDescription& buffer) {
    const std::string name = after(buffer);
    if (buffer.record)
      return Parameters{{fmt::format("{}* {}", buffer.record->name, name), "out_" + buffer.name}};
    const bool floating = buffer.type->floating;
    Parameters both{
        {fmt::format("{}* {}", floating ? "double" : "long long", name), "out_" + buffer.name}};
    if (floating) both.push_back({fmt::format("double* {}_scale", name), buffer.name + "_scale"});
    return both;
  });
}

Parameters generate_parameters(const TaskDescription& task) {
  Parameters all{{"unsigned long long seed", "seed"}};
  const auto rest = parameters_of(
      task, true,
      [](const BufferDescription& buffer) {
        return is_generated(buffer) ? generated_parameter(buffer) : input_parameter(buffer);
      },
      no_outputs);
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

Parameters validate_parameters(const TaskDescription& task) {
  return parameters_of(task, true, input_parameter, no_outputs);
}

Parameters check_parameters(const TaskDescription& task) {
  return parameters_of(task, false, input_parameter, [](const BufferDescription& buffer) {
    return Parameters{
        {fmt::format("const {}* {}", staff_type(buffer), after(buffer)), "after_" + buffer.name}};
  });
}

std::string list_of(const Parameters& parameters, std::string StaffParameter::*part) {
  std::string text;
  for (const auto& parameter : parameters) text += (text.empty() ? "" : ", ") + parameter.*part;
  return text;
}

/// Converts half and bfloat16 to float for staff's code.
constexpr const char* kNarrow = R"(inline float widen(unsigned short bits, bool half) {
  unsigned whole = static_cast<unsigned>(bits) << 16;
  float value;
  if (half) {
    /* In plain arithmetic, because the compiler calls a function for each. */
    const unsigned size = (bits & 0x7fffu) << 13;
    memcpy(&value, &size, 4);
    value *= 0x1p112f;
    memcpy(&whole, &value, 4);
    if (size >= 0x7c00u << 13) whole = size | 0x7f800000u;
    whole |= (bits & 0x8000u) << 16;
  }
  memcpy(&value, &whole, 4);
  return value;
}

inline void narrow(float value, void* to, bool half) {
  unsigned whole;
  memcpy(&whole, &value, 4);
  unsigned short bits = static_cast<unsigned short>((whole + 0x7fff + (whole >> 16 & 1)) >> 16);
  if (half) {
    const _Float16 narrow = static_cast<_Float16>(value);
    memcpy(&bits, &narrow, 2);
  }
  memcpy(to, &bits, 2);
}

inline const float* widened(const void* from, long long n, bool half, std::vector<float>& values) {
  values.resize(n);
  for (long long i = 0; i < n; ++i) values[i] = widen(static_cast<const unsigned short*>(from)[i], half);
  return values.data();
}

)";

bool is_half(const BufferDescription& buffer) { return buffer.type->id == ElementType::Id::f16; }

/// Defines `<prefix>_<name>`: a pointer to the elements at `place`, as staff's code gets them.
std::string view_text(const BufferDescription& buffer, const std::string& prefix,
                      const std::string& place) {
  if (is_narrow(buffer))
    return fmt::format(
        "  static std::vector<float> wide_{0}_{1};\n"
        "  const float* const {0}_{1} = widened({2}, {3}, {4}, wide_{0}_{1});\n  (void){0}_{1};\n",
        prefix, buffer.name, place, elements_text(buffer), is_half(buffer));
  return fmt::format(
      "  const {2}* const {0}_{1} = reinterpret_cast<const {2}*>({3});\n  (void){0}_{1};\n", prefix,
      buffer.name, stored_type(buffer), place);
}

/// The start of a function of the adapter: defines the sizes and the inputs under their names.
std::string staff_start(const TaskDescription& task, const char* name) {
  std::string text = fmt::format("void {}(opgrade_call* c) {{\n{}", name, sizes_text(task));
  int shared = 1;
  for (const auto& buffer : task.buffers)
    if (buffer.is_given()) text += view_text(buffer, "in", fmt::format("c->buffer[{}]", shared++));
  text += fmt::format(
      "  char* next = reinterpret_cast<char*>(c->buffer[0]);\n"
      "  const char* last = reinterpret_cast<const char*>(c->buffer[{}]);\n"
      "  (void)next, (void)last;\n",
      shared);
  return text;
}

std::string reference_step(const TaskDescription& task) {
  std::string text = staff_start(task, "run_reference");
  for (const auto& buffer : task.buffers) {
    if (!buffer.is_checked()) continue;
    if (buffer.record) {
      text += fmt::format(
          "  const unsigned long {0}_bytes = ({1} + 7) / 8 * 8;\n"
          "  {2}* const out_{0} = reinterpret_cast<{2}*>(next);\n"
          "  memset(next, OPGRADE_OUTPUT_FILL, {0}_bytes);\n"
          "  next += {0}_bytes;\n",
          buffer.name, bytes_text(buffer), buffer.record->name);
      continue;
    }
    text += fmt::format(
        "  const unsigned long {0}_bytes = static_cast<unsigned long>({1}) * 8;\n"
        "  {2}* const out_{0} = reinterpret_cast<{2}*>(next);\n"
        "  memset(next, OPGRADE_OUTPUT_FILL, {0}_bytes);\n"
        "  next += {0}_bytes;\n",
        buffer.name, elements_text(buffer), buffer.type->floating ? "double" : "long long");
    if (buffer.type->floating)
      text += fmt::format(
          "  double* const {0}_scale = reinterpret_cast<double*>(next);\n"
          "  memset(next, OPGRADE_SCALE_FILL, {0}_bytes);\n  next += {0}_bytes;\n",
          buffer.name);
  }
  return text + fmt::format("  reference({});\n}}\n\n",
                            list_of(reference_parameters(task), &StaffParameter::passed));
}

std::string generate_step(const TaskDescription& task) {
  std::string text = staff_start(task, "run_generate");
  text += "  unsigned long long seed;\n  memcpy(&seed, last, sizeof seed);\n";
  std::string end;
  for (const auto& buffer : task.buffers) {
    if (!is_generated(buffer)) continue;
    if (is_narrow(buffer)) {
      text += fmt::format(
          "  std::vector<float> wide_made_{0}({1});\n  float* const made_{0} = "
          "wide_made_{0}.data();\n  char* const {0}_place = next;\n",
          buffer.name, elements_text(buffer));
      end += fmt::format(
          "  for (unsigned long i = 0; i < wide_made_{0}.size(); ++i)\n"
          "    narrow(made_{0}[i], {0}_place + 2 * i, {1});\n",
          buffer.name, is_half(buffer));
    } else {
      text += fmt::format("  {1}* const made_{0} = reinterpret_cast<{1}*>(next);\n", buffer.name,
                          stored_type(buffer));
    }
    text += fmt::format("  next += ({} + {}) / {} * {};\n", bytes_text(buffer),
                        kOutputAlignment - 1, kOutputAlignment, kOutputAlignment);
  }
  return text + fmt::format("  generate({});\n{}}}\n\n",
                            list_of(generate_parameters(task), &StaffParameter::passed), end);
}

/// A step for a function that returns a complaint or null.
std::string complaint_step(const TaskDescription& task, const char* name,
                           const Parameters& parameters) {
  std::string text = staff_start(task, fmt::format("run_{}", name).c_str());
  if (name == std::string_view("check")) {
    for (const auto& buffer : task.buffers) {
      if (buffer.role == BufferDescription::Role::in) continue;
      text += fmt::format(
          "  const char* const place_{0} = last;\n"
          "  last += ({1} + {2}) / {3} * {3};\n",
          buffer.name, bytes_text(buffer), kGuardBytes + kOutputAlignment - 1, kOutputAlignment);
    }
    for (const auto& buffer : task.buffers) {
      if (!buffer.is_checked()) continue;
      text +=
          view_text(buffer, "after",
                    buffer.or_in.empty() ? "place_" + buffer.name
                                         : fmt::format("(({}) != 0 ? place_{} : place_{})",
                                                       buffer.or_when, buffer.or_in, buffer.name));
    }
  }
  return text + fmt::format(
                    "  const char* const complaint = {0}({1});\n"
                    "  memset(next, 0, {2});\n"
                    "  if (complaint) strncpy(next, complaint, {2} - 1);\n}}\n\n",
                    name, list_of(parameters, &StaffParameter::passed), kStaffTextBytes);
}

std::string layout_proofs(const TaskDescription& task) {
  std::set<std::string> proofs;  // one for each struct
  for (const auto& buffer : task.buffers)
    if (buffer.record) proofs.insert(layout_proof(*buffer.record));
  return fmt::format("{}{}", fmt::join(proofs, ""), proofs.empty() ? "" : "\n");
}

}  // namespace

std::vector<std::string_view> staff_functions(const TaskDescription& task) {
  std::vector<std::string_view> names{"reference"};
  if (task.generates()) names.emplace_back("generate");
  if (task.validates) names.emplace_back("validate");
  if (task.judges()) names.emplace_back("check");
  return names;
}

std::string staff_prototypes(const TaskDescription& task) {
  std::string text;
  const auto declare = [&](const char* type, const char* name, const Parameters& parameters) {
    text += fmt::format("{}{} {}({});", text.empty() ? "" : "\n", type, name,
                        list_of(parameters, &StaffParameter::declared));
  };
  declare("void", "reference", reference_parameters(task));
  if (task.generates()) declare("void", "generate", generate_parameters(task));
  if (task.validates) declare("const char*", "validate", validate_parameters(task));
  if (task.judges()) declare("const char*", "check", check_parameters(task));
  return text;
}

std::string reference_header(const TaskDescription& task) {
  return fmt::format(
      "/* {}: reference() stores the right outputs in double precision or whole numbers. An "
      "output's scale\n"
      " * is NaN: store the sum of |terms| there where rounding is bounded by it; else the largest "
      "|output|\n"
      " * counts. generate() makes the inputs whose values are `generated`. validate() returns "
      "what is wrong\n"
      " * with the inputs, check() what is wrong with the outputs, or null. */\n"
      "#pragma once\n\n#include <stddef.h>\n#include <stdint.h>\n\n{}"
      "extern \"C\" {{\n{}\n}}\n",
      task.title, task.types.empty() ? "" : "#include \"types.h\"\n\n", staff_prototypes(task));
}

std::string reference_adapter(const TaskDescription& task) {
  const bool narrow = std::ranges::any_of(task.buffers, is_narrow);
  std::string text = fmt::format(
      "#include <string.h>\n\n#include <vector>\n\n#include \"../submission_abi.h\"\n"
      "#include \"reference.h\"\n\n"
      "#ifndef {0}\n#define {0} 0\n#define OPGRADE_SCALE_FILL 0xff\n#else\n"
      "#define OPGRADE_SCALE_FILL {0}\n#endif\n\nnamespace {{\n\n{1}",
      kOutputFill, narrow ? kNarrow : "");
  text += layout_proofs(task);
  std::string cases = "  switch (c->size[" + std::to_string(task.sizes.size()) + "]) {\n";
  const auto add = [&](int step, const char* name, const std::string& body) {
    text += body;
    cases += fmt::format("    case {}:\n      return run_{}(c);\n", step, name);
  };
  add(0, "reference", reference_step(task));
  if (task.generates()) add(1, "generate", generate_step(task));
  if (task.validates)
    add(2, "validate", complaint_step(task, "validate", validate_parameters(task)));
  if (task.judges()) add(3, "check", complaint_step(task, "check", check_parameters(task)));
  return text + "void forward(opgrade_call* c) {\n" + cases +
         "  }\n}\n\nconst opgrade_submission kSubmission = {.abi_version = OPGRADE_ABI_VERSION, "
         ".forward = forward};\n\n" +
         kAdapterEnd;
}

}  // namespace opgrade
