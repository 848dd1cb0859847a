import SystemPackage

/// Why a log could not be written or read, where, and what to do about it.
public struct LogError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What kind of thing went wrong. More codes may come: switch with a default.
  public struct Code: Hashable, Sendable, RawRepresentable, CustomStringConvertible {
    /// A stable name, for programs.
    public let rawValue: String
    /// Creates the code with a name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The name.
    public var description: String { rawValue }

    /// The operating system refused: see `errno`.
    public static let io = Code(rawValue: "io")
    /// The file is there already and was not to be replaced.
    public static let exists = Code(rawValue: "exists")
    /// Another writer has the log open.
    public static let locked = Code(rawValue: "locked")
    /// The writer was closed before.
    public static let closed = Code(rawValue: "closed")
    /// The event cannot be in a log as it is.
    public static let invalidEvent = Code(rawValue: "invalid-event")
    /// The event or block is over a limit of the format.
    public static let tooLarge = Code(rawValue: "too-large")
    /// The file is not a log: not even its first block can be read.
    public static let notALog = Code(rawValue: "not-a-log")
    /// The file ends in the middle of a block.
    public static let torn = Code(rawValue: "torn")
    /// Bytes in the file are not what was written.
    public static let damaged = Code(rawValue: "damaged")
    /// The index of the log contradicts a block: open the log `scanned`, which does not use the index.
    public static let wrongIndex = Code(rawValue: "wrong-index")
    /// The log begins after event 1, and the state before its first event is not in it.
    public static let missingState = Code(rawValue: "missing-state")
    /// There is no such event in the log.
    public static let noSuchEvent = Code(rawValue: "no-such-event")
    /// Logs cannot be merged as they are: names collide, or a part between them is missing.
    public static let conflict = Code(rawValue: "conflict")
    /// The writer broke its own rules; please report it.
    public static let `internal` = Code(rawValue: "internal")
  }

  /// What kind of thing went wrong.
  public var code: Code
  /// The file.
  public var path: String
  /// The offset in the file: of the block, or of what was being read or written.
  public var byteOffset: UInt64?
  /// The offset in the uncompressed payload of the block at `byteOffset`, where it is known.
  public var payloadOffset: Int?
  /// What went wrong and what to do about it.
  public var message: String
  /// The error number of the operating system, if it refused a call.
  public var errno: Int32?

  /// Creates an error.
  public init(
    _ code: Code, path: String, byteOffset: UInt64? = nil, payloadOffset: Int? = nil, errno: Int32? = nil,
    message: String
  ) {
    self.code = code
    self.path = path
    self.byteOffset = byteOffset
    self.payloadOffset = payloadOffset
    self.errno = errno
    self.message = message
  }

  /// One line: the file, the offsets and the message.
  public var description: String {
    var location = path
    if let byteOffset { location += " at byte \(byteOffset)" }
    if let payloadOffset { location += " (+\(payloadOffset) in the block)" }
    return "\(location): \(message)"
  }
}

extension LogError {
  /// Reports why a file to write could not be opened.
  init(creating path: String, _ error: Errno) {
    switch error {
    case .fileExists:
      self.init(
        .exists, path: path, errno: error.rawValue,
        message: "the file exists; choose another name, or allow it to be replaced")
    case .wouldBlock:
      self.init(
        .locked, path: path, errno: error.rawValue,
        message: "another writer has this log open; close it, or record to a file of its own")
    default:
      self.init(.io, path: path, errno: error.rawValue, message: "cannot open the log to write: \(error)")
    }
  }
}
