#include "kernels/bench/ladder_run.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>

#include "grader/base/core/error.hpp"
#include "kernels/bench/check.hpp"
#include "kernels/bench/cudnn_ruler.hpp"
#include "kernels/bench/measurement.hpp"

namespace opgrade::kernels {
namespace {

constexpr std::string_view kOpen = "<!-- ladder -->", kClose = "<!-- /ladder -->";

template <class T>
bool chosen(const std::vector<T>& wanted, const auto& value) {
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), value) != wanted.end();
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in)
    throw Error("cannot read " + path, "give --markdown the file that has the ladder markers");
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (!out.flush()) throw Error("cannot write " + path, "is the folder there and writable?");
}

/// All rungs on the odd shapes; returns those that were right.
std::vector<const Rung*> check_all(const LadderOptions& options, bool& all_right) {
  if (const std::string complaint = check_truth(kOddShapes); !complaint.empty())
    throw Error("the device's truth disagrees with conv_direct: " + complaint,
                "no rung can be judged; is the device sound?");
  std::vector<const Rung*> right;
  for (const Rung& rung : ladder()) {
    if (!chosen(options.rungs, rung.number)) continue;
    const Checked checked = check_rung(rung, kOddShapes);
    if (checked.complaint.empty()) {
      fmt::print("{:2} {:22} right: {} shapes, {} runs, worst error {:.0f} % of allowed\n",
                 rung.number, rung.name, checked.accepted, checked.runs, 100 * checked.worst);
      right.push_back(&rung);
    } else {
      fmt::print("{:2} {:22} WRONG: {}\n", rung.number, rung.name, checked.complaint);
      all_right = false;
    }
  }
  std::fflush(stdout);
  return right;
}

/// One layer at one batch: cuDNN and every rung, checked at full size, then timed.
void measure_layer(const NetworkLayer& layer, int batch, const std::vector<const Rung*>& rungs,
                   const LadderOptions& options, ColdTimer& timer, std::vector<Measurement>& out,
                   bool& all_right) {
  ConvShape s = layer.shape;
  s.B = batch;
  DeviceBuffer<float> x(s.x_size()), k(s.k_size());
  DeviceBuffer<double> want(s.y_size());
  fill(x.get(), s.x_size(), Data::reals, 1, nullptr);
  fill(k.get(), s.k_size(), Data::reals, 2, nullptr);
  truth(x.get(), k.get(), want.get(), s);
  if (options.cudnn)
    for (CudnnResult& r : measure_cudnn(x.get(), k.get(), want.get(), s, timer))
      out.push_back({&layer, s, nullptr, std::move(r.how), r.halves, r.ms, r.difference});

  DeviceBuffer<float> y(s.y_size());
  DeviceBuffer<char> workspace;
  for (const Rung* rung : rungs) {
    if (!rung->accepts(s)) continue;
    const Difference difference =
        run_and_compare(*rung, x.get(), k.get(), y.get(), want.get(), s, workspace);
    if (!difference.within(allowed_error(rung->accuracy, s))) {
      fmt::print("{:2} {} WRONG: {}: error {:.3g} of the largest output, {} not finite\n",
                 rung->number, rung->name, to_string(s), difference.relative(), difference.broken);
      all_right = false;
      continue;
    }
    const Samples ms = timer.time([&](cudaStream_t stream) {
      rung->launch(x.get(), k.get(), y.get(), s, {workspace.get(), workspace.size()}, stream);
    });
    out.push_back({&layer, s, rung, std::string(rung->name), false, ms, difference});
  }
}

void profile(const LadderOptions& options) {
  for (const NetworkLayer& layer : kNetworkLayers) {
    if (!chosen(options.terms, layer.term)) continue;
    for (const int batch : options.batches) {
      ConvShape s = layer.shape;
      s.B = batch;
      DeviceBuffer<float> x(s.x_size()), k(s.k_size()), y(s.y_size());
      fill(x.get(), s.x_size(), Data::reals, 1, nullptr);
      fill(k.get(), s.k_size(), Data::reals, 2, nullptr);
      for (const Rung& rung : ladder()) {
        if (!chosen(options.rungs, rung.number) || !rung.accepts(s)) continue;
        DeviceBuffer<char> workspace(rung.workspace_bytes(s));
        rung.launch(x.get(), k.get(), y.get(), s, {workspace.get(), workspace.size()}, nullptr);
        CUDA_CHECK(cudaDeviceSynchronize());
      }
    }
  }
}

}  // namespace

int run_ladder(const LadderOptions& options) {
  if (options.list) {
    for (const Rung& rung : ladder())
      if (chosen(options.rungs, rung.number))
        fmt::print("{:2} {:22} {:5} {}\n", rung.number, rung.name, to_string(rung.accuracy),
                   rung.idea);
    return 0;
  }
  if (!have_gpu())
    throw Error("no CUDA device here, and the ladder is measured on one",
                "--list names the rungs; `ctest -R ladder.emulated` checks them without a device");
  if (options.profile) {
    profile(options);
    return 0;
  }
  bool all_right = true;
  const std::vector<const Rung*> rungs = check_all(options, all_right);
  if (options.check_only) return all_right ? 0 : 1;

  const UnitRates ceilings = measure_unit_rates();
  fmt::print("{}", ceilings_text(ceilings));
  ColdTimer timer;
  std::vector<Measurement> all;
  for (const NetworkLayer& layer : kNetworkLayers) {
    if (!chosen(options.terms, layer.term)) continue;
    for (const int batch : options.batches)
      measure_layer(layer, batch, rungs, options, timer, all, all_right);
  }

  const int largest = *std::max_element(options.batches.begin(), options.batches.end());
  const auto now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  const std::string text = fmt::format(
      "{}\n{}\nMedian of up to 15 samples by CUDA events, L2 cold before each; all verified "
      "against the\n"
      "double-precision truth at full size. cuDNN {}; {:%Y-%m-%d}, commit {}. Made by\n"
      "`opgrade-ladder --markdown kernels/README.md`.\n",
      rung_table(all, ceilings, largest), ceilings_text(ceilings),
      cudnn_version().value_or("not built in"), fmt::gmtime(now), options.commit);
  fmt::print("\n{}\n{}", text, layer_table(all, ceilings));

  if (!options.csv.empty()) write_file(options.csv, csv(all, ceilings));
  if (!options.markdown.empty()) {
    std::string page = read_file(options.markdown);
    const std::size_t open = page.find(kOpen), close = page.find(kClose);
    if (open == page.npos || close == page.npos || close < open)
      throw Error(fmt::format("{} lacks the lines {} and {}", options.markdown, kOpen, kClose),
                  "add both; the table goes between them");
    const std::size_t from = open + kOpen.size();
    write_file(options.markdown, page.replace(from, close - from, "\n" + text));
  }
  return all_right ? 0 : 1;
}

}  // namespace opgrade::kernels
