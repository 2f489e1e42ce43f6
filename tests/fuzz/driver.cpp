// Runs a fuzz target where libFuzzer is not at hand, with libFuzzer's own way of being called:
//
//   fuzz_config [-runs=N] [-max_total_time=SECONDS] [-seed=N] [-max_len=N] FOLDER...
//
// First every file of the folders as it is, then N changed ones, or as many as the time allows. A
// changed input that reaches code which none did before is kept and changed further. A crash leaves
// the input in the file crash-input.
#include <sanitizer/common_interface_defs.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);

namespace {

using Input = std::vector<std::uint8_t>;

std::array<std::uint8_t, 1 << 16> seen;  // places in the code that some input reached
bool anything_new = false;
const Input* current = nullptr;

void save_current() {
  if (current == nullptr) return;
  std::FILE* const file = std::fopen("crash-input", "wb");
  if (file == nullptr) return;
  std::fwrite(current->data(), 1, current->size(), file);
  std::fclose(file);
  std::fputs("the input is in ./crash-input\n", stderr);
}

class Mutator {
 public:
  Mutator(std::uint64_t seed, std::size_t longest) : random_(seed), longest_(longest) {}

  Input changed(const std::vector<Input>& corpus) {
    Input input = pick(corpus);
    for (std::size_t times = 1 + below(4); times > 0; --times) change(input, corpus);
    input.resize(std::min(input.size(), longest_));
    return input;
  }

 private:
  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }
  const Input& pick(const std::vector<Input>& corpus) { return corpus[below(corpus.size())]; }

  void change(Input& input, const std::vector<Input>& corpus) {
    const std::size_t at = below(input.size() + 1);
    const std::size_t length = std::min(1 + below(16), input.size() - at);
    const auto here = input.begin() + static_cast<std::ptrdiff_t>(at);
    switch (below(7)) {
      case 0:
        if (at < input.size()) input[at] ^= static_cast<std::uint8_t>(1U << below(8));
        break;
      case 1:
        if (at < input.size()) input[at] = static_cast<std::uint8_t>(random_());
        break;
      case 2:
        input.erase(here, here + static_cast<std::ptrdiff_t>(length));
        break;
      case 3: {
        const Input copy(here, here + static_cast<std::ptrdiff_t>(length));
        const auto to = static_cast<std::ptrdiff_t>(below(input.size() + 1));
        input.insert(input.begin() + to, copy.begin(), copy.end());
        break;
      }
      case 4:
        input.insert(here, static_cast<std::uint8_t>(random_()));
        break;
      case 5: {  // a number at the edge of some range, of 1, 2, 4 or 8 bytes
        constexpr std::array<std::uint64_t, 8> kEdges{
            0, 1, 0x7f, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0xffffffffffffffff};
        if (at == input.size()) break;
        const std::uint64_t edge = kEdges[below(kEdges.size())];
        std::memcpy(input.data() + at, &edge,
                    std::min(std::size_t{1} << below(4), input.size() - at));
        break;
      }
      default: {  // the rest of another input
        const Input& other = pick(corpus);
        const auto from = static_cast<std::ptrdiff_t>(below(other.size() + 1));
        input.resize(at);
        input.insert(input.end(), other.begin() + from, other.end());
        break;
      }
    }
  }

  std::mt19937_64 random_;
  std::size_t longest_;
};

void run(const Input& input) {
  current = &input;
  anything_new = false;
  LLVMFuzzerTestOneInput(input.data(), input.size());
  current = nullptr;
}

std::vector<Input> read_folder(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) paths.push_back(entry);
  std::sort(paths.begin(), paths.end());  // the same order, and so the same inputs, everywhere
  std::vector<Input> inputs;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    inputs.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return inputs;
}

}  // namespace

// Called by the code under test at the start of every block (-fsanitize-coverage=trace-pc). The
// place is told from the program's own beginning, which the kernel puts elsewhere in each process:
// a run is the same every time.
extern "C" void __sanitizer_cov_trace_pc() {
  const auto place = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)) -
                     reinterpret_cast<std::uintptr_t>(&LLVMFuzzerTestOneInput);
  std::uint8_t& mark = seen[(place ^ place >> 16) % seen.size()];
  if (mark == 0) {
    mark = 1;
    anything_new = true;
  }
}

int main(int argc, char** argv) {
  std::uint64_t runs = 0, seconds = 0, seed = 1, longest = 65536;
  std::vector<Input> corpus;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    const auto number = [&](std::string_view name, std::uint64_t& value) {
      if (!argument.starts_with(name)) return false;
      value = std::strtoull(argv[i] + name.size(), nullptr, 10);
      return true;
    };
    if (argument.starts_with("-timeout=") || argument.starts_with("-rss_limit_mb=")) continue;
    if (number("-runs=", runs) || number("-max_total_time=", seconds) || number("-seed=", seed) ||
        number("-max_len=", longest))
      continue;
    const auto inputs = read_folder(argv[i]);
    corpus.insert(corpus.end(), inputs.begin(), inputs.end());
  }
  if (corpus.empty()) {
    std::fputs("no seeds: name a folder with at least one file\n", stderr);
    return 2;
  }
  __sanitizer_set_death_callback(&save_current);
  std::signal(SIGABRT, [](int) { save_current(); });  // the library's own assertions end so
  const std::size_t seeds = corpus.size();
  for (const Input& input : corpus) run(input);
  Mutator mutator(seed, longest);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  std::uint64_t done = 0;
  for (; done < runs || (seconds > 0 && std::chrono::steady_clock::now() < end); ++done) {
    Input input = mutator.changed(corpus);
    run(input);
    if (anything_new) corpus.push_back(std::move(input));
  }
  std::printf("%zu seeds and %llu changed inputs, %zu of them reached new code\n", seeds,
              static_cast<unsigned long long>(done), corpus.size() - seeds);
}
