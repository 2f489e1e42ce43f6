/// Peak rates of GPUs, by name: for the estimates of the advice.
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace opgrade {

/// The numbers that a task computes with. The rates of `others` are unknown here, because tensor
/// cores do most of half precision, and datasheets give no peak for whole numbers.
enum class Operations { fp32, fp64, others };

struct GpuRates {
  std::string_view name;
  int multiprocessors;
  double hertz;             ///< boost clock
  double fp32, fp64;        ///< instructions of threads, for one multiprocessor in a clock
  double bytes_per_second;  ///< of device memory

  /// Floating-point operations; a multiply-add counts as two.
  double fp32_per_second() const { return 2 * fp32 * multiprocessors * hertz; }
  /// Returns 0 for `others`.
  double flops_per_second(Operations of) const {
    const double each = of == Operations::fp32 ? fp32 : of == Operations::fp64 ? fp64 : 0;
    return 2 * each * multiprocessors * hertz;
  }
  /// The least time in ms for so many bytes of device memory and so many floating-point operations.
  /// Returns 0 if the rate of the operations is unknown.
  double least_ms(double bytes, double flops, Operations of) const {
    const double rate = flops_per_second(of);
    if (flops > 0 && rate == 0) return 0;
    return 1e3 * std::max(bytes / bytes_per_second, flops > 0 ? flops / rate : 0);
  }
  /// Bytes of device memory, for one multiprocessor in a clock.
  double memory_bytes() const { return bytes_per_second / multiprocessors / hertz; }
};

/// Instructions a clock: CUDA C++ Programming Guide, "Arithmetic Instructions", throughput for
/// compute capabilities 8.0 (A100), 8.6 (A40), 8.9 (RTX 40), 9.0 (H100, H200). The rest:
///   A40   datasheet: 696 GB/s; GA102 whitepaper: 84 multiprocessors, 1740 MHz
///   A100  datasheet, 80 GB SXM: 2039 GB/s; whitepaper: 108 multiprocessors, 1410 MHz
///   H100  datasheet, SXM: 3.35 TB/s, 67 TFLOP/s of 132 multiprocessors: 1980 MHz
///   H200  datasheet, SXM: 4.8 TB/s, the multiprocessors of an H100
///   RTX 4060 Laptop  specifications: 3072 cores in 24 multiprocessors, 2370 MHz at most, 128 bits
///         at 16 Gbit/s
inline constexpr std::array kGpuRates{
    GpuRates{"A40", 84, 1.74e9, 128, 2, 696e9},
    GpuRates{"A100", 108, 1.41e9, 64, 32, 2039e9},
    GpuRates{"H100", 132, 1.98e9, 128, 64, 3.35e12},
    GpuRates{"H200", 132, 1.98e9, 128, 64, 4.8e12},
    GpuRates{"RTX 4060 Laptop", 24, 2.37e9, 128, 2, 256e9},
};

inline constexpr auto kGpuNames = [] {
  std::array<std::string_view, kGpuRates.size()> names;
  std::ranges::transform(kGpuRates, names.begin(), &GpuRates::name);
  return names;
}();

/// The rates of a GPU by the name that its driver reports, such as "NVIDIA A100-SXM4-80GB". Null
/// for unknown names, for PCIe cards, whose rates are lower, and for MIG instances, which are a
/// part of a GPU.
constexpr const GpuRates* rates_of_gpu(std::string_view model) {
  if (model.find("PCIe") != model.npos || model.find("PCIE") != model.npos ||
      model.find("MIG") != model.npos)
    return nullptr;
  const auto is_part_of_word = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  };
  for (const GpuRates& rates : kGpuRates) {
    const auto at = model.find(rates.name);
    if (at == model.npos) continue;
    const auto end = at + rates.name.size();
    const bool begins = at == 0 || !is_part_of_word(model[at - 1]);
    if (begins && (end == model.size() || !is_part_of_word(model[end]))) return &rates;
  }
  return nullptr;
}

/// The rates of an H200 if the name is unknown.
constexpr const GpuRates& gpu_rates(std::string_view name) {
  const auto found = std::ranges::find(kGpuRates, name, &GpuRates::name);
  return found != kGpuRates.end() ? *found : kGpuRates[3];
}

}  // namespace opgrade
