// The readers of YAML: configs and networks. Whatever the text, there is a list of problems or a
// value, and a value that is written out is read back as the same.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "grader/base/core/error.hpp"
#include "grader/task/config/load.hpp"
#include "grader/task/conv/network/load_network.hpp"

using namespace opgrade;

namespace {

void read_config(const std::string& text) {
  const LoadedConfig first = parse_config(text, "fuzz.yaml");
  if (!first.problems.empty()) return;
  const std::string dumped = dump_config(first.config);
  const LoadedConfig second = parse_config(dumped, "dumped.yaml");
  if (!second.problems.empty() || dump_config(second.config) != dumped) std::abort();
}

void read_network(const std::string& text) {
  Network network;
  try {
    network = parse_network(text, "fuzz.yaml");
  } catch (const Error&) {
    return;
  }
  const std::string written = network_yaml(network);
  if (network_yaml(parse_network(written, "written.yaml")) != written) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  read_config(text);
  read_network(text);
  return 0;
}
