// samples.h: directories and small data files that tests make, and that vanish with them.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "data/formats/bytes.h"
#include "data/formats/image_record.h"
#include "data/formats/tfrecord.h"
#include "support/temporary_directory.h"

namespace lockstep {

inline void write_file(const std::string& path, ByteView bytes) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream out(path, std::ios::binary);
  out.write(text_of(bytes).data(), std::ssize(bytes));
}

inline ByteBuffer read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return ByteBuffer(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
}

// What it throws, or "" when it does not.
template <typename Work>
std::string error_of(const Work& work) {
  try {
    work();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

// A CIFAR batch as Python 2 pickled it: protocol 2, the array as NumPy's _reconstruct and a state.
inline ByteBuffer cifar_pickle(const std::vector<uint8_t>& labels, ByteView planes) {
  using namespace std::string_view_literals;  // the texts hold zero bytes
  std::string text = "\x80\x02}q\x01(U\x06labelsq\x02]q\x03(";
  for (const uint8_t label : labels) text += {'K', static_cast<char>(label)};
  text +=
      "eU\x04"
      "dataq\x06"
      "cnumpy.core.multiarray\n_reconstruct\nq\x07"
      "cnumpy\nndarray\nq\x08K\x00\x85q\x09U\x01"
      "bq\x0a\x87q\x0bRq\x0c(K\x01K"sv;
  text += static_cast<char>(labels.size());
  text +=
      "M\x00\x0c\x86q\x0d"
      "cnumpy\ndtype\nq\x0eU\x02u1q\x0fK\x00K\x01\x87q\x10Rq\x11("
      "K\x03U\x01|q\x12NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tq\x13"
      "b\x89T"sv;
  ByteBuffer bytes(text.begin(), text.end());
  const auto length = as_little_endian(static_cast<uint32_t>(planes.size()));
  bytes.insert(bytes.end(), length.begin(), length.end());
  bytes.insert(bytes.end(), planes.begin(), planes.end());
  for (const char code : "tbu."sv) bytes.push_back(static_cast<uint8_t>(code));
  return bytes;
}

// An IDX file of bytes.
inline ByteBuffer idx_file_of(const std::vector<uint32_t>& extents, ByteView elements) {
  ByteBuffer file = {0, 0, 8, static_cast<uint8_t>(extents.size())};
  for (const uint32_t extent : extents) {
    for (int shift = 24; shift >= 0; shift -= 8)
      file.push_back(static_cast<uint8_t>(extent >> shift));
  }
  file.insert(file.end(), elements.begin(), elements.end());
  return file;
}

// Examples whose "image" is the text image N, in shards of the given sizes.
inline void write_text_shards(const TemporaryDirectory& directory, const std::vector<int>& sizes,
                              const std::string& split = "train") {
  int number = 0;
  for (size_t shard = 0; shard < sizes.size(); ++shard) {
    RecordWriter writer(
        directory.path(fmt::format("{}-{:05}-of-{:05}", split, shard, sizes.size())));
    for (int i = 0; i < sizes[shard]; ++i, ++number) {
      writer.write(image_record_of({.jpeg = bytes_of(fmt::format("image {}", number)),
                                    .label = number % 10,
                                    .class_name = {},
                                    .file_name = {}}));
    }
    writer.finish();
  }
}

}  // namespace lockstep
