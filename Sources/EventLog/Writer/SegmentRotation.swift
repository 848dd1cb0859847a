/// When a log goes on in a new file, and which files are kept.
struct SegmentRotation {
  let fileSystem: any LogFileSystem
  private let segmentBytes: UInt64
  private let segmentNanoseconds: UInt64
  private let keepSegments: Int
  private let keepBytes: UInt64
  private let keepNanoseconds: UInt64
  /// The segment that is written.
  private(set) var number: Int
  /// The time of its first event.
  private var startTime: UInt64 = 0
  /// The whole ones that are still there.
  private var finished: [(number: Int, bytes: UInt64, time: UInt64)] = []

  /// Nil if all goes into one file.
  init?(_ options: LogOptions, in fileSystem: any LogFileSystem, number: Int = 1) {
    guard let bytes = options.segmentBytes else { return nil }
    self.fileSystem = fileSystem
    self.number = number
    segmentBytes = UInt64(clamping: max(bytes, 1))
    segmentNanoseconds = options.segmentNanoseconds ?? .max
    keepSegments = max(options.keepSegments ?? .max, 1)
    keepBytes = UInt64(clamping: options.keepBytes ?? .max)
    keepNanoseconds = options.keepNanoseconds ?? .max
  }

  /// Whether a segment of this size is done when the last event was at this time.
  func isFull(_ bytes: UInt64, time: UInt64) -> Bool {
    bytes >= segmentBytes || (time > startTime && time - startTime >= segmentNanoseconds)
  }

  /// Whether it is so large that it ends even where a transaction is open.
  func isOverfull(_ bytes: UInt64) -> Bool { bytes / 4 >= segmentBytes }

  /// Notes that a segment of this size is done and the next one is written.
  mutating func next(after bytes: UInt64, time: UInt64) {
    finished.append((number, bytes, time))
    number += 1
    startTime = time
  }

  /// The oldest segment, if more is there than is to be kept.
  mutating func takeOld(time: UInt64) -> Int? {
    guard let oldest = finished.first else { return nil }
    let bytes = finished.reduce(segmentBytes) { $0 + $1.bytes }
    let isOld = oldest.time < time && time - oldest.time > keepNanoseconds
    guard finished.count >= keepSegments || bytes > keepBytes || isOld else { return nil }
    finished.removeFirst()
    return oldest.number
  }
}
