#include "grader/data/import_minidnn.hpp"

#include <fmt/format.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "grader/core/error.hpp"
#include "grader/data/checksum.hpp"

namespace opgrade {
namespace {

constexpr const char* kBinaryHint =
    "take the course's weights-86.bin, or name the network it is for";
constexpr std::int32_t kMaxLayers = 1000;
constexpr std::uintmax_t kMaxBinaryBytes = std::uintmax_t{1} << 30;

class BinaryReader {
 public:
  explicit BinaryReader(const std::filesystem::path& path) : path_(path) {
    std::error_code failure;
    left_ = std::filesystem::file_size(path_, failure);
    if (failure) fail(fmt::format("cannot be read: {}", failure.message()));
    if (left_ > kMaxBinaryBytes) fail("is too large to be a weights file");
    file_.open(path_, std::ios::binary);
    if (!file_) fail(fmt::format("cannot be opened: {}", std::strerror(errno)));
  }

  std::int32_t number() {
    std::int32_t n = 0;
    read(&n, sizeof n);
    return n;
  }

  Tensor tensor(std::vector<std::int64_t> shape) {
    const auto count = static_cast<std::uintmax_t>(element_count(shape));
    need(count * sizeof(float));  // before the memory is taken
    Tensor tensor{std::move(shape), std::vector<float>(count)};
    read(tensor.values.data(), count * sizeof(float));
    return tensor;
  }

  void expect_end() {
    if (left_ != 0) fail(fmt::format("goes on for {} bytes after its last layer", left_));
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(fmt::format("{} {}", path_.string(), what), kBinaryHint);
  }

 private:
  void need(std::uintmax_t bytes) const {
    if (bytes > left_) fail("is truncated");
  }

  void read(void* to, std::size_t bytes) {
    static_assert(std::endian::native == std::endian::little, "the file is little-endian");
    need(bytes);
    file_.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes));
    if (!file_) fail("cannot be read to its end");
    left_ -= bytes;
  }

  std::filesystem::path path_;
  std::ifstream file_;
  std::uintmax_t left_ = 0;
};

}  // namespace

Weights import_minidnn(const std::filesystem::path& path, const std::string& network,
                       std::span<const LayerLayout> layout) {
  BinaryReader file(path);
  Weights weights;
  weights.network = network;
  const std::int32_t layers = file.number();
  if (!(layers >= 1 && layers <= kMaxLayers)) {
    file.fail(fmt::format("is not a mini-dnn weights file: it announces {} layers", layers));
  }
  for (std::int32_t i = 0; i < layers; ++i) {
    const std::int32_t count = file.number();
    if (count == 0) continue;
    if (weights.layers.size() == layout.size()) {
      file.fail(fmt::format("holds more layers with weights than network {}", network));
    }
    const LayerLayout& wanted = layout[weights.layers.size()];
    const std::int64_t biases = wanted.weights.front();
    const std::int64_t expected = element_count(wanted.weights) + biases;
    if (count != expected) {
      file.fail(
          fmt::format("holds weights of another network: {} numbers for layer {}, {} wants {}",
                      count, wanted.layer, network, expected));
    }
    LayerWeights layer{wanted.layer, file.tensor(wanted.weights), {}};
    Tensor bias = file.tensor({biases});
    if (wanted.bias) layer.bias = std::move(bias);
    weights.layers.push_back(std::move(layer));
  }
  file.expect_end();
  check_layout(weights, layout, path.string());
  weights.provenance = fmt::format(
      "imported from {} (mini-dnn, SHA-256 {}); biases of convolutions "
      "dropped, they are never applied",
      path.filename().string(), sha256_of_file(path));
  return weights;
}

}  // namespace opgrade
