// The graph as a text of the DIMACS format for shortest paths: vertices count from 1.
#include <cstdlib>
#include <fstream>

void write_inputs(const int* edges, int vertices, int count) {
  std::ofstream out("graph.gr");
  out << "c a graph of opgrade's\np sp " << vertices << ' ' << count << '\n';
  for (int i = 0; i < count; ++i)
    out << "a " << edges[3 * i] + 1 << ' ' << edges[3 * i + 1] + 1 << ' ' << edges[3 * i + 2] << '\n';
  if (!out.flush()) std::abort();
}
