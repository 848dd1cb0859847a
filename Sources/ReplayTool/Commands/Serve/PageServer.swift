import EventLog
import FlyingFox
import FlyingSocks
import Foundation
import ReplayAnalysis
import SystemPackage

/// Serves the page of a run and what it asks for, to this machine alone.
///
/// Connections come in at a ``ConnectionGate`` on a port, which bounds what they may cost, and reach the server behind it
/// by a socket in a folder that only this user may open.
final class PageServer: Sendable {
  let feed: LiveFeed
  /// Of the page, with the token, which a browser keeps for itself.
  let address: String
  private let folder: ScratchFolder
  private let questions: PageHandler.Asked
  private let tasks: [Task<Void, Never>]
  private let end: Lock<String?>

  /// Why nothing is answered any more; nil as long as it is.
  var failure: String? { end.withLock { $0 } }

  private init(
    feed: LiveFeed, address: String, folder: ScratchFolder, questions: PageHandler.Asked,
    tasks: [Task<Void, Never>], end: Lock<String?>
  ) {
    self.feed = feed
    self.address = address
    self.folder = folder
    self.questions = questions
    self.tasks = tasks
    self.end = end
  }

  /// Begins to listen.
  ///
  /// - Parameter port: 0 for any that is free.
  /// - Throws: `ToolError` where that cannot be done.
  static func start(path: String, port: UInt16, token: AccessToken) throws -> PageServer {
    let listener = try ConnectionGate.listen(at: port)
    let folder = try ScratchFolder()
    let check = RequestCheck(port: listener.port, token: token)
    let feed = LiveFeed()
    let questions = PageHandler.Asked(path: path)
    let pool = HTTPServer.defaultPool()
    let gate = ConnectionGate(listener: listener, inside: folder.file("s"))
    // The time that an answer may take is that of a pass over a log.
    let server = HTTPServer(
      address: .unix(path: folder.file("s")), timeout: 3600, pool: pool, logger: SilentLog(),
      handler: PageHandler(check: check, feed: feed, asked: questions, connections: gate.connections))
    let end = Lock<String?>(nil)
    let running = task(end) { try await server.run() }
    do { try wait { try await server.waitUntilListening(timeout: 30) } } catch {
      running.cancel()
      questions.stop()
      folder.remove()
      throw error
    }
    let open = task(end) { try await gate.run(pool: pool) }
    return PageServer(
      feed: feed, address: "\(check.origin)/#token=\(token.text)", folder: folder, questions: questions,
      tasks: [open, running], end: end)
  }

  /// Does something that has no end of its own: where it ends, that is noted. A server ends when it can take no connection,
  /// as when there is no descriptor left for one.
  private static func task(_ end: Lock<String?>, _ body: @escaping @Sendable () async throws -> Void)
    -> Task<Void, Never>
  {
    Task {
      var reason = "it takes no more connections"
      do { try await body() } catch { reason = error.localizedDescription }
      end.withLock { [reason] in $0 = $0 ?? reason }
    }
  }

  /// Ends all connections, and leaves nothing behind.
  func stop() {
    for task in tasks { task.cancel() }
    questions.stop()
    folder.remove()
  }

  /// Waits for what is done elsewhere; not to be called where that is done.
  private static func wait(_ body: @escaping @Sendable () async throws -> Void) throws {
    let done = DispatchSemaphore(value: 0)
    let failure = Lock<(any Error)?>(nil)
    Task {
      do { try await body() } catch { failure.withLock { $0 = error } }
      done.signal()
    }
    done.wait()
    if let error = failure.withLock({ $0 }) { throw ToolError("cannot serve: \(error)") }
  }

  /// Opens the page in the browser of a person, if there is one.
  ///
  /// Other users see what a program is started with, so it is given a file that leads to the address, and not that.
  func openBrowser(_ console: Console) {
    #if os(macOS)
      let program = "/usr/bin/open"
    #else
      let hasScreen = ["DISPLAY", "WAYLAND_DISPLAY"].contains { !(Platform.environment($0) ?? "").isEmpty }
      let program = "/usr/bin/xdg-open"
      guard hasScreen, Platform.exists(program) else { return }
    #endif
    let page = folder.file("open.html")
    let text = #"<!doctype html><meta http-equiv="refresh" content="0; url=\#(address)">"#
    do {
      let file = try FileDescriptor.open(
        FilePath(page), .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
      try file.closeAfter { _ = try file.writeAll(Array(text.utf8)) }
      let process = Process()
      process.executableURL = URL(filePath: program)
      process.arguments = [page]
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      // One that is kept to folders of its own cannot read that file.
      console.note("replay: opening the browser; where the page does not come up, open the address above")
    } catch {
      console.note("replay: cannot open the browser; open the address above")
    }
  }
}

/// Says nothing: what a request was, nobody wants to read in a terminal, and what was wrong, its client is told.
private struct SilentLog: Logging {
  func logDebug(_ debug: @autoclosure () -> String) {}
  func logInfo(_ info: @autoclosure () -> String) {}
  func logWarning(_ warning: @autoclosure () -> String) {}
  func logError(_ error: @autoclosure () -> String) {}
  func logCritical(_ critical: @autoclosure () -> String) {}
}

/// A folder that only this user may look into, for as long as the program runs.
struct ScratchFolder: Sendable {
  private let path: String

  /// - Throws: `ToolError` where none can be made.
  init() throws {
    // The address of a socket has room for some 100 bytes.
    let given = Platform.environment("TMPDIR") ?? ""
    let parent = given.isEmpty || given.utf8.count > 60 ? "/tmp" : given
    var name = Array("\(parent)/replay-serve-XXXXXX".utf8CString)
    guard mkdtemp(&name) != nil else {
      throw ToolError("cannot make a folder in \(parent): \(Platform.message(errno))")
    }
    path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  func file(_ name: String) -> String { "\(path)/\(name)" }

  func remove() { try? FileManager.default.removeItem(atPath: path) }
}
