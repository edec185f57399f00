#include "data/pixels/jpeg_decode.h"

#include "data/pixels/jpeg_reporter.h"
// after jpeglib.h
#include <jerror.h>

#include <algorithm>
#include <string>

#include "base/error.h"
#include "base/text.h"

namespace lockstep {
namespace {

// Both together are what one image may take: 1 GiB.
constexpr long kMostMemoryBytes = long{1} << 29;  // of a progressive image's coefficients
constexpr int64_t kMostWindowBytes = int64_t{1} << 29;
constexpr int kMostScans = 500;  // a small progressive file can have an extreme number of scans

// libjpeg continues with grey where data is damaged: an error here. Harmless warnings pass.
void judge_warning(j_common_ptr info, int level) {
  const int code = info->err->msg_code;
  const bool damage =
      code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER || code == JWRN_HUFF_BAD_CODE;
  if (level < 0 && damage) jump_back(info);
}

void stay_silent(j_common_ptr) {}

struct ScanGuard {
  jpeg_progress_mgr manager;
};

void check_scans(j_common_ptr info) {
  if (!info->is_decompressor) return;
  if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number > kMostScans) {
    info->err->msg_code = JERR_BAD_PROGRESSION;
    jump_back(info);
  }
}

// Adobe's programs store CMYK inverted, and are the only ones that store it.
void cmyk_to_rgb(uint8_t* out, const uint8_t* in, int pixels, bool inverted) {
  for (int i = 0; i < pixels; ++i, in += 4, out += 3) {
    for (int c = 0; c < 3; ++c) {
      const int ink = inverted ? in[c] : 255 - in[c], black = inverted ? in[3] : 255 - in[3];
      out[c] = static_cast<uint8_t>((ink * black + 127) / 255);
    }
  }
}

void rgb_to_grey(uint8_t* out, const uint8_t* in, int pixels) {
  for (int i = 0; i < pixels; ++i, in += 3) {
    out[i] = static_cast<uint8_t>((299 * in[0] + 587 * in[1] + 114 * in[2] + 500) / 1000);
  }
}

}  // namespace

struct JpegDecoder::State {
  jpeg_decompress_struct info = {};
  JpegReporter reporter = {};
  ScanGuard guard = {};
  int channels = 3;
  ByteBuffer pixels, cmyk_row, rgb_row;

  bool is_cmyk() const {
    return info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK;
  }
  void convert_cmyk(uint8_t* out, int width) {
    const bool inverted = info.saw_Adobe_marker != 0;
    if (channels == 3) return cmyk_to_rgb(out, cmyk_row.data(), width, inverted);
    cmyk_to_rgb(rgb_row.data(), cmyk_row.data(), width, inverted);
    rgb_to_grey(out, rgb_row.data(), width);
  }
  [[noreturn]] void give_up() {
    const bool too_large = reporter.manager.msg_code == JERR_NO_BACKING_STORE;
    jpeg_abort_decompress(&info);
    if (too_large) {
      throw Error("progressive JPEG needs more than {} of memory", bytes_text(kMostMemoryBytes));
    }
    throw Error("{}", lower_first(reporter.message));
  }
  static std::string lower_first(std::string text) {
    if (text.size() > 1 && text[1] >= 'a') text[0] = lower_case(text.substr(0, 1))[0];
    return text;
  }
};

JpegDecoder::JpegDecoder(int channels) : state_(std::make_unique<State>()) {
  State& state = *state_;
  state.channels = channels;
  state.info.err = jpeg_std_error(&state.reporter.manager);
  state.reporter.manager.error_exit = jump_back;
  state.reporter.manager.emit_message = judge_warning;
  state.reporter.manager.output_message = stay_silent;
  if (setjmp(state.reporter.back) != 0) throw Error("{}", state.reporter.message);
  jpeg_create_decompress(&state.info);
  state.info.mem->max_memory_to_use = kMostMemoryBytes;
  state.guard.manager.progress_monitor = check_scans;
  state.info.progress = &state.guard.manager;
}

JpegDecoder::~JpegDecoder() {
  if (state_) jpeg_destroy_decompress(&state_->info);
}

JpegDecoder::JpegDecoder(JpegDecoder&&) noexcept = default;

ImageSize JpegDecoder::open(ByteView jpeg) {
  State& state = *state_;
  jpeg_abort_decompress(&state.info);
  if (jpeg.size() < 3 || jpeg[0] != 0xff || jpeg[1] != 0xd8) throw Error("not a JPEG");
  if (setjmp(state.reporter.back) != 0) state.give_up();
  jpeg_mem_src(&state.info, jpeg.data(), jpeg.size());
  jpeg_read_header(&state.info, TRUE);
  return {static_cast<int>(state.info.image_height), static_cast<int>(state.info.image_width)};
}

// No object with a destructor may exist across the jump.
PixelView JpegDecoder::decode(const Window& window, int denominator) {
  State& state = *state_;
  jpeg_decompress_struct& info = state.info;
  const auto scaled = [&](int length) { return (length + denominator - 1) / denominator; };
  if (setjmp(state.reporter.back) != 0) state.give_up();
  info.scale_num = 1;
  info.scale_denom = static_cast<unsigned>(denominator);
  info.out_color_space = state.is_cmyk() ? JCS_CMYK : state.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  info.do_fancy_upsampling = FALSE;
  jpeg_start_decompress(&info);

  const int output_width = static_cast<int>(info.output_width);
  const int output_height = static_cast<int>(info.output_height);
  const int left = std::min(window.left / denominator, output_width - 1);
  const int top = std::min(window.top / denominator, output_height - 1);
  const int width = std::clamp(scaled(window.width), 1, output_width - left);
  const int height = std::clamp(scaled(window.height), 1, output_height - top);
  JDIMENSION first = static_cast<JDIMENSION>(left), columns = static_cast<JDIMENSION>(width);
  jpeg_crop_scanline(&info, &first, &columns);  // widens to whole blocks

  const int channels = state.channels;
  const int64_t row_bytes = int64_t{columns} * channels;
  if (row_bytes * height > kMostWindowBytes) {
    jpeg_abort_decompress(&info);
    throw Error("a crop of {}x{} pixels needs more than {}", width, height,
                bytes_text(kMostWindowBytes));
  }
  state.pixels.resize(static_cast<size_t>(row_bytes * height));
  if (state.is_cmyk()) {
    state.cmyk_row.resize(size_t{columns} * 4);
    state.rgb_row.resize(size_t{columns} * 3);
  }
  jpeg_skip_scanlines(&info, static_cast<JDIMENSION>(top));
  for (int y = 0; y < height; ++y) {
    uint8_t* out = state.pixels.data() + y * row_bytes;
    JSAMPROW target = state.is_cmyk() ? state.cmyk_row.data() : out;
    jpeg_read_scanlines(&info, &target, 1);
    if (state.is_cmyk()) state.convert_cmyk(out, static_cast<int>(columns));
  }
  jpeg_abort_decompress(&info);
  return {.data = state.pixels.data() + (left - static_cast<int>(first)) * channels,
          .height = height,
          .width = width,
          .channels = channels,
          .row_bytes = row_bytes};
}

}  // namespace lockstep
