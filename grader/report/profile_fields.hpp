/// The profile's part of the JSON report; fields.hpp says how.
#pragma once

#include "grader/report/fields.hpp"

namespace opgrade {

void fields(auto& io, Is<ProfileTimeRow> auto& r) {
  io.record("profile_time", "All kernels, or all API calls, of one name.");
  io("name", r.name, "As in the source; templates are cut.");
  io("calls", r.calls, "How often.");
  io("total_ns", r.total_ns, "Time of all together.");
  io.derived("average_ns", r.average_ns(), "Time of one on average.");
  io("minimum_ns", r.minimum_ns, "Time of the shortest.");
  io("maximum_ns", r.maximum_ns, "Time of the longest.");
  io("share", r.share, "Of the table's total, 0 to 1.");
  io("leading", r.leading, "In the shortest list whose shares together exceed 90 %.");
}

void fields(auto& io, Is<ProfileMemoryRow> auto& r) {
  io.record("profile_memory", "All copies between two kinds of memory, or all fills.");
  io("name", r.name, "Such as \"copy pageable to device\", or \"fill\".");
  io("calls", r.calls, "How often.");
  io("bytes", r.bytes, "Of all together.");
  io("smallest", r.smallest, "Bytes of the smallest.");
  io("largest", r.largest, "Bytes of the largest.");
  io("total_ns", r.total_ns, "Time of all together.");
  io("minimum_ns", r.minimum_ns, "Time of the shortest.");
  io("maximum_ns", r.maximum_ns, "Time of the longest.");
  io.derived("bytes_per_second", r.bytes_per_second(), "Bytes over time; 0 without a time.");
}

void fields(auto& io, Is<ProfileLaunchRow> auto& r) {
  io.record("profile_launch", "One way of launching one kernel.");
  io("name", r.name, "Kernel.");
  io("step", r.step, "Launched in: \"conv\", \"prolog\", \"epilog\" or \"between calls\".");
  io("grid", r.grid, "Blocks in x, y, z.");
  io("block", r.block, "Threads in x, y, z.");
  io("calls", r.calls, "Launches.");
  io("registers", r.registers, "Of a thread.");
  io("static_shared", r.static_shared, "Bytes of a block.");
  io("dynamic_shared", r.dynamic_shared, "Bytes of a block, given at the launch.");
  io("local", r.local, "Bytes of a thread, spilled registers among them.");
  io("blocks_per_multiprocessor", r.blocks_per_multiprocessor,
     "Resident at the same time at most; 0 if unknown.");
  io("occupancy", r.occupancy,
     "Theoretical: resident warps over the most there can be; 0 if unknown.");
  io("limited_by", r.limited_by,
     "Limit that keeps a further block out: registers, shared memory, threads or blocks.");
}

void fields(auto& io, Is<ProfileLayerRow> auto& r) {
  io.record("profile_layer", "One computation and what the device did for it.");
  io("layer", r.layer, "Name in the network.");
  io("shape", r.shape, "Sizes as the task names them, as in a conv.");
  io("kernels_ns", r.kernels_ns, "How long a kernel of the timed call ran.");
  io("launches", r.launches, "Kernels of the timed call.");
  io("outside_ns", r.outside_ns, "How long a kernel ran that was launched outside the call.");
  io("outside_launches", r.outside_launches, "Kernels launched outside the call.");
  io("flops_per_second", r.flops_per_second,
     "The task's own operations (two a multiply-add) over kernels_ns.");
  io("bytes_per_second", r.bytes_per_second,
     "Inputs read once and the output written once, over kernels_ns.");
}

void fields(auto& io, Is<ProfileCeilings> auto& c) {
  io.record("profile_ceilings", "Measured on the same device by the grader's own kernels.");
  io("fp32_flops_per_second", c.fp32_flops_per_second,
     "A chain of fp32 multiply-adds, two operations each.");
  io("copy_bytes_per_second", c.copy_bytes_per_second,
     "A copy on the device, bytes read plus bytes written.");
}

void fields(auto& io, Is<ProfileReport> auto& p) {
  io.record("profile",
            "Device activity in one more call of each computation. It comes from the "
            "submission's process: for reading, not for the verdict.");
  io("device", p.device, "Name of the device.");
  io("source", p.source,
     "Recorder: \"CUPTI\" or \"the emulated device\"; empty when nothing could.");
  io("timed", p.timed, "True if there are times.");
  io("problem", p.problem, "Why there is nothing, or not all; empty when all is well.");
  io("kernels", p.kernels, "By total time.");
  io("calls", p.calls, "CUDA API calls, by total time.");
  io("memory", p.memory, "Copies and fills.");
  io("launches", p.launches, "How kernels were launched.");
  io("layers", p.layers, "By computation.");
  io("ceilings", p.ceilings, "For a roofline, or null.");
}

}  // namespace opgrade
