/// The keys of a config's `task`: see fields.hpp. docs/new-task.md has their tables.
///
/// Two more functions of a visitor:
///     named(key, records, doc)                 A mapping of names to records.
///     texts(key, texts, doc)                   One text, or a list.
#pragma once

#include "grader/task/config/fields.hpp"

namespace opgrade {

inline constexpr std::array<std::string_view, 2> kPointersNames{"device", "host"};

constexpr EnumNames enum_names(BufferDescription::Role) { return {"", kRoleNames}; }
constexpr EnumNames enum_names(BufferDescription::Initial) { return {"", kInitialNames}; }
constexpr EnumNames enum_names(BufferDescription::Error) { return {"", kErrorNames}; }

void fields(auto& io, Is<SizeDescription> auto& s) {
  io("from", s.from, "smallest; 0 has empty inputs", Range{0, kMaxTaskSize});
  io.required("to", s.to, "largest", Range{1, kMaxTaskSize});
  io("random", s.random, {"largest of the random shapes", "`to`, at most 2000"},
     Range{0, kMaxTaskSize});
}

void fields(auto& io, Is<BufferDescription> auto& b) {
  io("extents", b.extents,
     {"of a pointer: expressions of the sizes, such as `[rows, columns]`", "none"});
  io("role", b.role,
     {"`in`, `out`, `inout` (also read) or `scratch` (not checked)",
      "`in`; `out` where it can be written"});
  io.texts("values", b.values, {"of an input: see *Values*; a list has several kinds", "`random`"});
  io("values_by", b.values_by, {"the size that chooses one of several values, from 1", "none"});
  io("file_starts_with", b.file_starts_with,
     {"of a program: expressions whose values stand before the buffer's in its file", "none"});
  io("initial", b.initial, "what an `out` holds before a call: `poison` or `zero`");
  io("tolerance", b.tolerance,
     {"largest error of an element; of whole numbers, largest difference",
      "the stage's; 0 for whole numbers"},
     Range{});
  io("error", b.error, "what an error is relative to: see *Checks*");
  io("mismatches", b.mismatches,
     "expression: so many elements may be wrong, of a picture so many pixels");
  io("picture", b.picture, "reports show a wrong output beside the expected one: see *Checks*");
  io("defined", b.defined,
     {"only so many elements are checked: an expression, or a buffer with one whole number",
      "all"});
  io("any_order", b.any_order, "elements are compared as a set, whatever their order");
  io("or_in", b.or_in,
     {"the scratch buffer that holds the result where `or_when` is not 0", "none"});
  io("or_when", b.or_when, {"expression of the sizes, such as `steps % 2`", "none"});
}

void fields(auto& io, Is<TaskDescription> auto& t) {
  io.required("function", t.function.text,
              "the prototype: `void scale(const float* x, float* y, int n)`");
  io("program", t.program,
     {"arguments of the `main` that students write instead of that function: see *Programs*",
      "none"});
  io.word(
      "pointers", t.host_pointers, kPointersNames,
      "what the function gets on a GPU: `device` memory, or `host` memory that it copies itself");
  io.named("sizes", t.sizes,
           "whole numbers that a case gives; one that the function does not take chooses kinds of "
           "inputs");
  io.named("buffers", t.buffers, "every other parameter; `result` is what the function returns");
  io("constraints", t.constraints,
     {"expressions of the sizes that must not be 0, such as `k <= n`", "none"});
  io("edit", t.edit,
     {"name of the one function that a student may change in the files of `template/`", "none"});
  io("flops", t.flops, "expression: operations of a call, for reports");
}

}  // namespace opgrade
