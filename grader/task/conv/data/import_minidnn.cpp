#include "grader/task/conv/data/import_minidnn.hpp"

#include <fmt/format.h>

#include "grader/base/files/checksum.hpp"
#include "grader/task/conv/data/binary_file.hpp"

namespace opgrade {
namespace {

constexpr const char* kBinaryHint =
    "take the course's weights-86.bin, or name the network it is for";
constexpr std::int32_t kMaxLayers = 1000;
constexpr std::uintmax_t kMaxBinaryBytes = std::uintmax_t{1} << 30;

}  // namespace

Weights import_minidnn(const std::filesystem::path& path, const std::string& network,
                       std::span<const LayerLayout> layout) {
  BinaryFile file(path, kMaxBinaryBytes, "a weights file", kBinaryHint);
  Weights weights;
  weights.network = network;
  const std::int32_t layers = file.number<std::int32_t>();
  if (!(layers >= 1 && layers <= kMaxLayers)) {
    file.fail(fmt::format("is not a mini-dnn weights file: it announces {} layers", layers));
  }
  for (std::int32_t i = 0; i < layers; ++i) {
    const std::int32_t count = file.number<std::int32_t>();
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
  file.expect_end("layer");
  check_layout(weights, layout, path.string());
  weights.provenance = fmt::format(
      "imported from {} (mini-dnn, SHA-256 {}); biases of convolutions "
      "dropped, they are never applied",
      path.filename().string(), sha256_of_file(path));
  return weights;
}

}  // namespace opgrade
