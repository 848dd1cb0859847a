"""The columns of a block of events, and the tables and values in them."""

import struct

from frames import Fault

ITEMS_MAX = 1 << 20
DEPTH_MAX = 64
# Columns that may be left out if all their numbers are 0.
ZERO = {4, 5, *range(7, 22), 23, 24, 26, 27, 28, *range(31, 37)}
# The number that is added to the number of a packed column.
PACKED = 64


SCALE_MAX = (1 << 63) - 1


def signed(number):
    """A number of 64 bits, read as two's complement."""
    number &= (1 << 64) - 1
    return number - (1 << 64) if number >> 63 else number


class Column:
    def __init__(self, number, data):
        self.number, self.data, self.at = number, data, 0
        self.is_zero = data is None
        if data is None:
            self.data = b""

    def byte(self):
        if self.is_zero:
            return 0
        if self.at >= len(self.data):
            raise Fault(f"column {self.number} is too short")
        self.at += 1
        return self.data[self.at - 1]

    def varint(self):
        result = shift = 0
        while True:
            byte = self.byte()
            result |= (byte & 0x7F) << shift
            if byte < 0x80:
                break
            shift += 7
            if shift > 63:
                raise Fault(f"a varint over 10 bytes in column {self.number}")
        if result >> 64:
            raise Fault(f"a varint over 64 bits in column {self.number}")
        return result

    def zigzag(self):
        number = self.varint()
        return number >> 1 ^ -(number & 1)

    def take(self, count):
        if count > len(self.data) - self.at:
            raise Fault(f"column {self.number} is too short")
        self.at += count
        return self.data[self.at - count:self.at]

    def text(self, count):
        try:
            return self.take(count).decode("utf-8")
        except UnicodeDecodeError:
            raise Fault(f"text in column {self.number} is not UTF-8") from None


def unpack(number, data):
    """The varints of a column that is packed as runs of zeros and the numbers between."""
    head = Column(number, data)
    runs = Column(number, head.take(head.varint()))
    numbers = Column(number, head.take(len(data) - head.at))
    varints, room = bytearray(), ITEMS_MAX + (1 << 16)
    while True:
        zeros = runs.varint()
        if zeros >= room:
            raise Fault(f"over {ITEMS_MAX + (1 << 16)} numbers in column {number}")
        room -= zeros + 1
        varints += bytes(zeros)
        if numbers.at == len(numbers.data):
            break
        start = numbers.at
        numbers.varint()
        varints += numbers.data[start:numbers.at]
    if runs.at != len(runs.data):
        raise Fault(f"column {number} has runs left over")
    return bytes(varints)


class Columns:
    """All columns of one body; a number may be asked for whether the column is there or not."""

    def __init__(self, body):
        self.columns = {}
        self.items = 0
        whole = Column(0, body)
        last = 0
        while whole.at < len(body):
            number = whole.varint()
            if number & ~PACKED <= last:
                raise Fault(f"column {number} after {last}")
            last = number & ~PACKED
            data = whole.take(whole.varint())
            if number != last and last in ZERO - {21}:
                number, data = last, unpack(last, data)
            self.columns[number] = Column(number, data)

    def __getitem__(self, number):
        if number not in self.columns:
            self.columns[number] = Column(number, None if number in ZERO else b"")
        return self.columns[number]

    def spend(self, count):
        """Counts the items that a reader allocates memory for."""
        self.items += count
        if self.items > ITEMS_MAX:
            raise Fault("over 1,048,576 items in a block")

    def expect_end(self):
        for number, column in self.columns.items():
            if number <= 36 and column.at != len(column.data):
                raise Fault(f"column {number} has bytes left over")


class Values:
    """The values of a block, each a tuple of a name and its content."""

    def __init__(self, columns, strings):
        self.columns, self.strings = columns, strings
        self.ints, self.doubles = {}, {}
        data = columns[25].take(len(columns[25].data))
        if len(data) % 8:
            raise Fault("the doubles are no multiple of 8 bytes")
        count = len(data) // 8
        self.bits = [
            int.from_bytes(bytes(data[p * count + k] for p in range(8)), "little") for k in range(count)
        ]
        self.next_bits = 0

    def string(self, column):
        index = self.columns[column].varint()
        if index >= len(self.strings):
            raise Fault(f"string {index} of {len(self.strings)}")
        return index

    def object(self):
        number = self.columns[24].varint()
        if number == 0:
            raise Fault("an object has the number 0")
        return number

    def value(self, context, depth=1, size=None):
        """The next value; `size` is that of the insert of a splice, which has no length of its own."""
        columns = self.columns
        columns.spend(1)
        if depth > DEPTH_MAX:
            raise Fault("values nest over 64 deep")
        tag = columns[22].byte()
        if size and tag not in (6, 8):
            raise Fault("an insert with a size that is neither text nor a list")
        if tag < 3:
            return ("plain", (None, False, True)[tag])
        if tag == 3:
            self.ints[context] = signed(self.ints.get(context, 0) + columns[23].zigzag())
            return ("int", self.ints[context])
        if tag == 4:
            return ("int", columns[24].varint())
        if tag in (5, 14):
            if self.next_bits >= len(self.bits):
                raise Fault("column 25 is too short")
            self.doubles[context] = self.doubles.get(context, 0) ^ self.bits[self.next_bits]
            self.next_bits += 1
            return ("double" if tag == 5 else "date", self.doubles[context])
        if tag == 6:
            return ("string", columns[30].text(columns[26].varint() if size is None else size))
        if tag == 7:
            return ("bytes", columns[29].take(columns[26].varint()))
        if tag == 8:
            count = columns[27].varint() if size is None else size
            self.check_count(count)
            return ("array", [self.value(context, depth + 1) for _ in range(count)])
        if tag == 9:
            return ("map", self.fields(depth))
        if tag == 10:
            number, name = self.object(), self.strings[self.string(28)]
            return ("object", number, name, self.fields(depth))
        if tag == 11:
            return ("reference", self.object())
        if tag == 12:
            return ("redacted",)
        if tag == 13:
            name = self.strings[self.string(28)]
            return ("opaque", name, columns[24].varint())
        raise Fault(f"value tag {tag}")

    def check_count(self, count):
        # Every value has a tag, so there cannot be more values than tags left.
        if count > len(self.columns[22].data) - self.columns[22].at:
            raise Fault(f"a list of {count} values")

    def fields(self, depth):
        count = self.columns[27].varint()
        self.check_count(count)
        self.columns.spend(count)
        fields = {}
        for _ in range(count):
            key = self.string(28)
            if self.strings[key] in fields:
                raise Fault("a key comes twice")
            fields[self.strings[key]] = None
            fields[self.strings[key]] = self.value(("key", key), depth + 1)
        return fields

    def expect_end(self):
        if self.next_bits != len(self.bits):
            raise Fault("column 25 has bytes left over")
