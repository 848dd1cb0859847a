#pragma once
#include <zlib.h>

// `deflateInit2` is a macro with the size of a structure, which Swift does not see. Raw deflate, for a browser's
// `DecompressionStream('deflate-raw')`.
static inline int zlib_begin_raw(z_stream *stream, int level) {
  return deflateInit2(stream, level, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY);
}
