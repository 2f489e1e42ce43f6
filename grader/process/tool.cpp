#include "grader/process/tool.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <boost/process.hpp>
#include <boost/process/posix.hpp>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "grader/core/fd.hpp"

namespace opgrade {
namespace {

namespace bp = boost::process;

std::string read_to_the_end(int fd) {
  std::string text;
  std::array<char, 4096> part;
  for (;;) {
    const ssize_t n = ::read(fd, part.data(), part.size());
    if (n > 0) text.append(part.data(), static_cast<std::size_t>(n));
    if (n == 0 || (n < 0 && errno != EINTR)) return text;
  }
}

}  // namespace

ToolResult run_tool(const std::vector<std::string>& words) {
  const bool is_path = words.at(0).find('/') != std::string::npos;
  const auto program = is_path ? boost::filesystem::path(words[0]) : bp::search_path(words[0]);
  if (program.empty()) return {false, fmt::format("{} is not on PATH", words[0])};
  // Boost's own pipe would be inherited by whatever another thread starts meanwhile.
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return {false, fmt::format("cannot make a pipe: {}", std::strerror(errno))};
  const Fd output(ends[0]);
  Fd theirs(ends[1]);
  std::error_code failed;
  bp::child child(program, bp::args(std::vector<std::string>(words.begin() + 1, words.end())),
                  bp::std_in < bp::null, bp::posix::fd.bind(1, theirs.get()),
                  bp::posix::fd.bind(2, theirs.get()), failed);
  theirs.reset();
  if (failed) return {false, fmt::format("{} cannot be started: {}", words[0], failed.message())};
  std::string text = read_to_the_end(output.get());
  child.wait(failed);
  return {!failed && child.exit_code() == 0, std::move(text)};
}

}  // namespace opgrade
