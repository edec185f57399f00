#include "data/pixels/jpeg_encode.h"

#include <cstdlib>
#include <memory>

#include "base/error.h"
#include "data/pixels/jpeg_reporter.h"

namespace lockstep {
namespace {

struct Compressor {
  jpeg_compress_struct info = {};
  JpegReporter reporter = {};
  unsigned char* bytes = nullptr;
  unsigned long size = 0;

  Compressor() {
    info.err = jpeg_std_error(&reporter.manager);
    reporter.manager.error_exit = jump_back;
    jpeg_create_compress(&info);
  }
  ~Compressor() {
    jpeg_destroy_compress(&info);
    std::free(bytes);  // libjpeg allocated it
  }
  Compressor(const Compressor&) = delete;
  Compressor& operator=(const Compressor&) = delete;
};

void set_colours(jpeg_compress_struct& info, int channels) {
  info.input_components = channels;
  info.in_color_space = channels == 1 ? JCS_GRAYSCALE : channels == 3 ? JCS_RGB : JCS_CMYK;
}

}  // namespace

ByteBuffer encode_jpeg(const PixelView& image, const JpegStyle& style) {
  const auto compressor = std::make_unique<Compressor>();
  jpeg_compress_struct& info = compressor->info;
  if (setjmp(compressor->reporter.back) != 0) throw Error("{}", compressor->reporter.message);
  jpeg_mem_dest(&info, &compressor->bytes, &compressor->size);
  info.image_width = static_cast<JDIMENSION>(image.width);
  info.image_height = static_cast<JDIMENSION>(image.height);
  set_colours(info, image.channels);
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, style.quality, TRUE);
  if (style.full_colour) info.comp_info[0].h_samp_factor = info.comp_info[0].v_samp_factor = 1;
  if (style.progressive) jpeg_simple_progression(&info);
  jpeg_start_compress(&info, TRUE);
  for (int y = 0; y < image.height; ++y) {
    JSAMPROW row = const_cast<JSAMPROW>(image.row(y));  // libjpeg only reads it
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  return ByteBuffer(compressor->bytes, compressor->bytes + compressor->size);
}

}  // namespace lockstep
