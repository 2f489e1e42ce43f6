/// The keys of a network's file: each once, with its value, limits and documentation.
///
/// load_network.cpp reads and writes by these functions. A test holds
/// configs/networks/network.schema.json to them; UPDATE_GOLDEN=1 writes it anew.
///
/// The functions of a visitor:
///     operator()(key, value, doc, range)   A key with a default.
///     required(key, value, doc, range)     A key without one.
///     name(key, value, pattern, doc)       A required name.
///     required_word(key, value, names, doc)  A text of a list: false or true.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "grader/base/core/fields.hpp"
#include "grader/task/conv/network/network.hpp"

namespace opgrade {

struct NetworkFile {
  std::string name;
  Shape input;
  std::vector<NetworkLayer> layers;
};

inline constexpr Range kSide{1, 65536};     ///< of images, windows and kernels, and a stride
inline constexpr Range kUnits{1, 1 << 20};  ///< channels, maps and outputs
inline constexpr std::size_t kMaxLayers = 1000;
inline constexpr const char* kNetworkName = "[A-Za-z][A-Za-z0-9._-]{0,63}";
inline constexpr std::array<std::string_view, 2> kPoolEdges{"floor", "ceil"};

struct LayerDoc {
  LayerKind kind;
  const char* text = "";  ///< for layers with settings
};
inline constexpr std::array kLayerDocs{
    LayerDoc{LayerKind::conv, "a convolution: the submission computes it"},
    LayerDoc{LayerKind::relu},
    LayerDoc{LayerKind::tanh},
    LayerDoc{LayerKind::maxpool, "the maximum of each window"},
    LayerDoc{LayerKind::flatten},
    LayerDoc{LayerKind::fc, "a fully connected layer"},
    LayerDoc{LayerKind::softmax},
};

void fields(auto& io, Is<Shape> auto& s) {
  io.required("channels", s.channels, "of an image", kUnits);
  io.required("height", s.height, "rows of an image", kSide);
  io.required("width", s.width, "columns of an image", kSide);
}

/// The settings of a layer, by its kind.
void fields(auto& io, Is<NetworkLayer> auto& l) {
  switch (l.kind) {
    case LayerKind::conv:
      io.name("name", l.name, kNetworkName, "unique; of its weights, too");
      io.required("maps", l.maps, "output maps M", kUnits);
      io.required("kernel", l.kernel, "rows and columns K of a mask", kSide);
      io("stride", l.stride, "S; 1 unless given", kSide);
      break;
    case LayerKind::maxpool:
      io.required("window", l.window, "rows and columns of a window", kSide);
      io.required("stride", l.stride, "between two windows", kSide);
      io.required_word("edge", l.ceil, kPoolEdges,
                       "floor: whole windows only; ceil: a partial one too");
      break;
    case LayerKind::fc:
      io.name("name", l.name, kNetworkName, "unique; of its weights, too");
      io.required("outputs", l.outputs, "number of outputs", kUnits);
      break;
    default:
      break;
  }
}

void fields(auto& io, Is<NetworkFile> auto& f) {
  io.name("network", f.name, kNetworkName, "name, in configs and reports");
  io.required("input", f.input, "the images");
  io.required("layers", f.layers, "from the images to the classes");
}

}  // namespace opgrade
