#include "grader/emulation/driver/front_end.hpp"

#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "grader/base/core/error.hpp"
#include "grader/emulation/driver/child.hpp"
#include "grader/emulation/front_end/status.hpp"

namespace opgrade::emulation {
namespace fs = std::filesystem;

std::vector<std::string> system_folders(const std::string& verbose_output) {
  std::vector<std::string> folders, own;
  std::istringstream in(verbose_output);
  bool listed = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("#include <...>")) listed = true;
    if (line.starts_with("End of search list")) break;
    if (!listed || !line.starts_with(" ")) continue;
    const std::string folder = line.substr(1);
    std::error_code ignored;
    const bool is_own =
        fs::exists(folder + "/stddef.h", ignored) && !fs::exists(folder + "/stdio.h", ignored);
    (is_own ? own : folders).push_back(folder);
  }
  folders.insert(folders.end(), own.begin(), own.end());
  return folders;
}

std::vector<std::string> front_end_flags(const std::vector<std::string>& compiler_flags) {
  std::vector<std::string> flags;
  for (std::size_t i = 0; i < compiler_flags.size(); ++i) {
    const std::string& flag = compiler_flags[i];
    const bool separate =
        flag == "-I" || flag == "-D" || flag == "-U" || flag == "-isystem" || flag == "-include";
    if (separate && i + 1 < compiler_flags.size()) {
      flags.insert(flags.end(), {flag, compiler_flags[++i]});
    } else if (flag.starts_with("-I") || flag.starts_with("-D") || flag.starts_with("-U") ||
               flag.starts_with("-std=") || flag == "-fopenmp") {
      flags.push_back(flag);
    }
  }
  return flags;
}

Facts parse_facts(const std::string& lines) {
  Facts facts;
  std::istringstream in(lines);
  for (std::string text; std::getline(in, text);) {
    std::istringstream fields(text);
    std::string kind, file, line, name, number;
    for (std::string* const field : {&kind, &file, &line, &name, &number})
      std::getline(fields, *field, '\t');
    const NamePlace place{file, std::atoi(line.c_str()), name};
    if (kind == "shared")
      facts.shared_bytes[place] = static_cast<std::size_t>(std::atol(number.c_str()));
    if (kind == "parameter") {
      using enum Facts::Parameter;
      // In some instances of a template the parameter may be an object, in others a number.
      Facts::Parameter& parameter = facts.parameters[place];
      parameter = std::max(parameter, number == "1"   ? reference
                                      : number == "2" ? has_virtual_functions
                                                      : value);
    }
    if (kind == "host-use") facts.host_uses.insert(place);
    if (kind == "both-use") facts.both_uses.insert(place);
    if (kind == "address") facts.taken_addresses.insert(place);
    if (kind == "no-result") facts.without_result[place] = number == "1";
  }
  return facts;
}

FrontEnd::FrontEnd(const DriverOptions& options, const Installation& installation,
                   const fs::path& source, const fs::path& folder)
    : output_(folder / (source.stem().string() + ".front-end")),
      facts_(folder / (source.stem().string() + ".facts")) {
  const fs::path program = installation.runtime / "cuda-front-end";
  std::error_code ignored;
  if (!fs::exists(program, ignored)) {
    messages_ = "this opgrade was built without a front end";
    return;
  }
  if (!options.front_end) {
    messages_ = "--no-front-end";
    return;
  }
  const fs::path search = folder / (source.stem().string() + ".search");
  const Fd ignored_output = open_to_write("/dev/null");
  if (wait_for(start_child({options.compiler, "-E", "-v", "-x", "c++", "/dev/null"},
                           ignored_output.get(), open_to_write(search).get())) != 0) {
    messages_ = options.compiler + " does not list its folders of headers";
    return;
  }
  const std::string share = (installation.headers.parent_path() / "front_end").string();
  std::vector<std::string> command{
      program.string(),  "--headers",          installation.headers.string(),
      "--words",         share + "/words.hpp", "--clang-headers",
      share + "/include"};
  std::vector<std::string> folders = system_folders(read_text(search));
  // Clang's own folders come before those of the system, because /usr/include has some of their
  // headers.
  folders.insert(std::ranges::find_if(folders,
                                      [](const std::string& one) {
                                        std::error_code none;
                                        return fs::exists(one + "/stdio.h", none);
                                      }),
                 share + "/include");
  for (const std::string& one : folders) command.insert(command.end(), {"--system", one});
  if (options.relaxed_constexpr) command.push_back("--relaxed-constexpr");
  if (options.separate_compilation) command.push_back("--separate");
  if (options.extended_lambda) command.push_back("--extended-lambda");
  if (source.extension() != ".cu") command.push_back("--plain");
  if (options.uses_only) command.push_back("--uses");
  if (!options.device_text.empty())
    command.insert(command.end(), {"--device-text", options.device_text});
  for (const std::string& name : options.needed) command.insert(command.end(), {"--needed", name});
  command.push_back("--");
  const std::vector<std::string> flags = front_end_flags(options.compiler_flags);
  command.insert(command.end(), flags.begin(), flags.end());
  command.push_back(source.string());
  try {
    child_ = start_child(command, open_to_write(facts_).get(), open_to_write(output_).get());
  } catch (const Error& e) {
    messages_ = e.what();
  }
}

FrontEnd::~FrontEnd() {
  if (child_ < 0) return;
  ::kill(child_, SIGKILL);
  wait_for(child_);
}

FrontEnd::Result FrontEnd::result() {
  if (child_ < 0) return result_;
  const int status = wait_for(child_);
  child_ = -1;
  messages_ = read_text(output_);
  if (status == static_cast<int>(FrontEndStatus::read)) result_ = Result::read;
  if (status == static_cast<int>(FrontEndStatus::refused)) result_ = Result::refused;
  puzzled_ = status == static_cast<int>(FrontEndStatus::not_read);
  if (status >= kSignalled) messages_ = "cuda-front-end stopped";
  return result_;
}

std::string FrontEnd::output() const { return read_text(facts_); }

}  // namespace opgrade::emulation
