/// This device's measured rates, unit by unit, from which the floors are computed. They are medians
/// with a cold L2, as the rungs' times are; a profile's roof (grader/platform/gpu/roofline.hpp) is
/// the best.
#pragma once

#include <string>

#include "kernels/ladder.hpp"

namespace opgrade::kernels {

/// Measured on the device at hand; rates in operations (two a multiply-add) and bytes a second.
struct UnitRates {
  std::string device;
  double clock_hz = 0;  ///< the SM clock while fp32 arithmetic ran, by the SM's own counter
  double bytes = 0;     ///< a device-to-device copy of 2 GiB, bytes read plus bytes written
  double write = 0;     ///< a 2 GiB fill, bytes written
  double fp32 = 0, half2 = 0, tensor_tf32 = 0, tensor_fp16 = 0;  ///< mma.sync for the tensor cores

  double rate(Unit unit) const;
  /// The least time for reading x and k once and writing y once, in ms.
  double bytes_floor_ms(const ConvShape& shape) const;
  /// The least time for a rung's multiply-adds at its unit's rate, in ms.
  double arithmetic_floor_ms(const ConvShape& shape, const Rung& rung) const;
};

UnitRates measure_unit_rates();

}  // namespace opgrade::kernels
