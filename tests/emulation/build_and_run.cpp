#include "tests/emulation/build_and_run.hpp"

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace opgrade::emulation_test {
namespace {

std::string quoted(const std::string& text) { return "'" + text + "'"; }

}  // namespace

std::pair<std::string, int> shell(const std::string& command) {
  std::string output;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {"", -1};
  std::array<char, 4096> part{};
  for (std::size_t n; (n = std::fread(part.data(), 1, part.size(), pipe)) > 0;)
    output.append(part.data(), n);
  const int status = pclose(pipe);
  return {output, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)};
}

Built build(const std::filesystem::path& source, const std::filesystem::path& folder,
            const std::vector<std::string>& flags) {
  Built built;
  built.object = folder / (source.stem().string() + ".so");
  // OPGRADE_CUCC_PROGRAM names another build of it, the sanitized one.
  const char* const other = std::getenv("OPGRADE_CUCC_PROGRAM");
  std::string command = quoted(other != nullptr ? other : OPGRADE_CUCC) +
                        " -shared -O2 -std=c++17 -o " + quoted(built.object.string());
  for (const std::string& flag : flags) command += " " + quoted(flag);
  const auto [messages, status] = shell(command + " " + quoted(source.string()) + " 2>&1");
  built.messages = messages;
  built.ok = status == 0;
  return built;
}

std::string record(const std::filesystem::path& object) {
  const std::string file = object.string() + ".counts";
  const auto [output, status] = shell(quoted(OPGRADE_EMULATION_HOST) + " " +
                                      quoted(object.string()) + " " + quoted(file) + " 2>&1");
  if (status != 0) return "";
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

Ran run(const std::filesystem::path& object, const std::string& environment) {
  Ran ran;
  const auto [output, status] = shell(environment + " " + quoted(OPGRADE_EMULATION_HOST) + " " +
                                      quoted(object.string()) + " 2>&1");
  ran.exit_status = status;
  const std::size_t begin = output.rfind("{\"result\"");
  ran.output = output.substr(0, begin);
  if (begin != std::string::npos)
    ran.report = nlohmann::json::parse(output.substr(begin), nullptr, false);
  return ran;
}

}  // namespace opgrade::emulation_test
