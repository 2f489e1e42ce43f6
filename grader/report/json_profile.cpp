#include "grader/report/json_profile.hpp"

#include <span>

namespace opgrade::report {
namespace {

using Json = nlohmann::ordered_json;

template <class T, class Convert>
Json list_of(const std::vector<T>& items, Convert convert) {
  Json out = Json::array();
  for (const auto& item : items) out.push_back(convert(item));
  return out;
}

Json sizes(std::span<const int, 3> s) { return Json::array({s[0], s[1], s[2]}); }

Json time_row(const ProfileTimeRow& r) {
  return {{"name", r.name},
          {"calls", r.calls},
          {"total_ns", r.total_ns},
          {"average_ns", r.average_ns()},
          {"minimum_ns", r.minimum_ns},
          {"maximum_ns", r.maximum_ns},
          {"share", r.share},
          {"leading", r.leading}};
}

Json memory_row(const ProfileMemoryRow& r) {
  return {{"name", r.name},
          {"calls", r.calls},
          {"bytes", r.bytes},
          {"smallest", r.smallest},
          {"largest", r.largest},
          {"total_ns", r.total_ns},
          {"minimum_ns", r.minimum_ns},
          {"maximum_ns", r.maximum_ns},
          {"bytes_per_second", r.bytes_per_second()}};
}

Json launch_row(const ProfileLaunchRow& r) {
  return {{"name", r.name},
          {"step", r.step},
          {"grid", sizes(r.grid)},
          {"block", sizes(r.block)},
          {"calls", r.calls},
          {"registers", r.registers},
          {"static_shared", r.static_shared},
          {"dynamic_shared", r.dynamic_shared},
          {"local", r.local},
          {"blocks_per_multiprocessor", r.blocks_per_multiprocessor},
          {"occupancy", r.occupancy},
          {"limited_by", r.limited_by}};
}

Json layer_row(const ProfileLayerRow& r) {
  return {{"layer", r.layer},
          {"shape", coordinates_json(r.shape)},
          {"kernels_ns", r.kernels_ns},
          {"launches", r.launches},
          {"outside_ns", r.outside_ns},
          {"outside_launches", r.outside_launches},
          {"flops_per_second", r.flops_per_second},
          {"bytes_per_second", r.bytes_per_second}};
}

}  // namespace

Json coordinates_json(const Coordinates& coordinates) {
  Json json = Json::object();
  for (const auto& [name, value] : coordinates) json[name] = value;
  return json;
}

Json profile_json(const ProfileReport& p) {
  Json ceilings;
  if (p.ceilings) {
    ceilings = {{"fp32_flops_per_second", p.ceilings->fp32_flops_per_second},
                {"copy_bytes_per_second", p.ceilings->copy_bytes_per_second}};
  }
  return {{"device", p.device},
          {"source", p.source},
          {"timed", p.timed},
          {"problem", p.problem},
          {"kernels", list_of(p.kernels, time_row)},
          {"calls", list_of(p.calls, time_row)},
          {"memory", list_of(p.memory, memory_row)},
          {"launches", list_of(p.launches, launch_row)},
          {"layers", list_of(p.layers, layer_row)},
          {"ceilings", ceilings}};
}

}  // namespace opgrade::report
