#include "grader/report/words/profile_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>

namespace opgrade::report {

double passes_of(const ProfileAccessRow& access) {
  return static_cast<double>(
      access.space == "global" ? std::max(access.requests, access.sectors / 4) : access.wavefronts);
}

namespace {

/// What a column means, with its unit. The first matching entry is used; `table` is the start of
/// the table's title, or empty.
struct Legend {
  std::string_view table, column, meaning;
};
constexpr std::array kLegends{
    Legend{"", "launches", "kernels that were launched"},
    Legend{"", "outside", "kernels launched outside of the timed function"},
    Legend{"", "kernel time", "while at least one kernel of the call ran"},
    Legend{"Kernels", "share", "of the time of all kernels"},
    Legend{"CUDA", "share", "of the time of all these calls"},
    Legend{"Accesses", "share", "of all passes through the load and store units"},
    Legend{"", "total", "time of all calls of the row"},
    Legend{"", "avg", "time of one call, as are min and max"},
    Legend{"Kernels", "calls", "launches"},
    Legend{"How", "in", "the timed call, or what was launched around it"},
    Legend{"How", "calls", "launches of this kind"},
    Legend{"", "grid", "blocks of a launch in x, y and z"},
    Legend{"", "block", "threads of a block in x, y and z"},
    Legend{"", "registers", "of a thread"},
    Legend{"", "shared", "__shared__ memory of a block"},
    Legend{"", "local", "memory of a thread for what its registers do not hold"},
    Legend{"", "blocks/SM", "that a multiprocessor holds at once"},
    Legend{"", "occupancy",
           "their warps, as a share of the most that a multiprocessor holds; it can be lower when "
           "the kernel runs"},
    Legend{"", "limited by", "what allows no more blocks"},
    Legend{"", "bytes", "of all operations of the row"},
    Legend{"", "throughput", "bytes over total"},
    Legend{"What", "threads", "of all launches"},
    Legend{"", "idle", "threads without an access to global or shared memory"},
    Legend{"", "multiply-adds",
           "a product and the sum around it, in single precision, over all threads"},
    Legend{"", "other", "further operations in single precision"},
    Legend{"", "double", "operations in double precision"},
    Legend{"", "barriers", "__syncthreads() of all blocks"},
    Legend{"", "shuffles", "of warps"},
    Legend{"", "fragments", "tensor-core operations of warps"},
    Legend{"", "FLOP/byte", "operations for each byte of device memory"},
    Legend{"", "limit", "the busiest of arithmetic, load units and memory"},
    Legend{"", "at least", "the time that this limit allows"},
    Legend{"", "requests", "loads and stores of warps"},
    Legend{"", "lanes", "threads of a warp, of 32, that take part in one, on average"},
    Legend{"", "sectors",
           "of 32 bytes that a request touches, and in brackets the fewest that hold its data"},
    Legend{"", "passes",
           "turns of shared or constant memory for a request, and in brackets without conflicts"},
    Legend{"", "loads", "of one element of the array, over all threads"},
};

/// Three digits: "1.70", "22.7", "480 k", "10.9 M". Smaller whole numbers are exact.
std::string show_count(double count) {
  std::string text = show_rate(count, "");
  if (text.ends_with(' ')) text.pop_back();
  return text;
}
std::string show_count(std::int64_t count) {
  constexpr std::int64_t kExact = 10'000;
  return count < kExact ? fmt::format("{}", count) : show_count(static_cast<double>(count));
}

class Shower {
 public:
  Shower(const ProfileReport& profile, const Glyphs& glyphs) : p_(profile), glyphs_(glyphs) {}

  ProfileTable times(const char* title, const std::vector<ProfileTimeRow>& rows) const {
    ProfileTable table;
    table.title = title;
    if (!p_.timed) {
      table.columns = {{"calls", true}, {"name"}};
      for (const auto& row : rows)
        table.rows.push_back({{fmt::format("{}", row.calls), short_kernel_name(row.name)}});
      return table;
    }
    const auto leading = std::count_if(rows.begin(), rows.end(),
                                       [](const ProfileTimeRow& row) { return row.leading; });
    double share = 0;
    for (const auto& row : rows) share += row.leading ? row.share : 0;
    table.note = fmt::format("{} of {} name{}, marked with *, take {} of the time.", leading,
                             rows.size(), rows.size() == 1 ? "" : "s", percent(share));
    table.columns = {{"", false},   {"share", true}, {"total", true}, {"calls", true},
                     {"avg", true}, {"min", true},   {"max", true},   {"name", false}};
    for (const auto& row : rows) {
      table.rows.push_back(
          {{row.leading ? "*" : "", percent(row.share), ns(row.total_ns),
            fmt::format("{}", row.calls), show_ms(row.average_ns() * 1e-6, glyphs_),
            ns(row.minimum_ns), ns(row.maximum_ns), short_kernel_name(row.name)},
           row.leading});
    }
    return table;
  }

  ProfileTable memory() const {
    ProfileTable table{.title = "Memory operations",
                       .columns = {{"total", true},
                                   {"calls", true},
                                   {"bytes", true},
                                   {"smallest", true, true},
                                   {"largest", true},
                                   {"throughput", true},
                                   {"operation", false}}};
    for (const auto& row : p_.memory) {
      table.rows.push_back({{ns(row.total_ns), fmt::format("{}", row.calls), show_bytes(row.bytes),
                             show_bytes(row.smallest), show_bytes(row.largest),
                             show_rate(row.bytes_per_second(), "B/s"), row.name}});
    }
    return table;
  }

  ProfileTable launches() const {
    ProfileTable table;
    table.title = "How kernels were launched";
    table.columns = {{"in", false},         {"calls", true},           {"grid", true},
                     {"block", true},       {"registers", true},       {"shared", true, true},
                     {"local", true, true}, {"blocks/SM", true, true}, {"occupancy", true},
                     {"limited by", false}, {"kernel", false}};
    for (const auto& row : p_.launches) {
      const bool known = row.blocks_per_multiprocessor > 0;
      table.rows.push_back(
          {{row.step == "conv" ? "call" : row.step, fmt::format("{}", row.calls), sizes(row.grid),
            sizes(row.block), row.registers > 0 ? fmt::format("{}", row.registers) : "",
            show_bytes(row.static_shared + row.dynamic_shared),
            p_.timed ? show_bytes(row.local) : "",
            known ? fmt::format("{}", row.blocks_per_multiprocessor) : "",
            known ? percent(row.occupancy) : "", row.limited_by, short_kernel_name(row.name)}});
    }
    return table;
  }

  ProfileTable layers() const {
    ProfileTable table;
    table.title = "Calls";
    table.columns = {
        {"layer", false}, {"shape", false, true}, {"launches", true}, {"outside", true}};
    if (p_.timed) {
      table.note =
          "Rates: the call's own operations, and its inputs read once and its output written once, "
          "over the time its kernels ran. A kernel that reads more than once moves more bytes.";
      table.columns.insert(table.columns.end(),
                           {{"kernel time", true}, {"FLOP/s", true}, {"bytes/s", true}});
    }
    for (const auto& row : p_.layers) {
      std::vector<std::string> cells{
          row.layer, text_of(row.shape), fmt::format("{}", row.launches),
          row.outside_launches == 0 ? "none"
          : p_.timed ? fmt::format("{} in {}", row.outside_launches, ns(row.outside_ns))
                     : fmt::format("{}", row.outside_launches)};
      if (p_.timed) {
        cells.insert(cells.end(),
                     {ns(row.kernels_ns),
                      with_share(row.flops_per_second, "FLOP/s",
                                 p_.ceilings ? p_.ceilings->fp32_flops_per_second : 0),
                      with_share(row.bytes_per_second, "B/s",
                                 p_.ceilings ? p_.ceilings->copy_bytes_per_second : 0)});
      }
      table.rows.push_back({std::move(cells)});
    }
    return table;
  }

  ProfileTable counts() const {
    ProfileTable table;
    table.title = "What the kernels did";
    table.columns = {{"in", false},
                     {"kernel", false},
                     {"launches", true},
                     {"threads", true},
                     {"idle", true},
                     {"multiply-adds", true},
                     {"other", true, true},
                     {"double", true, true},
                     {"barriers", true, true},
                     {"shuffles", true, true},
                     {"fragments", true, true},
                     {"FLOP/byte", true, true},
                     {"limit", false, true},
                     {"at least", true, true}};
    table.note = counted_sizes(p_);
    if (!p_.roofline.empty())
      table.note += fmt::format("{}limit and at least are an estimate by the rates of the GPU {}.",
                                table.note.empty() ? "" : " ", p_.roofline);
    for (const ProfileCountRow& row : p_.counts) {
      const double operations =
          static_cast<double>(row.of_float.instructions() + row.of_float.fused +
                              row.of_double.instructions() + row.of_double.fused);
      const auto number = [](std::int64_t n) { return n > 0 ? show_count(n) : ""; };
      table.rows.push_back(
          {{layer_name(row), short_kernel_name(row.name), fmt::format("{}", row.launches),
            show_count(row.threads),
            row.idle > 0 ? percent(static_cast<double>(row.idle) / static_cast<double>(row.threads))
                         : "",
            number(row.of_float.fused),
            number(row.of_float.add + row.of_float.multiply + row.of_float.divide),
            number(row.of_double.instructions() + row.of_double.divide), number(row.barriers),
            number(row.shuffles), number(row.fragments),
            row.memory_bytes > 0 && operations > 0
                ? show_count(operations / static_cast<double>(row.memory_bytes))
                : "",
            row.limit, row.least_ns > 0 ? show_ms(row.least_ns * 1e-6, glyphs_) : ""}});
    }
    return table;
  }

  /// The lines with the most passes first, because they take most of a kernel's time if memory
  /// limits it.
  ProfileTable accesses() const {
    constexpr std::size_t kMostLines = 20;
    struct Line {
      const ProfileCountRow* row;
      const ProfileAccessRow* access;
      double share;
    };
    ProfileTable table;
    table.title = "Accesses by line";
    table.columns = {{"share", true},          {"line", false},       {"access", false},
                     {"requests", true, true}, {"lanes", true, true}, {"sectors", true},
                     {"passes", true},         {"loads", true, true}, {"in", false, true}};
    std::vector<Line> lines;
    double total = 0;
    for (const ProfileCountRow& row : p_.counts)
      for (const ProfileAccessRow& access : row.accesses) {
        const double part = passes_of(access);
        lines.push_back({&row, &access, part});
        total += part;
      }
    std::ranges::stable_sort(lines, std::ranges::greater(), &Line::share);
    if (lines.size() > kMostLines) lines.resize(kMostLines);
    for (const auto& [row, access, part] : lines) {
      const auto requests = static_cast<double>(access->requests);
      const auto of = [&](std::int64_t now, std::int64_t least) {
        return now > 0 ? fmt::format("{} ({})", show_count(static_cast<double>(now) / requests),
                                     show_count(static_cast<double>(least) / requests))
                       : "";
      };
      const auto array = static_cast<std::size_t>(access->array);
      const bool reused = access->use == "load" && array > 0 && array <= row->arrays.size();
      table.rows.push_back(
          {{percent(part / total), fmt::format("{}:{}", access->file, access->line),
            access->space + " " + access->use, show_count(access->requests),
            show_count(static_cast<double>(access->lanes) / requests),
            of(access->sectors, access->least_sectors),
            of(access->wavefronts, access->least_wavefronts),
            reused ? show_count(static_cast<double>(row->arrays[array - 1].loads) /
                                static_cast<double>(row->arrays[array - 1].of_grids))
                   : "",
            layer_name(*row)}});
    }
    return table;
  }

 private:
  std::string layer_name(const ProfileCountRow& row) const {
    const auto layer = static_cast<std::size_t>(row.layer);
    return layer < p_.layers.size() ? p_.layers[layer].layer : row.step;
  }
  static std::string percent(double share) { return fmt::format("{:.1f} %", share * 100); }
  std::string ns(std::int64_t time) const {
    return show_ms(static_cast<double>(time) * 1e-6, glyphs_);
  }
  static std::string sizes(std::span<const int, 3> s) {
    std::string text = fmt::format("{}", s[0]);
    if (s[1] != 1 || s[2] != 1) text += fmt::format("x{}", s[1]);
    if (s[2] != 1) text += fmt::format("x{}", s[2]);
    return text;
  }
  static std::string with_share(double rate, const char* unit, double ceiling) {
    std::string text = show_rate(rate, unit);
    if (ceiling > 0) text += fmt::format(" ({})", percent(rate / ceiling));
    return text;
  }

  const ProfileReport& p_;
  const Glyphs& glyphs_;
};

}  // namespace

std::string counted_sizes(const ProfileReport& profile) {
  std::string text;
  for (const auto& layer : profile.counted_layers)
    text += fmt::format("{}{} with {}", text.empty() ? "Counted for " : ", ", layer.layer,
                        text_of(layer.shape));
  return text.empty() ? "" : text + ".";
}

std::string short_kernel_name(const std::string& name) {
  constexpr std::string_view kVoid = "void ";
  const std::size_t from = name.starts_with(kVoid) ? kVoid.size() : 0;
  int depth = 0;  // nesting of template arguments, which may contain parentheses
  for (std::size_t i = from; i < name.size(); ++i) {
    if (name[i] == '<') ++depth;
    if (name[i] == '>' && depth > 0) --depth;
    const bool anonymous = name.compare(i, 11, "(anonymous ") == 0;
    if (name[i] == '(' && depth == 0 && i > from && !anonymous) return name.substr(from, i - from);
  }
  return name;
}

std::string show_rate(double per_second, const char* unit) {
  constexpr std::array kPrefixes{"", "k", "M", "G", "T", "P"};
  std::size_t prefix = 0;
  while (per_second >= 999.5 && prefix + 1 < kPrefixes.size()) {
    per_second /= 1000;
    ++prefix;
  }
  const int decimals = per_second < 9.995 ? 2 : per_second < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}{}", per_second, decimals, kPrefixes[prefix], unit);
}

std::vector<std::string> profile_remarks(const ProfileReport& profile) {
  std::vector<std::string> remarks;
  if (!profile.source.empty() && profile.timed) {
    remarks.push_back(
        fmt::format("Recorded by {} on {}, in the submission's own process: for reading, not for "
                    "the verdict. One call of each convolution after the timed ones.",
                    profile.source, profile.device));
  } else if (!profile.source.empty()) {
    remarks.push_back(
        "Counted by the emulated device: it knows how often and how each kernel is launched. "
        "Times, registers, occupancy, API calls and copies need a GPU: run the same command on a "
        "machine that has one.");
  }
  if (profile.ceilings) {
    remarks.push_back(fmt::format(
        "Measured ceilings of this device: {} of fp32 multiply-adds, {} for a copy on the device.",
        show_rate(profile.ceilings->fp32_flops_per_second, "FLOP/s"),
        show_rate(profile.ceilings->copy_bytes_per_second, "B/s")));
  }
  if (!profile.problem.empty()) remarks.push_back("Not complete: " + profile.problem + ".");
  return remarks;
}

namespace {

/// Drops columns without values: the emulated device has no registers, occupancy or local memory.
void drop_empty_columns(ProfileTable& table) {
  for (std::size_t column = table.columns.size(); column-- > 0;) {
    const auto at = static_cast<std::ptrdiff_t>(column);
    if (std::ranges::any_of(table.rows,
                            [&](const auto& row) { return !row.cells[column].empty(); }))
      continue;
    table.columns.erase(table.columns.begin() + at);
    for (auto& row : table.rows) row.cells.erase(row.cells.begin() + at);
  }
}

/// Explains the columns that are left.
void add_legend(ProfileTable& table) {
  for (const auto& column : table.columns) {
    const auto legend = std::ranges::find_if(kLegends, [&](const Legend& one) {
      return one.column == column.title && table.title.starts_with(one.table);
    });
    if (legend == kLegends.end()) continue;
    table.legend.push_back({column.title, fmt::format("{}: {}.", column.title, legend->meaning)});
  }
}

}  // namespace

std::string rounded_count(double count) {
  const bool is_whole = std::trunc(count) == count && std::abs(count) < 1e15;
  return is_whole ? show_count(static_cast<std::int64_t>(count)) : show_count(count);
}

std::string ProfileTable::note_with(const std::function<bool(const std::string&)>& is_shown) const {
  std::string text = note;
  for (const Legend& one : legend)
    if (is_shown(one.column)) text += (text.empty() ? "" : " ") + one.text;
  return text;
}

std::vector<ProfileTable> profile_tables(const ProfileReport& profile, const Glyphs& glyphs) {
  const Shower show(profile, glyphs);
  std::vector<ProfileTable> tables{show.layers(),
                                   show.times("Kernels", profile.kernels),
                                   show.times("CUDA API calls", profile.calls),
                                   show.memory(),
                                   show.launches(),
                                   show.counts(),
                                   show.accesses()};
  std::erase_if(tables, [](const ProfileTable& table) { return table.rows.empty(); });
  for (ProfileTable& table : tables) {
    drop_empty_columns(table);
    add_legend(table);
  }
  return tables;
}

}  // namespace opgrade::report
