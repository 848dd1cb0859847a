#if os(Linux)
  import Foundation
  import Glibc
  import ReplayTool
  import Testing

  /// A program that runs in a separate terminal, as it does for users.
  ///
  /// Nothing here measures time: a wait gives up after two minutes, which only a hang takes.
  final class PseudoTerminal {
    private let master: Int32
    private let process: pid_t
    private var hasEnded = false
    /// All output of the program.
    private(set) var output = ""

    init(
      _ program: String, _ arguments: [String], environment: [String: String] = [:], columns: UInt16 = 80
    ) throws {
      // Glibc's module lacks the portable functions (`posix_openpt` and the like), and these three constants.
      let (unlock, tellNumber, newSession) = (UInt(0x4004_5431), UInt(0x8004_5430), Int16(0x80))
      master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
      var (locked, number): (Int32, UInt32) = (0, 0)
      var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
      try #require(ioctl(master, unlock, &locked) == 0 && ioctl(master, tellNumber, &number) == 0)
      try #require(ioctl(master, UInt(TIOCSWINSZ), &size) == 0)

      var actions = posix_spawn_file_actions_t()
      posix_spawn_file_actions_init(&actions)
      defer { posix_spawn_file_actions_destroy(&actions) }
      // The first terminal that a new session opens becomes its controlling terminal, which sends Ctrl-C.
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/pts/\(number)", O_RDWR, 0)
      posix_spawn_file_actions_adddup2(&actions, 0, 1)
      posix_spawn_file_actions_adddup2(&actions, 0, 2)
      var attributes = posix_spawnattr_t()
      posix_spawnattr_init(&attributes)
      defer { posix_spawnattr_destroy(&attributes) }
      posix_spawnattr_setflags(&attributes, newSession)

      let all = ProcessInfo.processInfo.environment.merging(["TERM": "xterm-256color"]) { $1 }
        .merging(environment) { $1 }
      var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
      var variables: [UnsafeMutablePointer<CChar>?] = all.map { strdup("\($0)=\($1)") } + [nil]
      defer { for text in words + variables { free(text) } }
      var process: pid_t = 0
      try #require(posix_spawnp(&process, program, &actions, &attributes, &words, &variables) == 0)
      self.process = process
    }

    deinit {
      if !hasEnded {
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
      }
      close(master)
    }

    func send(_ keys: String) {
      _ = Array(keys.utf8).withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
    }

    func send(signal: Int32) { kill(process, signal) }

    /// Reads the program's output until this holds.
    func wait(_ what: String, until holds: () -> Bool) throws {
      for _ in 0..<2_400 where !holds() { read(milliseconds: 50) }
      try #require(holds(), "waited too long for \(what); seen: \(output.debugDescription)")
    }

    func wait(for text: String) throws { try wait(text) { output.contains(text) } }

    /// The status that `waitpid` returns once the program has ended.
    func end() throws -> Int32 {
      var status: Int32 = 0
      try wait("its end") {
        if !hasEnded { hasEnded = waitpid(process, &status, WNOHANG) == process }
        return hasEnded
      }
      while read(milliseconds: 0) {}
      return status
    }

    /// How the terminal treats typed characters.
    var mode: termios {
      var mode = termios()
      tcgetattr(master, &mode)
      return mode
    }

    @discardableResult private func read(milliseconds: Int32) -> Bool {
      var ready = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
      guard poll(&ready, 1, milliseconds) > 0 else { return false }
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = bytes.withUnsafeMutableBytes { buffer in
        Glibc.read(master, buffer.baseAddress, buffer.count)
      }
      guard count > 0 else {
        // A terminal that no process has open any more is always ready.
        usleep(useconds_t(milliseconds) * 1000)
        return false
      }
      output += String(decoding: bytes.prefix(count), as: UTF8.self)
      return true
    }
  }
#endif
