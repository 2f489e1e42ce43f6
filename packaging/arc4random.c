// arc4random of glibc 2.36 for older systems: the one newer function that libraries of the portable bundle call.
// packaging/portable.sh compiles it and adds it to their needs.
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

void arc4random_buf(void* buffer, size_t size) {
  char* place = buffer;
  while (size > 0) {
    const ssize_t got = getrandom(place, size, 0);
    if (got < 0) continue;  // EINTR alone, because the system's source is never exhausted
    place += got;
    size -= (size_t)got;
  }
}

uint32_t arc4random(void) {
  uint32_t value;
  arc4random_buf(&value, sizeof value);
  return value;
}

uint32_t arc4random_uniform(uint32_t bound) {
  if (bound < 2) return 0;
  const uint32_t first = -bound % bound;  // values below it would make small results more frequent
  uint32_t value;
  do value = arc4random();
  while (value < first);
  return value % bound;
}
