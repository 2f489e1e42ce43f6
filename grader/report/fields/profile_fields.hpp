/// The profile's part of the JSON report, described as in fields.hpp.
#pragma once

#include "grader/report/fields/fields.hpp"

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
  io("flops", r.flops, "The task's own operations, two a multiply-add.");
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

void fields(auto& io, Is<ProfileAccessRow> auto& a) {
  io.record("profile_access",
            "Accesses of one kind in one line, as a GPU's warps would make them.");
  io("space", a.space, "\"global\", \"shared\" or \"constant\".");
  io("use", a.use, "\"load\", \"store\" or \"atomic\".");
  io("file", a.file, "Source file.");
  io("line", a.line, "First line of the statement.");
  io("array", a.array, "Number of the loaded allocation in \"arrays\", from 1; 0 for none.");
  io("requests", a.requests, "Instructions of warps.");
  io("lanes", a.lanes, "Active in them.");
  io("bytes", a.bytes, "Of all lanes.");
  io("sectors", a.sectors, "Of 32 bytes, of global memory.");
  io("least_sectors", a.least_sectors, "If the same bytes lay without gaps.");
  io("wavefronts", a.wavefronts, "Passes of shared and constant memory.");
  io("least_wavefronts", a.least_wavefronts, "Without conflicts.");
  io("crowd", a.crowd, "Lanes at the busiest address of each request, summed.");
  io.rare("exchanged", a.exchanged, "Loaded words of shared memory that another thread wrote.");
  io.rare("useless", a.useless, "A load of a counted case: outputs stay right with other values.");
}

void fields(auto& io, Is<ProfileArrayRow> auto& a) {
  io.record("profile_array", "Loads of one allocation, in elements of four bytes.");
  io("bytes", a.bytes, "Of the allocation.");
  io("loads", a.loads, "By threads.");
  io("of_blocks", a.of_blocks, "Different elements that a block loads, summed over blocks.");
  io("of_grids", a.of_grids, "Different elements that a launch loads, summed over launches.");
}

void fields(auto& io, Is<ProfileArithmetic> auto& a) {
  io.record("profile_arithmetic", "Operations of threads on numbers of one type.");
  io("add", a.add, "Sums and differences.");
  io("multiply", a.multiply, "Products that no sum takes in.");
  io("fused", a.fused, "Multiply-adds.");
  io("divide", a.divide, "Divisions.");
}

void fields(auto& io, Is<ProfileCountRow> auto& c) {
  io.record("profile_count",
            "What the threads did in one way of launching one kernel for one computation.");
  io("name", c.name, "Kernel.");
  io("step", c.step, "Launched in: \"conv\", \"prolog\", \"epilog\" or \"between calls\".");
  io("layer", c.layer, "Number in \"counted_layers\", from 0.");
  io("grid", c.grid, "Blocks in x, y, z.");
  io("block", c.block, "Threads in x, y, z.");
  io("launches", c.launches, "How often.");
  io("of_float", c.of_float, "Single precision.");
  io("of_double", c.of_double, "Double precision.");
  io("barriers", c.barriers, "Of blocks.");
  io("shuffles", c.shuffles, "Of warps.");
  io("votes", c.votes, "Of warps; reductions and matches, too.");
  io("fragments", c.fragments, "Tensor-core operations of warps.");
  io("threads", c.threads, "Of all launches.");
  io("idle", c.idle, "Threads without an access to global or shared memory.");
  io("same_address", c.same_address, "The most atomic operations on one address in a launch.");
  io("copies", c.copies, "Its stores write what its loads read, at other addresses.");
  io("exchanged", c.exchanged, "Words of shared memory that a thread loads and another one wrote.");
  io("memory_bytes", c.memory_bytes, "Of device memory, each word of an array once.");
  io("limit", c.limit, "The busiest of \"arithmetic\", \"load units\" and \"memory\".");
  io("least_ns", c.least_ns, "By its rate on the GPU of \"roofline\".");
  io("arrays", c.arrays, "Allocations that are loaded from, by size.");
  io("accesses", c.accesses, "By kind of memory, kind of access and line.");
}

void fields(auto& io, Is<ProfileAdvice> auto& a) {
  io.record("profile_advice", "A step towards a faster kernel.");
  io("rule", a.rule, "As `opgrade explain` knows it.");
  io("kernel", a.kernel, "Kernel.");
  io("file", a.file, "Source file; empty where no line is meant.");
  io("line", a.line, "Line with the largest part.");
  io("counted", a.counted, "The count that the rule is about.");
  io("least", a.least, "What it could be.");
  io("saving", a.saving, "Share of the kernels' time that it can save at most, 0 to 1.");
}

void fields(auto& io, Is<ProfileSource> auto& s) {
  io.record("profile_source", "A file of the submission.");
  io("file", s.file, "Its name.");
  io("text", s.text, "Its text.");
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
  io("counts", p.counts, "Accesses and arithmetic for a few images, on the emulated device.");
  io("counted_layers", p.counted_layers, "The computations of these, with a few images.");
  io.rare("miscounted", p.miscounted, "Why outputs of the run that counts are not right.");
  io("advice", p.advice, "At most three steps, the largest saving first.");
  io("roofline", p.roofline, "The GPU by whose rates; empty without counts.");
  io("sources", p.sources, "Files with counted lines.");
  io("ceilings", p.ceilings, "For a roofline, or null.");
}

}  // namespace opgrade
