// Data files: HDF5 data sets and weights, idx images, the weights of mini-dnn and MXNet. What kind
// of file an input is shows in its first bytes, so that a seed is a file as it would be on disk.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include "grader/base/core/error.hpp"
#include "grader/task/conv/data/dataset.hpp"
#include "grader/task/conv/data/idx.hpp"
#include "grader/task/conv/data/import_minidnn.hpp"
#include "grader/task/conv/data/mxnet_params.hpp"
#include "grader/task/conv/data/weights.hpp"
#include "grader/task/conv/network/import_mxnet.hpp"
#include "tests/fuzz/input_file.hpp"
#include "tests/unit/task/conv/data/mxnet_bytes.hpp"

using namespace opgrade;

namespace {

/// Calls a reader; its Errors are what damaged files should give.
template <class Reader>
void accept_errors(Reader&& reader) {
  try {
    reader();
  } catch (const Error&) {
  }
}

const std::vector<LayerLayout>& tiny_layout() {
  static const std::vector<LayerLayout> layout{{"conv1", {2, 1, 3, 3}, false},
                                               {"fc1", {3, 8}, true}};
  return layout;
}

void read_dataset(const std::filesystem::path& path) {
  const DataSet data = DataSet::open(path);
  const int count = std::min(data.images(), 2);
  if (data.image_size() > 4096) return;  // damaged sizes are slow, not wrong
  std::vector<float> pixels(static_cast<std::size_t>(count * data.image_size()));
  data.read_pixels(data.images() - count, count, pixels, 1);
  data.read_labels(0, count);
}

void read_symbol(const std::filesystem::path& symbol) {
  static const std::string params =
      test::mxnet_params({{"arg:convolution0_weight", {2, 1, 3, 3}, std::vector<float>(18, 0.5F)},
                          {"arg:fullyconnected0_weight", {3, 8}, std::vector<float>(24, 0.25F)},
                          {"arg:fullyconnected0_bias", {3}, {0, 1, 2}}});
  const fuzz::InputFile arrays(reinterpret_cast<const std::uint8_t*>(params.data()), params.size());
  import_mxnet(symbol, arrays.path(), "tiny", 0);
}

}  // namespace

// libhdf5 1.10 loses some bytes of its own when it gives up on a damaged file; its leaks are not
// ours.
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5\n"; }

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const fuzz::InputFile file(bytes, size);
  const auto begins = [&](const char* start, std::size_t length) {
    return size >= length && std::memcmp(bytes, start, length) == 0;
  };
  if (begins("\x89HDF", 4)) {
    accept_errors([&] { read_dataset(file.path()); });
    accept_errors([&] { load_weights(file.path(), "tiny", tiny_layout()); });
  } else if (begins("{", 1)) {
    accept_errors([&] { read_symbol(file.path()); });
  } else if (begins("\x12\x01", 2)) {
    accept_errors([&] { read_mxnet_params(file.path()); });
  } else if (begins("\0\0", 2) || begins("\x1f\x8b", 2)) {
    accept_errors([&] { read_idx_images(file.path()); });
    accept_errors([&] { read_idx_labels(file.path()); });
  } else {
    accept_errors([&] { import_minidnn(file.path(), "tiny", tiny_layout()); });
  }
  return 0;
}
