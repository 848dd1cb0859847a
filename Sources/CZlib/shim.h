#pragma once
#include <zlib.h>

// `deflateInit2` is a macro that uses `sizeof`, which Swift does not import. Negative window bits give raw
// deflate, for a browser's `DecompressionStream('deflate-raw')`.
static inline int zlib_begin_raw(z_stream *stream, int level) {
  return deflateInit2(stream, level, Z_DEFLATED, -15, 9, Z_DEFAULT_STRATEGY);
}
