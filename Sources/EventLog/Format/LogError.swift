import SystemPackage

/// An error of writing or reading a log: its kind, its position, and what to do about it.
public struct LogError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of an error. Later versions may add codes, so switch with a default.
  public struct Code: Hashable, Sendable, RawRepresentable, CustomStringConvertible {
    /// A stable name, for use by programs.
    public let rawValue: String
    /// Creates the code with a name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The name.
    public var description: String { rawValue }

    /// The operating system refused a call; see `errno`.
    public static let io = Code(rawValue: "io")
    /// The file exists and may not be replaced.
    public static let exists = Code(rawValue: "exists")
    /// Another writer has the log open.
    public static let locked = Code(rawValue: "locked")
    /// The writer has been closed.
    public static let closed = Code(rawValue: "closed")
    /// A log cannot hold the event as it is.
    public static let invalidEvent = Code(rawValue: "invalid-event")
    /// The event or block exceeds a limit of the format.
    public static let tooLarge = Code(rawValue: "too-large")
    /// The file is not a log: its first block cannot be read.
    public static let notALog = Code(rawValue: "not-a-log")
    /// The file ends in the middle of a block.
    public static let torn = Code(rawValue: "torn")
    /// The file contains other bytes than were written.
    public static let damaged = Code(rawValue: "damaged")
    /// The index of the log contradicts a block. Open the log with `scanned`, which does not use the index.
    public static let wrongIndex = Code(rawValue: "wrong-index")
    /// The log begins after event 1, and does not contain the state before its first event.
    public static let missingState = Code(rawValue: "missing-state")
    /// The log does not contain the event.
    public static let noSuchEvent = Code(rawValue: "no-such-event")
    /// Logs cannot be merged as they are, because names collide or a part between them is missing.
    public static let conflict = Code(rawValue: "conflict")
    /// The log would take more memory or time than ``ReadLimits`` allow.
    public static let overLimit = Code(rawValue: "over-limit")
    /// The writer has made a mistake; please report it.
    public static let `internal` = Code(rawValue: "internal")
  }

  /// The kind of the error.
  public var code: Code
  /// The path of the file.
  public var path: String
  /// The offset in the file of the block, or of the bytes that were being read or written.
  public var byteOffset: UInt64?
  /// The offset in the uncompressed payload of the block at `byteOffset`, if it is known.
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
  /// Creates the error for a log that could not be opened for reading.
  init(opening path: String, _ error: Errno) {
    let reason =
      switch error {
      case .isDirectory: "it is a folder, and a log is a file"
      case .illegalSeek: "it is a pipe, and a log is a file"
      case .noSuchAddressOrDevice: "it is a socket, and a log is a file"
      case .operationNotSupportedByDevice: "it is a device, and a log is a file"
      default: "\(error)"
      }
    self.init(.io, path: path, errno: error.rawValue, message: "cannot open the log: \(reason)")
  }

  /// Creates the error for a log whose size could not be read.
  init(measuring path: String, _ error: Errno) {
    self.init(.io, path: path, errno: error.rawValue, message: "cannot read the size of the log: \(error)")
  }

  /// Creates the error for a fault of the block at an offset.
  init(_ fault: DecodeFault, in offset: UInt64, of path: String) {
    self.init(
      .damaged, path: path, byteOffset: offset, payloadOffset: fault.offset,
      message: "\(fault.reason); the blocks before it are good: keep a copy of the file and recover them")
  }

  /// Creates the error for a file that could not be opened for writing.
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
