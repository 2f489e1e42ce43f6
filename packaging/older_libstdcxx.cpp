// Lets code that was compiled with g++ 12 run with the C++ library of g++ 9 or newer. Linked with what runs in a
// submission's process, where that library is the machine's. Source: libstdc++'s
// config/abi/pre/gnu.ver, GLIBCXX_3.4.29, and its ext/atomicity.h.
#include <new>

extern "C" {
/// Of glibc 2.32. Shared pointers are counted as if there were other threads, which there are.
[[gnu::visibility("hidden")]] char __libc_single_threaded = 0;
}

namespace std {
[[gnu::weak]] void __throw_bad_array_new_length() { throw bad_array_new_length(); }
}  // namespace std
