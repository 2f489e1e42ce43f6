/// oneDNN's convolution behind a small face: the CPU yardstick. Built only where libdnnl is found.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "reference/conv_shape.hpp"

namespace opgrade {

enum class OnednnAlgorithm { direct, winograd, automatic };

/// How oneDNN may keep x and y; the weights are always kept as it likes best.
enum class OnednnLayout {
  nchw,     ///< plain, as the caller's own tensors: no copies at all
  nhwc,     ///< channels last
  blocked,  ///< whatever it chooses ("any"), mostly channels in blocks of 8 or 16
};

std::string_view onednn_name(OnednnAlgorithm algorithm);
std::string_view onednn_name(OnednnLayout layout);

/// One float32 convolution of a whole batch, with weights bound to it.
class OnednnConv {
 public:
  /// Nothing when oneDNN has no implementation for these choices (winograd knows K=3 alone). The
  /// caller owns x (B,C,H,W) and y (B,M,H_out,W_out), which must outlive the object; k (M,C,K,K) is
  /// copied. `threads` holds for every later call made from the same thread.
  static std::optional<OnednnConv> create(const ConvShape& shape, const float* x, const float* k,
                                          float* y, OnednnAlgorithm algorithm, OnednnLayout layout,
                                          int threads);
  OnednnConv(OnednnConv&&) noexcept;
  OnednnConv& operator=(OnednnConv&&) noexcept;
  ~OnednnConv();

  void load();     ///< x into oneDNN's layout; nothing to do where it uses the caller's
  void compute();  ///< the convolution alone
  void store();    ///< y from oneDNN's layout, as load()

  bool reorders() const;               ///< whether load() or store() copies
  std::string implementation() const;  ///< oneDNN's own name for what it runs

 private:
  struct State;
  explicit OnednnConv(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace opgrade
