#include <fmt/format.h>

#include "grader/baseline/conv_library.hpp"
#include "grader/core/error.hpp"

#ifdef OPGRADE_HAVE_ONEDNN
#include "reference/onednn_conv.hpp"

namespace opgrade {
namespace {

class OnednnLibrary : public ConvLibrary {
 public:
  explicit OnednnLibrary(int threads) : threads_(threads) {}

  std::string name() const override { return fmt::format("oneDNN on {} threads", threads_); }

  // Its blocked layouts pad 4 maps to 16: at 10000 images that would be 4 GB for one tensor.
  int images_at_once() const override { return 500; }

  ConvTimes convolve(const std::string& layer, const ConvShape& shape, const float* x,
                     const float* k, float* y, Stopwatch& stopwatch) override {
    ConvTimes times;
    std::optional<OnednnConv> conv;
    stopwatch.timed(layer + ": planning", [&] {
      for (const auto algorithm : {OnednnAlgorithm::automatic, OnednnAlgorithm::direct})
        if (!conv)
          conv = OnednnConv::create(shape, x, k, y, algorithm, OnednnLayout::blocked, threads_);
    });
    if (!conv)
      throw Error("oneDNN has no implementation for layer " + layer,
                  "choose another network, or --device cuda");
    times.how = conv->implementation();
    times.layer = stopwatch.timed(layer + ": to oneDNN's layout", [&] { conv->load(); });
    times.op = stopwatch.timed(layer + ": convolution", [&] { conv->compute(); });
    times.layer += times.op + stopwatch.timed(layer + ": from its layout", [&] { conv->store(); });
    return times;
  }

 private:
  int threads_;
};

}  // namespace

std::unique_ptr<ConvLibrary> make_onednn(int threads) {
  return std::make_unique<OnednnLibrary>(threads);
}

}  // namespace opgrade

#else

namespace opgrade {
std::unique_ptr<ConvLibrary> make_onednn(int) {
  throw Error("this opgrade was built without oneDNN",
              "apt-get install libdnnl-dev, configure and build again, or use --device cuda");
}
}  // namespace opgrade

#endif
