#include "reference/onednn_conv.hpp"

#include <omp.h>

#include <oneapi/dnnl/dnnl.hpp>
#include <utility>

namespace opgrade {

using dnnl::memory;

std::string_view onednn_name(OnednnAlgorithm algorithm) {
  switch (algorithm) {
    case OnednnAlgorithm::direct:
      return "direct";
    case OnednnAlgorithm::winograd:
      return "winograd";
    case OnednnAlgorithm::automatic:
      return "auto";
  }
  return "unknown";
}

std::string_view onednn_name(OnednnLayout layout) {
  switch (layout) {
    case OnednnLayout::nchw:
      return "nchw";
    case OnednnLayout::nhwc:
      return "nhwc";
    case OnednnLayout::blocked:
      return "blocked";
  }
  return "unknown";
}

struct OnednnConv::State {
  int threads = 1;
  dnnl::engine engine;
  dnnl::stream stream;
  memory user_x, user_y, x, y, weights, scratch;
  dnnl::convolution_forward convolution;
  std::string implementation;
};

namespace {

dnnl::algorithm dnnl_algorithm(OnednnAlgorithm algorithm) {
  switch (algorithm) {
    case OnednnAlgorithm::winograd:
      return dnnl::algorithm::convolution_winograd;
    case OnednnAlgorithm::automatic:
      return dnnl::algorithm::convolution_auto;
    case OnednnAlgorithm::direct:
      break;
  }
  return dnnl::algorithm::convolution_direct;
}

memory::format_tag dnnl_tag(OnednnLayout layout) {
  switch (layout) {
    case OnednnLayout::nhwc:
      return memory::format_tag::nhwc;
    case OnednnLayout::blocked:
      return memory::format_tag::any;
    case OnednnLayout::nchw:
      break;
  }
  return memory::format_tag::nchw;
}

memory::desc describe(memory::dims dims, memory::format_tag tag) {
  return {std::move(dims), memory::data_type::f32, tag};
}

}  // namespace

std::optional<OnednnConv> OnednnConv::create(const ConvShape& shape, const float* x, const float* k,
                                             float* y, OnednnAlgorithm algorithm,
                                             OnednnLayout layout, int threads) try {
  // oneDNN takes OpenMP's number of threads both when it plans and when it runs.
  omp_set_num_threads(threads);
  auto state = std::make_unique<State>();
  state->threads = threads;
  state->engine = dnnl::engine(dnnl::engine::kind::cpu, 0);
  state->stream = dnnl::stream(state->engine);

  const memory::dims x_dims{shape.B, shape.C, shape.H, shape.W};
  const memory::dims k_dims{shape.M, shape.C, shape.K, shape.K};
  const memory::dims y_dims{shape.B, shape.M, shape.H_out(), shape.W_out()};
  const auto tag = dnnl_tag(layout);
  const dnnl::convolution_forward::desc desc(
      dnnl::prop_kind::forward_inference, dnnl_algorithm(algorithm), describe(x_dims, tag),
      describe(k_dims, memory::format_tag::any), describe(y_dims, tag),
      memory::dims{shape.S, shape.S}, memory::dims{0, 0}, memory::dims{0, 0});
  const dnnl::convolution_forward::primitive_desc plan(desc, state->engine);
  state->implementation = plan.impl_info_str();
  state->convolution = dnnl::convolution_forward(plan);

  state->user_x = memory(describe(x_dims, memory::format_tag::nchw), state->engine,
                         const_cast<float*>(x));  // read only, but oneDNN's handles are not const
  state->user_y = memory(describe(y_dims, memory::format_tag::nchw), state->engine, y);
  const auto own_unless_same = [&](const memory::desc& wanted, const memory& user) {
    return wanted == user.get_desc() ? user : memory(wanted, state->engine);
  };
  state->x = own_unless_same(plan.src_desc(), state->user_x);
  state->y = own_unless_same(plan.dst_desc(), state->user_y);

  memory user_weights(describe(k_dims, memory::format_tag::oihw), state->engine,
                      const_cast<float*>(k));
  state->weights = memory(plan.weights_desc(), state->engine);
  dnnl::reorder(user_weights, state->weights).execute(state->stream, user_weights, state->weights);
  state->stream.wait();
  return OnednnConv(std::move(state));
} catch (const dnnl::error& error) {
  if (error.status == dnnl_unimplemented) return std::nullopt;
  throw;
}

OnednnConv::OnednnConv(std::unique_ptr<State> state) : state_(std::move(state)) {}
OnednnConv::OnednnConv(OnednnConv&&) noexcept = default;
OnednnConv& OnednnConv::operator=(OnednnConv&&) noexcept = default;
OnednnConv::~OnednnConv() = default;

void OnednnConv::load() {
  if (state_->x == state_->user_x) return;
  omp_set_num_threads(state_->threads);
  dnnl::reorder(state_->user_x, state_->x).execute(state_->stream, state_->user_x, state_->x);
  state_->stream.wait();
}

void OnednnConv::compute() {
  omp_set_num_threads(state_->threads);
  state_->convolution.execute(
      state_->stream,
      {{DNNL_ARG_SRC, state_->x}, {DNNL_ARG_WEIGHTS, state_->weights}, {DNNL_ARG_DST, state_->y}});
  state_->stream.wait();
}

void OnednnConv::store() {
  if (state_->y == state_->user_y) return;
  omp_set_num_threads(state_->threads);
  dnnl::reorder(state_->y, state_->user_y).execute(state_->stream, state_->y, state_->user_y);
  state_->stream.wait();
}

bool OnednnConv::reorders() const {
  return state_->x != state_->user_x || state_->y != state_->user_y;
}

std::string OnednnConv::implementation() const { return state_->implementation; }

}  // namespace opgrade
