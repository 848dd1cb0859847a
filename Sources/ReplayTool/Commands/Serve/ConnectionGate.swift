import EventLog
import FlyingSocks
import Foundation
import ReplayAnalysis

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#endif

/// Accepts connections on a port and passes requests on to the page server. It limits what a connection may
/// cost.
///
/// A client may send half a request and wait, send a head without an end, or open hundreds of connections.
/// The server would keep all of these, and it closes connections that it does not understand without an
/// answer. So the gate passes a request on only once its head is complete, allows one request per connection,
/// and answers every fault. The end of the head is the only part of HTTP that it parses.
struct ConnectionGate: Sendable {
  /// A socket that listens on the loopback interface only.
  struct Listener: Sendable {
    let socket: Socket
    let port: UInt16
  }

  let listener: Listener
  /// The path of the server's socket.
  let inside: String
  /// The connections whose clients have not left.
  let connections = OpenConnections()

  /// The header that tells the server which connection a request came from.
  static let numberHeader = "Replay-Connection"
  static let connectionsMax = 32
  /// This many further connections are answered that there are too many; the rest are closed.
  private static let refusedMax = 64
  static let headMax = 16 << 10
  var headTime = Duration.seconds(10)
  /// How long a client may leave data unread.
  var writeTime = Duration.seconds(30)
  /// Large, since an overview may have some 20 MB.
  private static let hopBytes = 64 << 10
  private static let farewellTime = Duration.seconds(2)
  private static let farewellBytesMax = 4 << 20

  /// - Parameter port: The port, or 0 for any free one.
  /// - Throws: `ToolError` if the gate cannot listen there.
  static func listen(at port: UInt16) throws -> Listener {
    do {
      let socket = try Socket(domain: Int32(AF_INET))
      try socket.setValue(true, for: .localAddressReuse)
      try socket.bind(to: .inet(ip4: "127.0.0.1", port: port))
      try socket.listen(maxPendingConnection: 128)
      guard case .ip4(_, let port) = try socket.sockname() else { throw SocketError.unsupportedAddress }
      return Listener(socket: socket, port: port)
    } catch SocketError.failed(_, EADDRINUSE, _) {
      throw ToolError("port \(port) is in use; give another with --port, or none for any that is free")
    } catch SocketError.failed(_, EACCES, _) {
      throw ToolError("port \(port) is not for everybody; give one above 1023 with --port, or none")
    } catch {
      throw ToolError("cannot listen on 127.0.0.1: \(error.localizedDescription)")
    }
  }

  /// Accepts connections until the task is cancelled.
  func run(pool: some AsyncSocketPool) async throws {
    let socket = try AsyncSocket(socket: listener.socket, pool: pool)
    defer { try? socket.close() }
    let count = Lock(0)
    await withDiscardingTaskGroup { group in
      while !Task.isCancelled {
        let client: AsyncSocket
        do { client = try await socket.accept() } catch is CancellationError { break } catch {
          // The process may be out of file descriptors until other connections are closed.
          try? await Task.sleep(for: .milliseconds(100))
          continue
        }
        let number = count.withLock {
          $0 += 1
          return $0
        }
        group.addTask {
          if number <= Self.connectionsMax {
            await serve(client, pool)
          } else if number <= Self.connectionsMax + Self.refusedMax {
            await refuse(client, .crowded)
          }
          try? client.close()
          count.withLock { $0 -= 1 }
        }
      }
      group.cancelAll()
    }
  }

  /// Passes one request to the server, and the answer back to the client.
  private func serve(_ client: AsyncSocket, _ pool: some AsyncSocketPool) async {
    switch await Self.within(headTime, { await Self.head(of: client) }) {
    case nil: await refuse(client, .slow)
    case .gone: return
    case .long: await refuse(client, .long)
    case .whole(let head):
      guard let server = try? await AsyncSocket.connected(to: .unix(path: inside), pool: pool) else {
        return await refuse(client, .crowded)
      }
      let number = connections.begin()
      let line = Array("\(Self.numberHeader): \(number)\r\n\r\n".utf8)
      let isAnswered = await relay(head.dropLast(2) + line, to: server, and: client)
      connections.end(number)
      try? server.close()
      if !isAnswered { await refuse(client, .broken) }
    }
  }

  // MARK: The head of a request

  private enum Found: Sendable {
    case whole([UInt8])
    case long
    /// The client left before the head was complete.
    case gone
  }

  private static func head(of client: AsyncSocket) async -> Found {
    var bytes: [UInt8] = []
    while bytes.count <= headMax {
      guard let more = try? await client.read(atMost: 4096) else { return .gone }
      bytes += more
      if let head = onlyRequest(bytes) { return head.count > headMax ? .long : .whole(head) }
    }
    return .long
  }

  /// The head as that of a single request without a body; nil if it is incomplete.
  ///
  /// The two headers are added last, since the last of several headers with the same name is used.
  static func onlyRequest(_ bytes: [UInt8]) -> [UInt8]? {
    var start = 0
    while let end = bytes[start...].firstIndex(of: 0x0A) {
      let line = bytes[start..<end]
      if start > 0, line.isEmpty || line.elementsEqual([0x0D]) {
        return bytes[..<start] + Array("Content-Length: 0\r\nConnection: close\r\n\r\n".utf8)
      }
      start = end + 1
    }
    return nil
  }

  // MARK: The answer

  /// Relays the answer to the client. Returns whether the client got any of it.
  private func relay(_ head: [UInt8], to server: AsyncSocket, and client: AsyncSocket) async -> Bool {
    let sent = Lock((bytes: 0, since: ContinuousClock.Instant?.none))
    do { try await server.write(Data(head)) } catch { return false }
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        while let bytes = try? await server.read(atMost: Self.hopBytes) {
          sent.withLock { $0.since = ContinuousClock.now }
          guard (try? await client.write(Data(bytes))) != nil else { return }
          sent.withLock { $0 = ($0.bytes + bytes.count, nil) }
        }
      }
      group.addTask {
        // The client sends nothing more. When it leaves, no answer is needed, not even that of a fault.
        while (try? await client.read(atMost: 4096)) != nil {}
        if !Task.isCancelled { sent.withLock { $0.bytes += 1 } }
      }
      group.addTask {
        while (try? await Task.sleep(for: writeTime / 6)) != nil {
          if let since = sent.withLock({ $0.since }), ContinuousClock.now - since > writeTime { return }
        }
      }
      await group.next()
      group.cancelAll()
    }
    return sent.withLock { $0.bytes > 0 }
  }

  // MARK: Faults

  private enum Fault: String {
    case slow = "408 Request Timeout"
    case long = "431 Request Header Fields Too Large"
    case broken = "400 Bad Request"
    case crowded = "503 Service Unavailable"
  }

  /// Answers a fault, and then reads for a while what the client still sends. Otherwise the client might not
  /// read the answer.
  private func refuse(_ client: AsyncSocket, _ fault: Fault) async {
    let text = "HTTP/1.1 \(fault.rawValue)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    // Nothing was written to this client before, so the answer fits its buffer. It has no limit of time: on a
    // busy machine the time could be over before the answer is begun.
    guard (try? await client.write(Data(text.utf8))) != nil else { return }
    _ = shutdown(client.socket.file.rawValue, Int32(SHUT_WR))
    _ = await Self.within(Self.farewellTime) {
      var count = 0
      while count < Self.farewellBytesMax, let more = try? await client.read(atMost: 4096) {
        count += more.count
      }
    }
  }

  /// Runs a body for at most this time; returns nil if it does not end in time.
  private static func within<T: Sendable>(
    _ time: Duration, _ body: @escaping @Sendable () async -> T
  ) async -> T? {
    await withTaskGroup(of: T?.self) { group in
      group.addTask { await body() }
      group.addTask {
        try? await Task.sleep(for: time)
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
  }
}

/// The connections whose clients have not left, by unique numbers.
final class OpenConnections: Sendable {
  private let state = Lock((last: UInt64(0), open: Set<UInt64>()))

  func begin() -> UInt64 {
    state.withLock {
      $0.last += 1
      $0.open.insert($0.last)
      return $0.last
    }
  }

  func end(_ number: UInt64) { state.withLock { _ = $0.open.remove(number) } }

  func has(_ number: UInt64) -> Bool { state.withLock { $0.open.contains(number) } }
}
