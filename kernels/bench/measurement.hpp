/// One timed row of the ladder, and the tables made of them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels/bench/layers.hpp"
#include "kernels/bench/timing.hpp"
#include "kernels/bench/truth.hpp"
#include "kernels/bench/unit_rates.hpp"

namespace opgrade::kernels {

/// A rung, or one of cuDNN's ways, on one layer at one batch size.
struct Measurement {
  const NetworkLayer* layer = nullptr;
  ConvShape shape;
  const Rung* rung = nullptr;  ///< nullptr: cuDNN
  std::string how;             ///< the rung's name, or cuDNN's layout, arithmetic and algorithm
  bool halves = false;         ///< tensors in fp16 (cuDNN only)
  Samples ms;
  Difference difference;

  /// As good as fp32 by the ladder's measure, or as good as 11 bits.
  bool exact() const { return difference.within(allowed_error(Accuracy::fp32, shape)); }
  bool usable() const { return difference.within(allowed_error(Accuracy::fp16, shape)); }
};

/// The fastest of `all` for this layer and batch: among cuDNN's ways or the rungs; with exact only
/// those at fp32 accuracy. Ways that need fp16 tensors never count. nullptr where there is none.
const Measurement* fastest(std::span<const Measurement> all, const NetworkLayer& layer, int batch,
                           bool cudnn, bool exact);

/// Every rung on both layers of the 86x86 network at `batch`, Markdown, with both floors.
std::string rung_table(std::span<const Measurement> all, const UnitRates& ceilings, int batch);

/// Every layer and batch: best rung, cuDNN's best and the floors at either accuracy, Markdown.
std::string layer_table(std::span<const Measurement> all, const UnitRates& ceilings);

/// The measured ceilings in one paragraph.
std::string ceilings_text(const UnitRates& ceilings);

std::string csv(std::span<const Measurement> all, const UnitRates& ceilings);

}  // namespace opgrade::kernels
