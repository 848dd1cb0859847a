import EventLog
import FlyingFox
import FlyingSocks
import Foundation
import ReplayAnalysis
import SystemPackage

/// Serves the page of a run and its requests, to this machine only.
///
/// Connections arrive at a ``ConnectionGate`` on a port, which limits what they may cost. The gate reaches
/// the server through a socket in a folder that only this user may open.
final class PageServer: Sendable {
  let feed: LiveFeed
  /// The page's address, with the token in its fragment, which a browser does not send.
  let address: String
  private let folder: ScratchFolder
  private let questions: PageHandler.Asked
  private let tasks: [Task<Void, Never>]
  private let end: Lock<String?>

  /// Why the server has stopped; nil while it runs.
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

  /// Starts to listen.
  ///
  /// - Parameters:
  ///   - sources: Where the page finds the lines around places; nil for none.
  ///   - port: The port, or 0 for any free one.
  /// - Throws: `ToolError` if it cannot listen there.
  static func start(
    path: String, limits: ReadLimits, sources: SourceFolder?, port: UInt16, token: AccessToken
  ) throws -> PageServer {
    let listener = try ConnectionGate.listen(at: port)
    let folder = try ScratchFolder()
    let check = RequestCheck(port: listener.port, token: token)
    let feed = LiveFeed()
    let questions = PageHandler.Asked(path: path, limits: limits, feed: feed)
    let pool = HTTPServer.defaultPool()
    let gate = ConnectionGate(listener: listener, inside: folder.file("s"))
    // An answer may take as long as a pass over a log.
    let server = HTTPServer(
      address: .unix(path: folder.file("s")), timeout: 3600, pool: pool, logger: SilentLog(),
      handler: PageHandler(
        check: check, feed: feed, asked: questions, connections: gate.connections, sources: sources))
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

  /// Starts a task that should not end by itself, and records why it did. A server ends when it cannot accept
  /// connections, for example because it is out of file descriptors.
  private static func task(_ end: Lock<String?>, _ body: @escaping @Sendable () async throws -> Void)
    -> Task<Void, Never>
  {
    Task {
      var reason = "it takes no more connections"
      do { try await body() } catch { reason = error.localizedDescription }
      end.withLock { [reason] in $0 = $0 ?? reason }
    }
  }

  /// Closes all connections, and removes the folder.
  func stop() {
    for task in tasks { task.cancel() }
    questions.stop()
    folder.remove()
  }

  /// Waits for asynchronous work. It blocks the thread, so it must not be called from that work.
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

  /// Opens the page in the user's browser, if there is one.
  ///
  /// Other users can see a program's arguments. So the browser is given a file that redirects to the address,
  /// rather than the address itself.
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
        page.filePath, .writeOnly, options: [.create, .truncate], permissions: .ownerReadWrite)
      try file.closeAfter { _ = try file.writeAll(Array(text.utf8)) }
      let process = Process()
      process.executableURL = URL(filePath: program)
      process.arguments = [page]
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      // A sandboxed browser cannot read that file.
      console.report("replay: opening the browser; where the page does not come up, open the address above")
    } catch {
      console.report("replay: cannot open the browser; open the address above")
    }
  }
}

/// Discards all messages: requests are of no interest in a terminal, and errors are reported to the client.
private struct SilentLog: Logging {
  func logDebug(_ debug: @autoclosure () -> String) {}
  func logInfo(_ info: @autoclosure () -> String) {}
  func logWarning(_ warning: @autoclosure () -> String) {}
  func logError(_ error: @autoclosure () -> String) {}
  func logCritical(_ critical: @autoclosure () -> String) {}
}

/// A temporary folder that only this user may open.
struct ScratchFolder: Sendable {
  private let path: String

  /// - Throws: `ToolError` if the folder cannot be created.
  init() throws {
    // The path of a socket is limited to some 100 bytes.
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
