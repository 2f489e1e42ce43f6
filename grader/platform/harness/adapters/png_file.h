/* PNG files of eight bits a channel, which the adapter of a program on pictures reads and writes
 * without a library. RFC 2083 has the format of the file, RFC 1950 and 1951 that of its data. */
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include <algorithm>
#include <string>
#include <vector>

namespace opgrade_png {

typedef std::vector<unsigned char> Bytes;

struct Picture {
  unsigned columns, rows, channels; /* 1: grey, 3: colour, 4: with opacity */

  size_t row_bytes() const { return static_cast<size_t>(columns) * channels; }
  size_t bytes() const { return row_bytes() * rows; }
  /* Bytes in the file: a byte before each row tells how the row was filtered. */
  size_t filtered_bytes() const { return (row_bytes() + 1) * rows; }
  unsigned char colour_type() const {
    return static_cast<unsigned char>(channels == 1 ? 0 : channels == 3 ? 2 : 6);
  }
};

static const unsigned char kSignature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};

inline unsigned checksum(const unsigned char* data, size_t count) {
  unsigned sum = ~0u;
  for (size_t i = 0; i < count; ++i) {
    sum ^= data[i];
    for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ (sum & 1 ? 0xedb88320u : 0);
  }
  return ~sum;
}

inline void add_word(Bytes& to, unsigned value) {
  for (int shift = 24; shift >= 0; shift -= 8)
    to.push_back(static_cast<unsigned char>(value >> shift));
}

inline unsigned word_at(const unsigned char* data) {
  return static_cast<unsigned>(data[0]) << 24 | static_cast<unsigned>(data[1]) << 16 |
         static_cast<unsigned>(data[2]) << 8 | data[3];
}

inline void add_chunk(Bytes& file, const char* name, const Bytes& data) {
  add_word(file, static_cast<unsigned>(data.size()));
  const size_t start = file.size();
  file.insert(file.end(), name, name + 4);
  file.insert(file.end(), data.begin(), data.end());
  add_word(file, checksum(&file[start], file.size() - start));
}

/* Does not compress, because that would take the submission's time. */
inline Bytes stored(const Bytes& data) {
  const size_t most = 65535;
  Bytes file;
  file.push_back(0x78);
  file.push_back(0x01);
  unsigned a = 1, b = 0;
  for (size_t at = 0; at < data.size() || at == 0; at += most) {
    const size_t count = data.size() - at < most ? data.size() - at : most;
    file.push_back(at + count == data.size());
    for (const size_t value : {count, count ^ 0xffff}) {
      file.push_back(static_cast<unsigned char>(value & 255));
      file.push_back(static_cast<unsigned char>(value >> 8));
    }
    file.insert(file.end(), data.begin() + static_cast<long>(at),
                data.begin() + static_cast<long>(at + count));
  }
  for (const unsigned char one : data) {
    a = (a + one) % 65521;
    b = (b + a) % 65521;
  }
  add_word(file, b << 16 | a);
  return file;
}

inline bool write(const char* name, const Picture& picture, const unsigned char* levels) {
  Bytes head, rows, file(kSignature, kSignature + sizeof kSignature);
  add_word(head, picture.columns);
  add_word(head, picture.rows);
  for (const int one : {8, static_cast<int>(picture.colour_type()), 0, 0, 0})
    head.push_back(static_cast<unsigned char>(one));
  rows.reserve(picture.filtered_bytes());
  for (unsigned row = 0; row < picture.rows; ++row) {
    rows.push_back(0);
    rows.insert(rows.end(), levels + row * picture.row_bytes(),
                levels + (row + 1) * picture.row_bytes());
  }
  add_chunk(file, "IHDR", head);
  add_chunk(file, "IDAT", stored(rows));
  add_chunk(file, "IEND", Bytes());
  FILE* const out = fopen(name, "wb");
  if (!out) return false;
  const bool whole = fwrite(&file[0], 1, file.size(), out) == file.size();
  return fclose(out) == 0 && whole;
}

/* The bits of compressed data, from the lowest of each byte. Reads zeros after the end. */
class Bits {
 public:
  explicit Bits(const Bytes& data) : data_(data) {}

  unsigned take(unsigned count) {
    unsigned value = 0;
    for (unsigned i = 0; i < count; ++i, ++at_)
      if (!over()) value |= static_cast<unsigned>(data_[at_ / 8] >> at_ % 8 & 1) << i;
    return value;
  }
  void skip_to_byte() { at_ = (at_ + 7) / 8 * 8; }
  bool over() const { return at_ / 8 >= data_.size(); }

 private:
  const Bytes& data_;
  size_t at_ = 0;
};

/* A Huffman code whose words are numbered by their length, then by their symbol. */
class Code {
 public:
  explicit Code(const Bytes& lengths) : symbols_(lengths.size()) {
    unsigned short places[16] = {};
    for (const unsigned char length : lengths) ++counts_[length];
    counts_[0] = 0;
    for (int length = 1; length < 15; ++length)
      places[length + 1] = static_cast<unsigned short>(places[length] + counts_[length]);
    for (size_t symbol = 0; symbol < lengths.size(); ++symbol)
      if (lengths[symbol] != 0)
        symbols_[places[lengths[symbol]]++] = static_cast<unsigned short>(symbol);
  }

  /* Returns -1 if the bits are no word of the code. */
  int read(Bits& bits) const {
    int word = 0, first = 0, index = 0;
    for (int length = 1; length < 16; ++length) {
      word |= static_cast<int>(bits.take(1));
      const int count = counts_[length];
      if (word < first) return -1; /* more words than there can be */
      if (word - first < count) return symbols_[static_cast<size_t>(index + word - first)];
      index += count;
      first = (first + count) << 1;
      word <<= 1;
    }
    return -1;
  }

 private:
  unsigned short counts_[16] = {};
  std::vector<unsigned short> symbols_;
};

inline bool read_codes(Bits& bits, Bytes& literals, Bytes& distances) {
  static const unsigned char kOrder[19] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                           11, 4,  12, 3, 13, 2, 14, 1, 15};
  const size_t literal_count = bits.take(5) + 257, all = literal_count + bits.take(5) + 1;
  Bytes of_lengths(19, 0), lengths;
  for (unsigned i = 0, count = bits.take(4) + 4; i < count; ++i)
    of_lengths[kOrder[i]] = static_cast<unsigned char>(bits.take(3));
  const Code code(of_lengths);
  while (lengths.size() < all) {
    const int symbol = code.read(bits);
    if (symbol < 0 || bits.over() || (symbol == 16 && lengths.empty())) return false;
    if (symbol < 16) {
      lengths.push_back(static_cast<unsigned char>(symbol));
      continue;
    }
    const unsigned char repeated = symbol == 16 ? lengths.back() : static_cast<unsigned char>(0);
    const unsigned times = symbol == 16   ? 3 + bits.take(2)
                           : symbol == 17 ? 3 + bits.take(3)
                                          : 11 + bits.take(7);
    lengths.insert(lengths.end(), times, repeated);
  }
  if (lengths.size() != all) return false;
  literals.assign(lengths.begin(), lengths.begin() + static_cast<long>(literal_count));
  distances.assign(lengths.begin() + static_cast<long>(literal_count), lengths.end());
  return true;
}

inline bool read_block(Bits& bits, const Bytes& literal_lengths, const Bytes& distance_lengths,
                       size_t most, Bytes& to) {
  static const unsigned short kLength[29] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                             15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                             67, 83, 99, 115, 131, 163, 195, 227, 258};
  static const unsigned short kDistance[30] = {
      1,   2,   3,   4,   5,   7,    9,    13,   17,   25,   33,   49,   65,    97,    129,
      193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
  const Code literals(literal_lengths), distances(distance_lengths);
  for (;;) {
    const int symbol = literals.read(bits);
    if (symbol == 256) return true;
    if (symbol < 0 || symbol > 285 || bits.over() || to.size() >= most) return false;
    if (symbol < 256) {
      to.push_back(static_cast<unsigned char>(symbol));
      continue;
    }
    const unsigned s = static_cast<unsigned>(symbol) - 257;
    unsigned length = kLength[s] + bits.take(s < 8 || s == 28 ? 0 : s / 4 - 1);
    const int d = distances.read(bits);
    if (d < 0 || d > 29) return false;
    const size_t distance = kDistance[d] + bits.take(d < 4 ? 0 : static_cast<unsigned>(d) / 2 - 1);
    if (distance > to.size() || length > most - to.size()) return false;
    for (; length > 0; --length) to.push_back(to[to.size() - distance]);
  }
}

/* Unpacks at most `most` bytes. Returns false if the data are broken or longer. */
inline bool inflate(const Bytes& data, size_t most, Bytes& to) {
  Bits bits(data);
  if ((bits.take(8) & 15) != 8) return false;
  bits.take(8);
  for (bool last = false; !last;) {
    if (bits.over()) return false;
    last = bits.take(1) != 0;
    const unsigned kind = bits.take(2);
    if (kind == 0) {
      bits.skip_to_byte();
      unsigned count = bits.take(16);
      if ((bits.take(16) ^ 0xffff) != count || count > most - to.size()) return false;
      for (; count > 0 && !bits.over(); --count)
        to.push_back(static_cast<unsigned char>(bits.take(8)));
      if (count > 0) return false;
      continue;
    }
    Bytes literals(288, 8), distances(30, 5);
    for (size_t i = 144; i < 280; ++i) literals[i] = static_cast<unsigned char>(i < 256 ? 9 : 7);
    if (kind == 3 || (kind == 2 && !read_codes(bits, literals, distances))) return false;
    if (!read_block(bits, literals, distances, most, to)) return false;
  }
  return true;
}

inline int predicted(int left, int above, int corner) {
  const int by_left = abs(above - corner), by_above = abs(left - corner),
            by_corner = abs(left + above - 2 * corner);
  return by_left <= by_above && by_left <= by_corner ? left
         : by_above <= by_corner                     ? above
                                                     : corner;
}

/* Returns false if a row has an unknown filter. */
inline bool unfilter(const Picture& picture, const Bytes& filtered, Bytes& levels) {
  const size_t width = picture.row_bytes();
  levels.assign(picture.bytes(), 0);
  for (size_t row = 0; row < picture.rows; ++row) {
    const unsigned char* const from = &filtered[row * (width + 1)];
    unsigned char* const to = levels.data() + row * width;
    for (size_t i = 0; i < width; ++i) {
      const int left = i >= picture.channels ? to[i - picture.channels] : 0;
      const int above = row > 0 ? *(to + i - width) : 0;
      const int corner =
          row > 0 && i >= picture.channels ? *(to + i - width - picture.channels) : 0;
      int base = 0;
      switch (from[0]) {
        case 0:
          break;
        case 1:
          base = left;
          break;
        case 2:
          base = above;
          break;
        case 3:
          base = (left + above) / 2;
          break;
        case 4:
          base = predicted(left, above, corner);
          break;
        default:
          return false;
      }
      to[i] = static_cast<unsigned char>(from[1 + i] + base);
    }
  }
  return true;
}

/* Returns what is wrong with the file, or null. */
inline const char* read(const char* name, const Picture& wanted, Bytes& levels) {
  FILE* const in = fopen(name, "rb");
  if (!in) return "it was not written";
  Bytes file, data, filtered;
  unsigned char block[4096];
  for (size_t count; (count = fread(block, 1, sizeof block, in)) > 0;)
    file.insert(file.end(), block, block + count);
  fclose(in);
  const size_t head = sizeof kSignature, least = 12; /* of a chunk: length, name, checksum */
  if (file.size() < head + least || !std::equal(kSignature, kSignature + head, file.begin()))
    return "it is no PNG file";
  bool is_whole = false;
  for (size_t at = head; !is_whole && file.size() - at >= least;) {
    const unsigned char* const chunk = &file[at];
    const size_t count = word_at(chunk);
    if (count > file.size() - at - least) return "it ends too early";
    if (word_at(chunk + 8 + count) != checksum(chunk + 4, count + 4))
      return "a part has another checksum";
    const std::string kind(chunk + 4, chunk + 8);
    if (at == head && (kind != "IHDR" || count != 13)) return "it is no PNG file";
    if (kind == "IHDR") {
      if (word_at(chunk + 8) != wanted.columns || word_at(chunk + 12) != wanted.rows)
        return "the picture has another size";
      if (chunk[16] != 8 || chunk[17] != wanted.colour_type())
        return "its pixels have another number of channels, or of bits";
      if (chunk[20] != 0) return "it is interlaced, which is not read here";
    }
    if (kind == "IDAT") data.insert(data.end(), chunk + 8, chunk + 8 + count);
    is_whole = kind == "IEND";
    at += least + count;
  }
  if (!is_whole) return "it ends too early";
  if (!inflate(data, wanted.filtered_bytes(), filtered) ||
      filtered.size() != wanted.filtered_bytes() || !unfilter(wanted, filtered, levels))
    return "its compressed data are broken";
  return nullptr;
}

}  // namespace opgrade_png
