#include <gputk.h>

int main(int argc, char** argv) {
  // TODO: your solution, as README.md describes it.
  return 0;
}
