import FlyingFox
import FlyingSocks
import Foundation
import LogGenerator
import Testing

@testable import ReplayTool

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// Waits for sockets, on behalf of a test.
struct HTTPPool: Sendable {
  let pool: any AsyncSocketPool = HTTPServer.defaultPool()

  func run() async throws {
    try await pool.prepare()
    try await pool.run()
  }
}

/// A gate, and in place of the server behind it a socket that answers nothing by itself.
struct GatedSocket {
  let gate: ConnectionGate
  let server: AsyncSocket
  let port: UInt16
  private let folder: ScratchFolder
  private let work: [Task<Void, any Error>]

  init(writeTime: Duration = .seconds(30)) async throws {
    let listener = try ConnectionGate.listen(at: 0)
    let folder = try ScratchFolder()
    let inside = try Socket(domain: Int32(AF_UNIX))
    try inside.bind(to: .unix(path: folder.file("s")))
    try inside.listen()
    var gate = ConnectionGate(listener: listener, inside: folder.file("s"))
    gate.writeTime = writeTime
    let pool = HTTPPool().pool
    try await pool.prepare()
    server = try AsyncSocket(socket: inside, pool: pool)
    work = [Task { try await pool.run() }, Task { [gate] in try await gate.run(pool: pool) }]
    (self.gate, self.folder, port) = (gate, folder, listener.port)
  }

  func close() {
    for task in work.reversed() { task.cancel() }
    folder.remove()
  }
}

/// A client that sends exactly the bytes that it is given, complete or not.
final class RawClient: @unchecked Sendable {
  private let descriptor: Int32

  init(port: UInt16) throws {
    #if canImport(Darwin)
      descriptor = socket(AF_INET, SOCK_STREAM, 0)
      var address = sockaddr_in(
        sin_len: UInt8(MemoryLayout<sockaddr_in>.size), sin_family: sa_family_t(AF_INET),
        sin_port: port.bigEndian,
        sin_addr: in_addr(s_addr: UInt32(0x7F00_0001).bigEndian), sin_zero: (0, 0, 0, 0, 0, 0, 0, 0))
    #else
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_in(
        sin_family: sa_family_t(AF_INET), sin_port: port.bigEndian,
        sin_addr: in_addr(s_addr: UInt32(0x7F00_0001).bigEndian), sin_zero: (0, 0, 0, 0, 0, 0, 0, 0))
    #endif
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
    }
    try #require(status == 0, "cannot connect to \(port): \(errno)")
    // A test that hangs reports nothing; beside all other tests, an answer may take a quarter of an hour.
    var patience = timeval(tv_sec: 3_000, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(descriptor) }

  /// False where the other end takes no more.
  @discardableResult
  func send(_ text: String) -> Bool { send(Array(text.utf8)) }

  @discardableResult
  func send(_ bytes: [UInt8]) -> Bool {
    signal(SIGPIPE, SIG_IGN)
    return Platform.write(bytes, to: descriptor) == nil
  }

  /// Some bytes; none at the end.
  func some() -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    let count = read(descriptor, &buffer, buffer.count)
    return Array(buffer.prefix(max(0, count)))
  }

  /// All bytes until the other end closes.
  func all() -> [UInt8] {
    var all: [UInt8] = []
    while case let more = some(), !more.isEmpty { all += more }
    return all
  }
}

/// `replay serve` as a process, and requests to it.
final class ServedTool {
  struct Answer {
    var status = 0
    var headers = ""
    var body: [UInt8] = []
    var text: String { String(decoding: body, as: UTF8.self) }
  }

  let process = Process()
  private(set) var port: UInt16 = 0
  private(set) var token = ""
  private let output = Pipe()
  private let errors = Pipe()

  /// Starts it, and waits for its address.
  init(_ log: String, _ options: [String] = [], environment: [String: String] = [:]) throws {
    process.executableURL = builtTool
    process.arguments = ["serve", log, "--no-open"] + options
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    var line = ""
    while !line.contains("\n") {
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { break }
      line += String(decoding: more, as: UTF8.self)
    }
    let match = try #require(
      line.wholeMatch(of: /http:\/\/127\.0\.0\.1:(\d+)\/#token=([A-Za-z0-9_-]+)\n/), "\(line)\(said)")
    port = try #require(UInt16(match.1))
    token = String(match.2)
  }

  deinit {
    if process.isRunning { process.terminate() }
    process.waitUntilExit()
  }

  /// Its standard error; waits for its end.
  var said: String {
    process.waitUntilExit()
    return String(decoding: (try? errors.fileHandleForReading.readToEnd()) ?? Data(), as: UTF8.self)
  }

  /// Ends it like Ctrl-C, and returns its exit status.
  func interrupt() -> Int32 {
    process.interrupt()
    process.waitUntilExit()
    return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
  }

  func client() throws -> RawClient { try RawClient(port: port) }

  /// The head of a request as the page sends it, with some headers replaced.
  func head(_ target: String, _ changes: [String: String?] = [:], method: String = "GET") -> String {
    var headers: [String: String?] = ["Host": "127.0.0.1:\(port)", "Replay-Token": token]
    for (name, value) in changes { headers[name] = .some(value) }
    let lines = headers.compactMap { name, value in value.map { "\(name): \($0)\r\n" } }
    return "\(method) \(target) HTTP/1.1\r\n" + lines.sorted().joined() + "\r\n"
  }

  func get(_ target: String, _ changes: [String: String?] = [:], method: String = "GET") throws -> Answer {
    let client = try client()
    client.send(head(target, changes, method: method))
    return Self.answer(client.all())
  }

  /// With this text after the `?`.
  func get(_ path: String, words: [(String, String)]) throws -> Answer {
    let allowed = CharacterSet(charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
    let query = words.map { "\($0)=\($1.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")" }
    return try get("\(path)?\(query.joined(separator: "&"))")
  }

  /// Waits until the server's answer is as expected.
  func wait(for target: String, until isRight: (Answer) -> Bool) throws -> Answer {
    while true {
      let answer = try get(target)
      if isRight(answer) { return answer }
      Thread.sleep(forTimeInterval: 0.05)
    }
  }

  static func answer(_ bytes: [UInt8]) -> Answer {
    guard let end = bytes.firstRange(of: Array("\r\n\r\n".utf8)) else { return Answer() }
    let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
    return Answer(
      status: head.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0, headers: head,
      body: Array(bytes[end.upperBound...]))
  }
}
