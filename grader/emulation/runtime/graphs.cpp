// Graphs by stream capture. A graph does its work in the order of the captured calls.
#include "grader/emulation/runtime/graphs.hpp"

#include <atomic>

#include "grader/emulation/runtime/state.hpp"

using namespace opgrade_emulation;

struct CUgraph_st {
  std::shared_ptr<Steps> steps;
};
struct CUgraphExec_st {
  std::shared_ptr<Steps> steps;
  Mark last{};  ///< end of its last launch; the next launch waits for it in any stream
};

namespace opgrade_emulation {
namespace {

std::atomic<int> captures{0};

}  // namespace

bool is_handle(cudaStream_t stream) {
  return stream != nullptr && stream != cudaStreamLegacy && stream != cudaStreamPerThread;
}

const std::shared_ptr<Capture>& capture_of(cudaStream_t stream) {
  static const std::shared_ptr<Capture> none;
  // After a capture has ended, streams that joined it are not capturing either.
  return is_handle(stream) && stream->capture != nullptr && stream->capture->origin != nullptr
             ? stream->capture
             : none;
}

bool any_capture() { return captures > 0; }

}  // namespace opgrade_emulation

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  if (sticky_error() != cudaSuccess) return sticky_error();
  if (!is_handle(stream)) return finish(cudaErrorStreamCaptureUnsupported);
  if (capture_of(stream) != nullptr) return finish(cudaErrorIllegalState);
  stream->capture = std::make_shared<Capture>(Capture{stream});
  ++captures;
  return finish(cudaSuccess);
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  if (graph == nullptr) return finish(cudaErrorInvalidValue);
  *graph = nullptr;
  const std::shared_ptr<Capture> capture = capture_of(stream);
  if (capture == nullptr) return finish(cudaErrorIllegalState);
  if (capture->origin != stream) return finish(cudaErrorStreamCaptureUnmatched);
  capture->origin = nullptr;
  --captures;
  if (capture->broken) return finish(cudaErrorStreamCaptureInvalidated);
  *graph = new CUgraph_st{capture->steps};
  return finish(cudaSuccess);
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  if (status == nullptr) return finish(cudaErrorInvalidValue);
  const auto& capture = capture_of(stream);
  *status = capture == nullptr ? cudaStreamCaptureStatusNone
            : capture->broken  ? cudaStreamCaptureStatusInvalidated
                               : cudaStreamCaptureStatusActive;
  return finish(cudaSuccess);
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
  if (exec == nullptr || graph == nullptr) return finish(cudaErrorInvalidValue);
  *exec = new CUgraphExec_st{std::make_shared<Steps>(*graph->steps)};
  return finish(cudaSuccess);
}
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph,
                                          unsigned long long flags) {
  return cudaGraphInstantiate(exec, graph, flags);
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, cudaGraphNode_t*, char*,
                                 std::size_t) {
  return cudaGraphInstantiate(exec, graph, 0ull);
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  if (exec == nullptr) return finish(cudaErrorInvalidValue);
  const bool is_captured = capture_of(stream) != nullptr;
  if (!is_captured) wait_in(stream, exec->last);
  const cudaError_t error =
      in_stream(stream, {.name = "cudaGraphLaunch",
                         .site = __builtin_return_address(0),
                         .perform = [steps = exec->steps] {
                           for (const auto& step : *steps) {
                             if (const cudaError_t error = step(); error != cudaSuccess)
                               return error;
                           }
                           return finish(cudaSuccess);
                         }});
  if (!is_captured) exec->last = mark_in(stream);
  return error;
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t) {
  return finish(exec == nullptr ? cudaErrorInvalidValue : cudaSuccess);
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  delete exec;
  return finish(cudaSuccess);
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return finish(cudaSuccess);
}
