#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "grader/cli/commands.hpp"
#include "grader/core/error.hpp"
#include "grader/core/resources.hpp"

namespace opgrade::cli {
namespace {

/// Becomes the program with these arguments; comes back only by throwing.
[[noreturn]] void become(const std::string& program, const std::vector<std::string>& arguments,
                         const std::string& hint) {
  std::filesystem::path path;
  try {
    path = resources::helper_program(program);
  } catch (const Error& e) {
    throw Error(e.what(), hint);
  }
  std::vector<std::string> words{program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::cout.flush();
  ::execv(path.c_str(), argv.data());
  throw Error(fmt::format("{} cannot be started: {}", path.string(), std::strerror(errno)),
              "install opgrade again");
}

/// A verb that is a program of its own, so that opgrade itself needs none of its libraries; every
/// argument, --help too, is the program's.
void add_program(arguments::Parser& app, const char* verb_name, const char* about,
                 const char* program, const char* hint) {
  auto* verb = app.add_subcommand(verb_name, about);
  verb->forward([=](const std::vector<std::string>& rest) { become(program, rest, hint); });
}

}  // namespace

void add_ladder(arguments::Parser& app) {
  add_program(app, "ladder", "Check and time the ladder of GPU kernels against cuDNN",
              "opgrade-ladder",
              "the ladder is built where a CUDA toolkit is found: install it, configure and build");
}

void add_baseline(arguments::Parser& app) {
  add_program(app, "baseline", "Run a whole network through oneDNN or cuDNN: accuracy and times",
              "opgrade-baseline", "build the target opgrade-baseline, or install opgrade again");
}

}  // namespace opgrade::cli
