// Stands in for pdftoppm after a document has taken it over: does what the document says, and puts
// what it found into a picture's text, because pictures are all that leaves the sandbox.
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include "tests/unit/course/documents/made_files.hpp"

namespace {

using namespace opgrade::test;

std::string reached(const std::string& what, bool there) { return there ? what + " " : ""; }

bool connects(int port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return socket >= 0 &&
         ::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
}

bool opens(const std::string& path, int how) { return ::open(path.c_str(), how, 0600) >= 0; }

bool lists(const std::string& path) {
  DIR* const folder = ::opendir(path.c_str());
  return folder != nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::strcmp(argv[1], "-v") == 0) return 0;
  std::ifstream document(argv[argc - 1]);
  std::string signature, act, secret;
  int port = 0;
  document >> signature >> act >> port >> secret;
  if (act == "flood")
    for (const std::string picture = plain_png(8, 8, 0, "a");;)
      if (::write(1, picture.data(), picture.size()) < 0) return 1;
  if (act == "spin")
    for (volatile unsigned i = 0;;) i = i + 1;
  if (act == "grow")
    for (std::size_t size = 1 << 20; void* const memory = std::malloc(size);)
      std::memset(memory, 1, size);
  if (act == "fail" || act == "grow") return 1;
  if (act == "bomb") {
    const std::string pictures = plain_png(8, 8, 0, "a") + png_of(50'000, 50'000, 0, "");
    return ::write(1, pictures.data(), pictures.size()) < 0;
  }
  const std::string found =
      "found: " + reached("network", connects(port)) + reached("secret", opens(secret, O_RDONLY)) +
      reached("passwd", opens("/etc/passwd", O_RDONLY)) +
      reached("home", lists("/home") || lists("/root")) +
      reached("shell", opens("/bin/sh", O_RDONLY)) +
      reached("document", opens(argv[argc - 1], O_WRONLY)) +
      reached("write", opens(secret + ".new", O_WRONLY | O_CREAT)) +
      reached("environment", std::getenv("OPGRADE_TEST_SECRET") != nullptr) + "end";
  const std::string png = plain_png(8, 8, 0, "a");
  const std::string picture =
      png.substr(0, 33) + png_chunk("tEXt", std::string("a\0", 2) + found) + png.substr(33);
  return ::write(1, picture.data(), picture.size()) < 0;
}
