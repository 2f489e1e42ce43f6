// Reads a CUDA source as nvcc would. Prints what nvcc refuses to stderr, as a compiler does, and
// what the translator asks of the tree to stdout (facts.hpp). The exit status is a FrontEndStatus.
//   cuda-front-end --headers DIR --words FILE --clang-headers DIR [--system DIR ...]
//                  [--relaxed-constexpr] [--separate] [--extended-lambda] [--plain]
//                  [--uses] [--needed NAME ...] -- FLAGS... SOURCE
// With --uses stdout has what the code uses (uses.hpp), and a source that asks which compiler reads
// it is not read: Clang's answer would not be that of the build. --needed names a function for the
// linker that another source uses.
#include <clang/Sema/Sema.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "grader/emulation/front_end/facts.hpp"
#include "grader/emulation/front_end/rules.hpp"
#include "grader/emulation/front_end/status.hpp"
#include "grader/emulation/front_end/unit.hpp"
#include "grader/emulation/front_end/uses.hpp"

namespace opgrade::emulation {
namespace {

struct Options {
  UnitRequest request;
  bool relaxed = false;
  bool uses = false;
  std::set<std::string> needed;
  RuleFlags flags;
};

Options parse(int argc, char** argv) {
  Options options;
  int i = 1;
  for (; i < argc && std::string_view(argv[i]) != "--"; ++i) {
    const std::string_view a = argv[i];
    const char* const value = i + 1 < argc ? argv[i + 1] : "";
    if (a == "--relaxed-constexpr") {
      options.relaxed = true;
      continue;
    }
    if (a == "--extended-lambda") {
      options.flags.extended_lambda = true;
      continue;
    }
    if (a == "--plain") {
      options.request.plain = true;
      continue;
    }
    if (a == "--uses") {
      options.uses = true;
      continue;
    }
    if (a == "--separate") {
      options.flags.separate = true;
      continue;
    }
    if (a == "--headers") options.request.own_headers = value;
    if (a == "--words") options.request.words = value;
    if (a == "--clang-headers") options.request.clang_headers = value;
    if (a == "--needed") options.needed.insert(value);
    if (a == "--system") options.request.system_folders.push_back(value);
    ++i;
  }
  for (++i; i < argc; ++i) options.request.flags.push_back(argv[i]);
  if (!options.request.flags.empty()) {
    options.request.source = options.request.flags.back();
    options.request.flags.pop_back();
  }
  return options;
}

void print(const Refusal& refusal, const char* kind) {
  std::fprintf(stderr, "%s:%u:%u: %s: %s\n", refusal.file.c_str(), refusal.line, refusal.column,
               kind, refusal.text.c_str());
  if (!refusal.source_line.empty())
    std::fprintf(stderr, "%5u | %s\n", refusal.line, refusal.source_line.c_str());
}

int run(Options options) {
  std::vector<std::string> facts, uses;
  std::vector<Refusal> warnings;
  const auto read = [&](Looked looked) {
    std::vector<Refusal> rules;
    UnitReading reading = read_unit(options.request, [&](clang::Sema& sema) {
      const Sides sides(sema.getSourceManager(), options.request.own_headers, options.relaxed);
      rules = broken_rules(sema.getASTContext(), sides, looked, options.flags);
      TreeFacts tree(sema.getASTContext(), sides, looked);
      rules.insert(rules.end(), tree.refusals.begin(), tree.refusals.end());
      if (options.uses) uses = lines_of_uses(sema.getASTContext(), sides, options.needed);
      facts.insert(facts.end(), tree.lines.begin(), tree.lines.end());
      warnings.insert(warnings.end(), tree.warnings.begin(), tree.warnings.end());
    });
    reading.refusals.insert(reading.refusals.end(), rules.begin(), rules.end());
    return reading;
  };
  UnitReading host = read(Looked::both);
  if (host.asks_for_device) {
    facts.clear();
    warnings.clear();
    host = read(Looked::host);
    const std::vector<std::string> host_uses = std::move(uses);
    uses.clear();
    options.request.device = true;
    UnitReading device = read(Looked::device);
    uses = merged_uses(host_uses, uses);
    host.complete = host.complete && device.complete;
    host.asks_for_compiler = host.asks_for_compiler || device.asks_for_compiler;
    if (host.first_error.empty()) host.first_error = device.first_error;
    for (Refusal& refusal : device.refusals)
      if (std::find(host.refusals.begin(), host.refusals.end(), refusal) == host.refusals.end())
        host.refusals.push_back(std::move(refusal));
  }
  if (options.uses && host.asks_for_compiler) {
    std::fprintf(stderr, "the source asks which compiler reads it\n");
    return static_cast<int>(FrontEndStatus::not_read);
  }
  if (!host.complete) {
    std::fprintf(stderr, "%s\n", host.first_error.c_str());
    return static_cast<int>(FrontEndStatus::not_read);
  }
  for (const Refusal& refusal : host.refusals) print(refusal, "error");
  if (host.refusals.empty())
    for (const Refusal& warning : warnings) print(warning, "warning");
  for (const std::string& fact : options.uses ? uses : facts) std::printf("%s\n", fact.c_str());
  return static_cast<int>(host.refusals.empty() ? FrontEndStatus::read : FrontEndStatus::refused);
}

}  // namespace
}  // namespace opgrade::emulation

int main(int argc, char** argv) {
  const int status = opgrade::emulation::run(opgrade::emulation::parse(argc, argv));
  std::fflush(nullptr);
  _exit(status);  // Clang's memory is the system's to free
}
