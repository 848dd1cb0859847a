/// What the threads that append share, under one lock: the open chunk and the ids it may refer to.
struct Stage {
  var chunk = Chunk()
  /// The seq of the next event.
  private(set) var nextSeq: UInt64
  /// The session's paths, by their id in its table.
  var sessionPaths = StagedPaths()
  /// Paths of events that came whole, by their id in `table`.
  var ownPaths = StagedPaths()
  var table = PathTable()
  /// Staged ids of paths that were defined, and how deep each path is.
  var depths: [UInt8] = []
  var names: [ExactString: UInt32] = [:]
  private var lastTime: UInt64 = 0
  /// Who makes the event of the next row, if that is to be kept.
  var origin: StagedOrigin?
  private var rowItems = 0
  /// How exactly times and durations are kept.
  let timeUnit: LogOptions.TimeUnit
  /// The file, for errors.
  let path: String
  /// What tells the interned paths of this writer from those of another.
  let owner = UInt32.random(in: .min ... .max)

  /// Whether events may be as large as a block can hold, and are refused where they are larger. In a recording, which
  /// must go on, they may not, and too large a value is replaced.
  let isExact: Bool

  /// Keeps times and durations as they are, unless another unit is given.
  init(
    path: String, nextSeq: UInt64 = 1, timeUnit: LogOptions.TimeUnit = .nanoseconds, isExact: Bool = false
  ) {
    self.path = path
    self.nextSeq = nextSeq
    self.timeUnit = timeUnit
    self.isExact = isExact
  }

  func invalid(_ message: String) -> LogError {
    LogError(.invalidEvent, path: path, message: "\(message); the event was not recorded")
  }

  func tooLarge(_ message: String) -> LogError {
    LogError(.tooLarge, path: path, message: "\(message); the event was not recorded")
  }

  /// Starts the row of the next event. Definitions it needs must have been staged before.
  @inline(__always)
  mutating func beginRow(_ code: UInt8, time: UInt64, cause: UInt64?, site: UInt32?) throws(LogError) {
    let (delta, distance) = try startRow(time, cause)
    chunk.rows.append(code, delta, distance, site.map { UInt64($0) + 1 } ?? 0)
  }

  /// The whole row of a set of an integer, as ``beginRow(_:time:cause:site:)`` and what comes behind it make it.
  @inline(__always)
  mutating func setInt(
    _ path: UInt64, _ value: Int64, _ code: UInt8, time: UInt64, cause: UInt64?, site: UInt32?
  ) throws(LogError) -> UInt64 {
    let (delta, distance) = try startRow(time, cause)
    let site = site.map { UInt64($0) + 1 } ?? 0
    chunk.rows.append(code, delta, distance, site, path, ValueTag.int, Zigzag.encode(value))
    rowItems = 1
    return endRow()
  }

  /// The whole row of an event that takes two numbers.
  @inline(__always)
  mutating func row(
    _ code: UInt8, _ first: UInt64, _ second: UInt64, time: UInt64, cause: UInt64?, site: UInt32?
  ) throws(LogError) -> UInt64 {
    let (delta, distance) = try startRow(time, cause)
    chunk.rows.append(code, delta, distance, site.map { UInt64($0) + 1 } ?? 0, first, second)
    return endRow()
  }

  /// The whole row of an invalidation by the one event that is also its cause.
  @inline(__always)
  mutating func invalidation(_ projection: UInt64, by cause: UInt64, time: UInt64) throws(LogError) -> UInt64
  {
    let (delta, distance) = try startRow(time, cause)
    chunk.rows.append(EventCode.invalidate, delta, distance, 0, projection, 1, distance)
    rowItems = 1
    return endRow()
  }

  /// What a row says of its time and its cause.
  @inline(__always)
  private mutating func startRow(
    _ time: UInt64, _ cause: UInt64?
  ) throws(LogError) -> (delta: UInt64, distance: UInt64) {
    let time = timeUnit.time(time)
    var distance: UInt64 = 0
    if let cause {
      guard cause > 0, cause < nextSeq else {
        throw invalid("cause \(cause) of event \(nextSeq) is not before it")
      }
      distance = nextSeq - cause
    }
    if chunk.events == 0 {
      chunk.firstSeq = nextSeq
      chunk.baseTime = time
      lastTime = time
    }
    rowItems = 0
    if let origin { chunk.rows.append(origin) }
    let delta = Zigzag.encode(Int64(bitPattern: time &- lastTime))
    lastTime = time
    return (delta, distance)
  }

  @inline(__always)
  mutating func put(_ number: UInt64) { chunk.rows.append(varint: number) }

  @inline(__always)
  mutating func put(_ value: Value) {
    rowItems += StagedValue.append(value, to: &chunk.rows, isExact: isExact)
  }

  /// Throws `tooLarge` for a value that no block can hold and that is not to be replaced.
  @inline(__always)
  func check(_ value: Value) throws(LogError) {
    if isExact, !value.isScalar, !value.nests(atMost: LogFormat.valueDepthMax) {
      throw tooLarge("a value that is nested deeper than \(LogFormat.valueDepthMax) is over a limit")
    }
  }

  /// A text that is not worth an id of its own.
  mutating func put(label: String) { chunk.rows.append(label) }

  mutating func putList<T>(_ list: [T], _ number: (T) -> UInt64) {
    chunk.rows.append(varint: UInt64(list.count))
    for element in list { chunk.rows.append(varint: number(element)) }
    rowItems += list.count
  }

  /// Ends the row and returns its seq.
  @inline(__always)
  mutating func endRow() -> UInt64 {
    let seq = nextSeq
    nextSeq += 1
    chunk.events += 1
    chunk.items += rowItems
    return seq
  }

  /// Gives the chunk away and starts another, in a buffer that was used before if there is one.
  mutating func takeChunk(reusing spare: [UInt8]?) -> Chunk {
    var taken = Chunk()
    swap(&taken, &chunk)
    if taken.events == 0 { taken.firstSeq = nextSeq }
    if let spare { chunk.rows = StagingBuffer(reusing: spare) }
    return taken
  }
}
