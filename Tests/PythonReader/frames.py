"""The frames and blocks of a log: everything of FORMAT.md up to the body of a block."""

import json
import struct

import zstandard

from xxh64 import xxh64

ZSTD = 0xFD2FB528
SEEK_TABLE = 0x184D2A5E
MIB = 1 << 20
EVENTS_MAX = 1 << 16
HEADER_DEPTH_MAX = 16
PREFIX = struct.Struct("<4sBBHIIQQQQQQ")


class Fault(Exception):
    """What is wrong with a block."""


class Ended(Exception):
    """The file ends before the frame does."""


class Garbage(Exception):
    """No frame that a log can contain starts here."""


class Block:
    """One whole block and the numbers of its prefix."""

    def __init__(self, payload):
        if len(payload) < 64:
            raise Fault("the payload is shorter than its prefix")
        (magic, version, self.kind, flags, length, self.count, self.first_seq, self.time, self.salt, self.chain,
         self.durable, body_hash) = PREFIX.unpack_from(payload)
        if magic != b"EVLB":
            raise Fault("the payload does not start with EVLB")
        if version != 3:
            raise Fault(f"version {version}")
        if self.kind not in (1, 2) and self.kind < 128:
            raise Fault(f"kind {self.kind}")
        if flags:
            raise Fault(f"flags {flags}")
        if length != len(payload) - 64:
            raise Fault(f"a body of {length} bytes in a payload of {len(payload)}")
        if self.count > min(EVENTS_MAX, length) or (self.kind == 2) != (self.count > 0):
            raise Fault(f"{self.count} events in a block of kind {self.kind}")
        if not 1 <= self.first_seq < (1 << 64) - self.count:
            raise Fault(f"first seq {self.first_seq}")
        if xxh64(payload[64:]) != body_hash:
            raise Fault("the hash of the body is wrong")
        self.body = payload[64:]
        if self.kind == 1:
            check_header(self.body)
        self.payload_size = len(payload)
        self.hash = xxh64(payload)

    def check_follows(self, last):
        """Checks that it continues the previous block; None for the first block of a file."""
        if last is None:
            if self.kind != 1:
                raise Fault("the first block is no header")
            if self.first_seq == 1 and self.chain != 0:
                raise Fault("a first block with a block before it")
        else:
            if self.salt != last.salt:
                raise Fault("the salt is that of another log")
            if self.chain != last.hash:
                raise Fault("the hash is not that of the block before")
            if self.first_seq != last.first_seq + last.count:
                raise Fault(f"seq {self.first_seq} after {last.first_seq + last.count - 1}")
        if self.durable >= self.first_seq:
            raise Fault("events to come are said to be synced")


def check_header(body):
    try:
        header = json.loads(body.decode("utf-8"), parse_constant=_refuse, parse_int=str, parse_float=str)
        # Half a surrogate pair, which Python accepts.
        json.dumps(header, ensure_ascii=False).encode("utf-8")
        is_header = isinstance(header, dict) and _depth(header) <= HEADER_DEPTH_MAX
    except (ValueError, RecursionError):
        is_header = False
    if not is_header:
        raise Fault("the header is no JSON object, or nested too deep")


def _refuse(name):
    raise ValueError(f"{name} is not JSON")


def _depth(node):
    members = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    return 1 + max(map(_depth, members), default=0)


def _unpack(form, data, offset):
    if offset + struct.calcsize(form) > len(data):
        raise Ended()
    return struct.unpack_from(form, data, offset)[0]


def frame_at(data, start):
    """The end of the frame at an offset, and the size of its content, or None if it is skippable."""
    magic = _unpack("<I", data, start)
    if magic & 0xFFFFFFF0 == 0x184D2A50:
        size = _unpack("<I", data, start + 4)
        if size > 16 * MIB:
            raise Garbage("a skippable frame over 16 MiB")
        if start + 8 + size > len(data):
            raise Ended()
        return start + 8 + size, None
    if magic != ZSTD:
        raise Garbage("no frame starts here")
    descriptor = _unpack("<B", data, start + 4)
    offset = start + 5
    single = descriptor >> 5 & 1
    if descriptor & 0x08 or not descriptor & 0x04 or descriptor & 0x03:
        raise Garbage("a frame without a checksum, or with a dictionary or unknown bits")
    if not single:
        window = _unpack("<B", data, offset)
        offset += 1
        base = 1 << (10 + (window >> 3))
        if base + base // 8 * (window & 7) > MIB:
            raise Garbage("a window over 1 MiB")
    form = {0: "<B" if single else None, 1: "<H", 2: "<I", 3: "<Q"}[descriptor >> 6]
    if form is None:
        raise Garbage("a frame without a content size")
    size = _unpack(form, data, offset) + (256 if form == "<H" else 0)
    offset += struct.calcsize(form)
    if size > (MIB if single else 16 * MIB):
        raise Garbage(f"a frame of {size} bytes")
    for _ in range(4096):
        low, high = _unpack("<H", data, offset), _unpack("<B", data, offset + 2)
        header = low | high << 16
        if header >> 1 & 3 == 3 or header >> 3 > 128 << 10:
            raise Garbage("a zstd block of a reserved type or over 128 KiB")
        offset += 3 + (1 if header >> 1 & 3 == 1 else header >> 3)
        if offset - start > 17 * MIB:
            raise Garbage("a frame over 17 MiB")
        if header & 1:
            if offset + 4 > len(data):
                raise Ended()
            return offset + 4, size
    raise Garbage("over 4,096 zstd blocks")


def is_whole(data, start):
    """Whether a frame begins at an offset and ends within the file, even one that a log cannot contain."""
    try:
        magic = _unpack("<I", data, start)
        if magic & 0xFFFFFFF0 == 0x184D2A50:
            return start + 8 + _unpack("<I", data, start + 4) <= len(data)
        descriptor = _unpack("<B", data, start + 4)
        if magic != ZSTD or descriptor & 0x08:
            return False
        single, flag = descriptor >> 5 & 1, descriptor >> 6
        offset = start + 5 + (1 - single) + (0, 1, 2, 4)[descriptor & 3] + (1 << flag if flag else single)
        while True:
            header = _unpack("<H", data, offset) | _unpack("<B", data, offset + 2) << 16
            if header >> 1 & 3 == 3:
                return False
            offset += 3 + (1 if header >> 1 & 3 == 1 else header >> 3)
            if header & 1:
                return offset + (descriptor & 4) <= len(data)
    except Ended:
        return False


def content(data, start, end, size):
    """The content of the frame, with its checksum verified."""
    try:
        out = zstandard.ZstdDecompressor().decompress(data[start:end], max_output_size=max(size, 1))
    except zstandard.ZstdError as error:
        raise Fault(str(error)) from None
    if len(out) != size:
        raise Fault(f"{len(out)} bytes instead of {size}")
    return out


def first_salt(data):
    """The salt of the first block of a file; None if that cannot be read."""
    try:
        end, size = frame_at(data, 0)
        block = None if size is None else Block(content(data, 0, end, size))
    except (Ended, Garbage, Fault):
        return None
    return block.salt if block and block.kind == 1 else None


class Scan:
    """The blocks of a file up to the first that is not whole and valid, and why there are no more."""

    def __init__(self, data):
        self.blocks = []
        self.clean = False
        self.problem = None
        table = []
        offset = 0
        while offset < len(data):
            try:
                end, size = frame_at(data, offset)
                if size is None:
                    self.clean = _is_seek_table(data[offset:end], table)
                else:
                    block = Block(content(data, offset, end, size))
                    block.check_follows(self.blocks[-1] if self.blocks else None)
                    if block.kind == 1:
                        table = []
                    table.append((end - offset, block.payload_size, block.hash & 0xFFFFFFFF))
                    self.blocks.append(block)
                    self.clean = False
                offset = end
            except (Ended, Garbage, Fault) as error:
                self.clean = False
                reason = str(error) or "the file ends inside this block"
                is_damaged = isinstance(error, Fault) or self._goes_on(data, offset) or is_whole(data, offset)
                self.problem = ("damaged" if is_damaged else "torn", offset, reason)
                return

    def _goes_on(self, data, offset):
        """Whether a later whole block of this log follows."""
        if not self.blocks:
            return False
        while (offset := data.find(b"\x28\xb5\x2f\xfd", offset + 1)) >= 0:
            try:
                end, size = frame_at(data, offset)
                if Block(content(data, offset, end, size)).salt == self.blocks[-1].salt:
                    return True
            except (Ended, Garbage, Fault):
                pass
        return False


def _is_seek_table(frame, table):
    expected = struct.pack("<II", SEEK_TABLE, 12 * len(table) + 9)
    for entry in table:
        expected += struct.pack("<III", *entry)
    return frame == expected + struct.pack("<IBI", len(table), 0x80, 0x8F92EAB1)
