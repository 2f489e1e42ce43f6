// Reads a CUDA source as nvcc would. Prints what nvcc refuses to stderr, as a compiler does, and
// what the translator asks of the tree to stdout (facts.hpp). The exit status is a FrontEndStatus.
//   cuda-front-end --headers DIR --words FILE --clang-headers DIR [--system DIR ...]
//                  [--relaxed-constexpr] [--separate] [--extended-lambda] [--plain]
//                  [--uses] [--device-text FILE] [--needed NAME ...] -- FLAGS... SOURCE
// With --uses, SOURCE is a source that the build has preprocessed, and FILE is the same source
// preprocessed for the device. stdout then has what the code uses (uses.hpp), even next to errors.
// --needed is the linker's name of a function that another source uses.
#include <clang/Sema/Sema.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
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
  std::string device_text;
  std::set<std::string> needed;
  RuleFlags flags;
};

Options parse(int argc, char** argv) {
  Options options;
  UnitRequest& request = options.request;
  const std::map<std::string_view, bool*> switches{
      {"--relaxed-constexpr", &options.relaxed},
      {"--extended-lambda", &options.flags.extended_lambda},
      {"--separate", &options.flags.separate},
      {"--plain", &request.plain},
      {"--uses", &request.expanded}};
  int i = 1;
  for (; i < argc && std::string_view(argv[i]) != "--"; ++i) {
    const std::string_view a = argv[i];
    if (const auto found = switches.find(a); found != switches.end()) {
      *found->second = true;
      continue;
    }
    const char* const value = i + 1 < argc ? argv[i + 1] : "";
    if (a == "--headers") request.own_headers = value;
    if (a == "--words") request.words = value;
    if (a == "--clang-headers") request.clang_headers = value;
    if (a == "--device-text") options.device_text = value;
    if (a == "--needed") options.needed.insert(value);
    if (a == "--system") request.system_folders.push_back(value);
    ++i;
  }
  request.flags.assign(argv + std::min(i + 1, argc), argv + argc);
  if (!request.flags.empty()) {
    request.source = request.flags.back();
    request.flags.pop_back();
  }
  return options;
}

void print(const Refusal& refusal, const char* kind) {
  std::fprintf(stderr, "%s:%u:%u: %s: %s\n", refusal.file.c_str(), refusal.line, refusal.column,
               kind, refusal.text.c_str());
  if (!refusal.source_line.empty())
    std::fprintf(stderr, "%5u | %s\n", refusal.line, refusal.source_line.c_str());
}

int print_uses(Options options) {
  std::vector<std::string> uses;
  bool complete = true;
  const auto read = [&] {
    std::vector<std::string> lines;
    const UnitReading reading = read_unit(options.request, [&](clang::Sema& sema) {
      const Sides sides(sema.getSourceManager(), options.request.own_headers, options.relaxed);
      lines = lines_of_uses(sema.getASTContext(), sides, options.needed);
    });
    if (!reading.complete) std::fprintf(stderr, "%s\n", reading.first_error.c_str());
    complete = complete && reading.complete;
    return lines;
  };
  uses = read();
  if (!options.device_text.empty()) {
    options.request.source = options.device_text;
    options.request.device = true;
    uses = merged_uses(uses, read());
  }
  if (!complete) uses.push_back("partial");
  for (const std::string& line : uses) std::printf("%s\n", line.c_str());
  return static_cast<int>(FrontEndStatus::read);
}

int print_facts(Options options) {
  std::vector<std::string> facts;
  std::vector<Refusal> warnings;
  const auto read = [&](Looked looked) {
    std::vector<Refusal> rules;
    UnitReading reading = read_unit(options.request, [&](clang::Sema& sema) {
      const Sides sides(sema.getSourceManager(), options.request.own_headers, options.relaxed);
      rules = broken_rules(sema.getASTContext(), sides, looked, options.flags);
      TreeFacts tree(sema.getASTContext(), sides, looked);
      rules.insert(rules.end(), tree.refusals.begin(), tree.refusals.end());
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
    options.request.device = true;
    UnitReading device = read(Looked::device);
    host.complete = host.complete && device.complete;
    if (host.first_error.empty()) host.first_error = device.first_error;
    for (Refusal& refusal : device.refusals)
      if (std::find(host.refusals.begin(), host.refusals.end(), refusal) == host.refusals.end())
        host.refusals.push_back(std::move(refusal));
  }
  if (!host.complete) {
    std::fprintf(stderr, "%s\n", host.first_error.c_str());
    return static_cast<int>(FrontEndStatus::not_read);
  }
  for (const Refusal& refusal : host.refusals) print(refusal, "error");
  if (host.refusals.empty())
    for (const Refusal& warning : warnings) print(warning, "warning");
  for (const std::string& fact : facts) std::printf("%s\n", fact.c_str());
  return static_cast<int>(host.refusals.empty() ? FrontEndStatus::read : FrontEndStatus::refused);
}

int run(Options options) {
  return options.request.expanded ? print_uses(std::move(options))
                                  : print_facts(std::move(options));
}

}  // namespace
}  // namespace opgrade::emulation

int main(int argc, char** argv) {
  const int status = opgrade::emulation::run(opgrade::emulation::parse(argc, argv));
  std::fflush(nullptr);
  _exit(status);  // leaves Clang's memory to the system to free
}
