#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "grader/base/core/error.hpp"
#include "grader/base/core/resources.hpp"
#include "grader/cli/commands.hpp"
#include "grader/cli/course_program.hpp"

namespace opgrade::cli {
namespace {

/// Replaces the process by the program with these arguments, the first of which is its name. Throws
/// if that fails.
[[noreturn]] void become(const std::string& program, std::vector<std::string> words,
                         const std::string& hint) {
  std::filesystem::path path;
  try {
    path = resources::helper_program(program);
  } catch (const Error& e) {
    throw Error(e.what(), hint);
  }
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  std::cout.flush();
  ::execv(path.c_str(), argv.data());
  throw Error(fmt::format("{} cannot be started: {}", path.string(), std::strerror(errno)),
              "install opgrade again");
}

[[noreturn]] void become_course_program(std::vector<std::string> words) {
  words.insert(words.begin(), "opgrade");
  become("opgrade-course", std::move(words),
         "build the target opgrade-course (make build), or install opgrade again");
}

}  // namespace

void add_course_program(arguments::Parser& app, const std::vector<std::string>& words) {
  for (const CourseVerb& verb : kCourseVerbs)
    app.add_subcommand(verb.name, verb.about)->forward([words](const std::vector<std::string>&) {
      become_course_program(words);
    });
}

void complete_in_course_program(const std::vector<std::string>& words) {
  if (words.size() < 2 ||
      std::ranges::find(kCourseVerbs, words[0], &CourseVerb::name) == std::end(kCourseVerbs))
    return;
  std::vector<std::string> line{"__complete"};
  line.insert(line.end(), words.begin(), words.end());
  become_course_program(std::move(line));
}

void add_ladder(arguments::Parser& app, int&) {
  auto* verb =
      app.add_subcommand("ladder", "Check and time the ladder of GPU kernels against cuDNN");
  verb->forward([](std::vector<std::string> words) {
    words.insert(words.begin(), "opgrade-ladder");
    become("opgrade-ladder", std::move(words),
           "the ladder is built where a CUDA toolkit is found: install it, configure and build");
  });
}

}  // namespace opgrade::cli
