#include "kernels/bench/measurement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace opgrade::kernels {
namespace {

const Measurement* find(std::span<const Measurement> all, const NetworkLayer& layer, int batch,
                        const Rung* rung) {
  for (const Measurement& m : all)
    if (m.layer == &layer && m.shape.B == batch && m.rung == rung) return &m;
  return nullptr;
}

std::string ms_text(double ms) {
  return ms < 0.1 ? fmt::format("{:.4f}", ms) : fmt::format("{:.3f}", ms);
}

const NetworkLayer& last_layer(int from_end) {
  return kNetworkLayers[std::size(kNetworkLayers) - from_end];
}

/// A rung's or cuDNN's row: time of both layers, the sum, the larger error, the floor by
/// arithmetic.
std::string row(const std::string& head, const Measurement* one, const Measurement* two,
                const std::string& floor) {
  const auto time = [](const Measurement* m) { return m ? ms_text(m->ms.median) : "-"; };
  double error = 0;
  for (const Measurement* m : {one, two})
    if (m != nullptr) error = std::max(error, m->difference.relative());
  return fmt::format("| {} | {} | {} | {} | {} | {} |\n", head, time(one), time(two),
                     one && two ? ms_text(one->ms.median + two->ms.median) : "-",
                     one || two ? fmt::format("{:.1e}", error) : "-", floor);
}

}  // namespace

const Measurement* fastest(std::span<const Measurement> all, const NetworkLayer& layer, int batch,
                           bool cudnn, bool exact) {
  const Measurement* best = nullptr;
  for (const Measurement& m : all) {
    if (m.layer != &layer || m.shape.B != batch || (m.rung == nullptr) != cudnn || m.halves)
      continue;
    if (!(exact ? m.exact() : m.usable())) continue;
    if (best == nullptr || m.ms.median < best->ms.median) best = &m;
  }
  return best;
}

std::string rung_table(std::span<const Measurement> all, const UnitRates& ceilings, int batch) {
  const NetworkLayer &one = last_layer(2), &two = last_layer(1);
  ConvShape shape_one = one.shape, shape_two = two.shape;
  shape_one.B = shape_two.B = batch;
  const double bytes = ceilings.bytes_floor_ms(shape_one) + ceilings.bytes_floor_ms(shape_two);
  std::string table = fmt::format(
      "Both layers of the 86x86 network, B={}, ms; error as a share of the largest output. The "
      "floor of the\n"
      "sum by bytes is {}.\n\n"
      "| rung | idea | arithmetic | layer 1 | layer 2 | sum | error | floor by arithmetic |\n"
      "|--|--|--|--|--|--|--|--|\n",
      batch, ms_text(bytes));
  for (const bool exact : {true, false}) {
    const Measurement *a = fastest(all, one, batch, true, exact),
                      *b = fastest(all, two, batch, true, exact);
    if (a == nullptr || b == nullptr) continue;
    table += row(fmt::format("0 cudnn | its fastest way {} | {}; {}",
                             exact ? "at fp32 accuracy" : "at 11 bits", a->how, b->how),
                 a, b, "-");
  }
  for (const Rung& rung : ladder()) {
    const double arithmetic = ceilings.arithmetic_floor_ms(shape_one, rung) +
                              ceilings.arithmetic_floor_ms(shape_two, rung);
    table += row(fmt::format("{} {}{} | {} | {}", rung.number, rung.name,
                             rung.tensor_ptx ? " \\*" : "", rung.idea,
                             rung.products == 1
                                 ? std::string(to_string(rung.unit))
                                 : fmt::format("{} x {}", rung.products, to_string(rung.unit))),
                 find(all, one, batch, &rung), find(all, two, batch, &rung), ms_text(arithmetic));
  }
  return table + "\n\\* needs the mma.sync instruction; older devices use shuffles, slowly.\n";
}

std::string layer_table(std::span<const Measurement> all, const UnitRates& ceilings) {
  std::string table =
      "Every layer of every term's network, ms: the fastest rung and cuDNN's fastest way at the "
      "same\n"
      "accuracy, and the floor by bytes.\n\n"
      "| term | layer | B | fp32: rung | ms | cuDNN | times | 11 bits: rung | ms | cuDNN | times | "
      "bytes |\n"
      "|--|--|--|--|--|--|--|--|--|--|--|--|\n";
  const auto pair = [&](const NetworkLayer& layer, int batch, bool exact) {
    const Measurement *ours = fastest(all, layer, batch, false, exact),
                      *theirs = fastest(all, layer, batch, true, exact);
    if (ours == nullptr) return std::string("- | - | - | -");
    if (theirs == nullptr)
      return fmt::format("{} | {} | - | -", ours->rung->number, ms_text(ours->ms.median));
    return fmt::format("{} | {} | {} | {:.1f}", ours->rung->number, ms_text(ours->ms.median),
                       ms_text(theirs->ms.median), theirs->ms.median / ours->ms.median);
  };
  for (const NetworkLayer& layer : kNetworkLayers) {
    std::vector<int> batches;
    for (const Measurement& m : all)
      if (m.layer == &layer && (batches.empty() || batches.back() != m.shape.B))
        batches.push_back(m.shape.B);
    for (const int batch : batches) {
      ConvShape shape = layer.shape;
      shape.B = batch;
      table += fmt::format("| {} | {} | {} | {} | {} | {} |\n", layer.term, layer.layer, batch,
                           pair(layer, batch, true), pair(layer, batch, false),
                           ms_text(ceilings.bytes_floor_ms(shape)));
    }
  }
  return table;
}

std::string ceilings_text(const UnitRates& c) {
  return fmt::format(
      "{}, SM clock {:.0f} MHz under load. Measured ceilings: copy {:.2f} TB/s (bytes read and "
      "written), "
      "fill {:.2f} TB/s, fp32 {:.1f} TFLOP/s, half2 {:.1f}, mma.sync TF32 {:.0f}, FP16 {:.0f}.\n",
      c.device, c.clock_hz / 1e6, c.bytes / 1e12, c.write / 1e12, c.fp32 / 1e12, c.half2 / 1e12,
      c.tensor_tf32 / 1e12, c.tensor_fp16 / 1e12);
}

std::string csv(std::span<const Measurement> all, const UnitRates& ceilings) {
  std::string text =
      "term,layer,B,rung,how,median_ms,fastest_ms,slowest_ms,samples,relative_error,not_finite,"
      "bytes_floor_ms,"
      "arithmetic_floor_ms\n";
  for (const Measurement& m : all)
    text += fmt::format(
        "{},{},{},{},{},{:.6f},{:.6f},{:.6f},{},{:.3g},{},{:.6f},{}\n", m.layer->term,
        m.layer->layer, m.shape.B, m.rung == nullptr ? 0 : m.rung->number, m.how, m.ms.median,
        m.ms.fastest, m.ms.slowest, m.ms.count, m.difference.relative(), m.difference.broken,
        ceilings.bytes_floor_ms(m.shape),
        m.rung == nullptr ? std::string()
                          : fmt::format("{:.6f}", ceilings.arithmetic_floor_ms(m.shape, *m.rung)));
  return text;
}

}  // namespace opgrade::kernels
