"""XXH64 with seed 0, as FORMAT.md uses it."""

import struct

_P1 = 0x9E3779B185EBCA87
_P2 = 0xC2B2AE3D27D4EB4F
_P3 = 0x165667B19E3779F9
_P4 = 0x85EBCA77C2B2AE63
_P5 = 0x27D4EB2F165667C5
_M = 0xFFFFFFFFFFFFFFFF


def _round(lane, word):
    lane = (lane + word * _P2) & _M
    return ((lane << 31 | lane >> 33) & _M) * _P1 & _M


def _rotated(value, count):
    return (value << count | value >> (64 - count)) & _M


def xxh64(data):
    size = len(data)
    end = size - size % 32
    if size >= 32:
        a, b, c, d = (_P1 + _P2) & _M, _P2, 0, -_P1 & _M
        for w, x, y, z in struct.iter_unpack("<4Q", memoryview(data)[:end]):
            a, b, c, d = _round(a, w), _round(b, x), _round(c, y), _round(d, z)
        hashed = _rotated(a, 1) + _rotated(b, 7) + _rotated(c, 12) + _rotated(d, 18) & _M
        for lane in (a, b, c, d):
            hashed = ((hashed ^ _round(0, lane)) * _P1 + _P4) & _M
    else:
        hashed = _P5
    hashed = (hashed + size) & _M
    while end + 8 <= size:
        (word,) = struct.unpack_from("<Q", data, end)
        hashed = (_rotated(hashed ^ _round(0, word), 27) * _P1 + _P4) & _M
        end += 8
    if end + 4 <= size:
        (word,) = struct.unpack_from("<I", data, end)
        hashed = (_rotated(hashed ^ word * _P1 & _M, 23) * _P2 + _P3) & _M
        end += 4
    for byte in data[end:]:
        hashed = _rotated(hashed ^ byte * _P5 & _M, 11) * _P1 & _M
    hashed = (hashed ^ hashed >> 33) * _P2 & _M
    hashed = (hashed ^ hashed >> 29) * _P3 & _M
    return hashed ^ hashed >> 32
