#include "grader/task/conv/data/weights.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "grader/base/core/error.hpp"
#include "grader/base/files/checksum.hpp"
#include "grader/base/files/partial_file.hpp"
#include "grader/task/conv/data/h5.hpp"

namespace opgrade {
namespace {

constexpr const char* kWeightsHint =
    "take the model's file from reference/models again, or import or train it anew";

std::vector<std::int64_t> bias_shape(const LayerLayout& layer) { return {layer.weights.front()}; }

// The shape is compared before any memory is allocated, because a damaged file may claim any size.
Tensor read_tensor(const H5File& file, const std::string& name,
                   const std::vector<std::int64_t>& shape) {
  const H5Handle dataset = file.dataset(name);
  Tensor tensor{file.dimensions(dataset, name), {}};
  if (tensor.shape != shape) {
    file.fail(fmt::format("weights of another network: {} is {}, the network wants {}", name,
                          shape_text(tensor.shape), shape_text(shape)));
  }
  const H5Handle type(H5Dget_type(dataset.get()), H5Tclose);
  const H5T_class_t kind = type ? H5Tget_class(type.get()) : H5T_NO_CLASS;
  std::optional<double> scale;
  if (kind == H5T_INTEGER) {
    scale = file.number_attribute(name, "scale");
    if (!scale) file.fail(fmt::format("{} holds integers but has no attribute scale", name));
  } else if (kind != H5T_FLOAT) {
    file.fail(fmt::format("{} holds neither floating-point numbers nor integers", name));
  }
  tensor.values.resize(static_cast<std::size_t>(element_count(shape)));
  if (H5Dread(dataset.get(), H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT,
              tensor.values.data()) < 0) {
    file.fail_in_library(fmt::format("{} cannot be read", name));
  }
  if (scale) {
    for (float& value : tensor.values) value *= static_cast<float>(*scale);
  }
  return tensor;
}

void add_tensor(Sha256& sum, const Tensor& tensor) {
  static_assert(std::endian::native == std::endian::little, "the checksum is over these bytes");
  sum.add(std::as_bytes(std::span(tensor.values)));
}

bool all_finite(const Tensor& tensor) {
  return std::all_of(tensor.values.begin(), tensor.values.end(),
                     [](float value) { return std::isfinite(value); });
}

}  // namespace

const LayerWeights* Weights::find(std::string_view layer) const {
  for (const LayerWeights& candidate : layers) {
    if (candidate.layer == layer) return &candidate;
  }
  return nullptr;
}

std::int64_t element_count(std::span<const std::int64_t> shape) {
  std::int64_t count = 1;
  for (const std::int64_t n : shape) count *= n;
  return count;
}

std::string shape_text(std::span<const std::int64_t> shape) {
  return shape.empty() ? "a single number" : fmt::format("{}", fmt::join(shape, "x"));
}

std::string weights_sha256(const Weights& weights) {
  Sha256 sum;
  for (const LayerWeights& layer : weights.layers) {
    add_tensor(sum, layer.weights);
    if (layer.bias) add_tensor(sum, *layer.bias);
  }
  return sum.hex();
}

void check_layout(const Weights& weights, std::span<const LayerLayout> layout,
                  const std::string& where) {
  const auto check = [&](const LayerLayout& layer, const char* part, const Tensor* tensor,
                         const std::vector<std::int64_t>& shape) {
    const std::string name = fmt::format("{}: {} of layer {}", where, part, layer.layer);
    if (tensor == nullptr) throw Error(fmt::format("{} are missing", name), kWeightsHint);
    if (tensor->shape != shape) {
      throw Error(fmt::format("{} are {}, the network wants {}", name, shape_text(tensor->shape),
                              shape_text(shape)),
                  "these are weights of another network");
    }
    if (tensor->values.size() != static_cast<std::size_t>(element_count(shape)) ||
        !all_finite(*tensor)) {
      throw Error(fmt::format("{} are not all finite numbers", name), kWeightsHint);
    }
  };
  for (const LayerLayout& wanted : layout) {
    const LayerWeights* layer = weights.find(wanted.layer);
    check(wanted, "weights", layer ? &layer->weights : nullptr, wanted.weights);
    if (wanted.bias) {
      check(wanted, "biases", layer->bias ? &*layer->bias : nullptr, bias_shape(wanted));
    }
  }
}

Weights load_weights(const std::filesystem::path& path, const std::string& network,
                     std::span<const LayerLayout> layout) {
  const H5Session session;
  const H5File file = H5File::open(path, kWeightsHint);
  const auto text = [&](const char* name) {
    auto value = file.text_attribute("/", name);
    if (!value) file.fail(fmt::format("not a weights file: it has no attribute {}", name));
    return *std::move(value);
  };
  Weights weights{text("network"), text("provenance"), {}};
  if (weights.network != network) {
    file.fail(fmt::format("weights of another network: they are for '{}', not '{}'",
                          weights.network, network));
  }
  const std::string stored_sum = text("sha256");
  for (const LayerLayout& wanted : layout) {
    LayerWeights layer{wanted.layer, {}, {}};
    const std::string group = "/" + wanted.layer;
    layer.weights = read_tensor(file, group + "/weights", wanted.weights);
    if (wanted.bias) layer.bias = read_tensor(file, group + "/bias", bias_shape(wanted));
    weights.layers.push_back(std::move(layer));
  }
  if (const std::string sum = weights_sha256(weights); sum != stored_sum) {
    file.fail(
        fmt::format("damaged: its values have SHA-256 {}, its attribute says {}", sum, stored_sum));
  }
  check_layout(weights, layout, path.string());
  return weights;
}

void save_weights(const Weights& weights, const std::filesystem::path& path) {
  PartialFile partial(path);
  {
    const H5Session session;
    H5File file = H5File::create(partial.path());
    file.write_attribute("network", weights.network);
    file.write_attribute("provenance", weights.provenance);
    file.write_attribute("sha256", weights_sha256(weights));
    for (const LayerWeights& layer : weights.layers) {
      const std::string group = "/" + layer.layer;
      file.make_group(group);
      file.write(group + "/weights", H5T_IEEE_F32LE, layer.weights.shape,
                 layer.weights.values.data());
      if (layer.bias) {
        file.write(group + "/bias", H5T_IEEE_F32LE, layer.bias->shape, layer.bias->values.data());
      }
    }
    file.close();
  }
  partial.commit();
}

}  // namespace opgrade
