import EventLog
import Foundation

/// Finds the functions and lines for the addresses of recorded stacks, in the files of the program and its
/// libraries.
///
/// It runs `llvm-symbolizer`, which comes with Swift's toolchain; without it addresses stay addresses. A log
/// may name any file as an image, so a file is read only if it has the build id that the log gives.
final class Symbolizer {
  private let tool: String?
  private var known: [StackCall: [StackFrame]] = [:]
  /// The images whose files are missing, or have another build id than those that ran.
  private var foreignImages: Set<String> = []

  init(tool: String? = Symbolizer.findTool()) { self.tool = tool }

  /// What the user must do to see more names; nil if nothing is missing.
  var advice: String? {
    if tool == nil, !known.isEmpty {
      return "put llvm-symbolizer, which Swift's toolchain has, into PATH to see names of functions"
    }
    guard let image = foreignImages.min() else { return nil }
    return "\(image) is not here as it was when it ran: its functions have no names"
  }

  /// The named calls of a stack, the innermost first. An address has several frames if calls were inlined
  /// there.
  func frames(of stack: String) -> [StackFrame] {
    let calls = StackCall.calls(in: stack)
    let unknown = Set(calls).subtracting(known.keys)
    for (image, calls) in Dictionary(grouping: unknown, by: \.image) { resolve(calls, in: image) }
    return calls.flatMap { known[$0] ?? [] }
  }

  private func resolve(_ calls: [StackCall], in image: String) {
    for call in calls { known[call] = [StackFrame(image: call.image, offset: call.offset)] }
    guard let tool else { return }
    let present = BuildID.ofImage(at: image)
    let sound = calls.filter { !present.isEmpty && $0.build == present }
    if sound.count < calls.count { foreignImages.insert(image) }
    if sound.isEmpty { return }
    let arguments =
      ["--no-demangle", "--output-style=LLVM", "--obj=\(image)"]
      + sound.map { "0x" + String($0.offset, radix: 16) }
    guard let output = Self.output(of: tool, arguments) else { return }
    for (call, text) in zip(sound, output.split(separator: "\n\n", omittingEmptySubsequences: true)) {
      let frames = Self.frames(in: text, of: call)
      if !frames.isEmpty { known[call] = frames }
    }
  }

  /// Parses the tool's output, which is pairs of lines: a function, then `file:line:column`.
  private static func frames(in text: Substring, of call: StackCall) -> [StackFrame] {
    let lines = text.split(separator: "\n")
    return stride(from: 0, to: lines.count - 1, by: 2).map { index in
      var frame = StackFrame(image: call.image, offset: call.offset)
      if lines[index] != "??" {
        let name = FunctionName(String(lines[index]))
        frame.function = name.short
        frame.module = name.module
        frame.isCaller = name.isCaller
      }
      let place = lines[index + 1].split(separator: ":")
      if place.count >= 3, place[0] != "??" {
        frame.file = place.dropLast(2).joined(separator: ":")
        frame.line = Int(place[place.count - 2])
      }
      return frame
    }
  }

  private static func output(of tool: String, _ arguments: [String]) -> String? {
    let process = Process()
    process.executableURL = URL(filePath: tool)
    process.arguments = arguments
    // Without the environment, the tool does not ask a server for debug information of files that a log
    // names.
    process.environment = ["PATH": ProcessInfo.processInfo.environment["PATH"] ?? ""]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    do { try process.run() } catch { return nil }
    let data = try? pipe.fileHandleForReading.readToEnd()
    process.waitUntilExit()
    return process.terminationStatus == 0 ? data.map { String(decoding: $0, as: UTF8.self) } : nil
  }

  /// The tool beside `swift`, which knows the debug information of that compiler, or else one in PATH.
  static func findTool() -> String? {
    let files = FileManager.default
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    let swift = folders.map { "\($0)/swift" }.first { files.isExecutableFile(atPath: $0) }
    let beside = swift.map {
      URL(filePath: $0).resolvingSymlinksInPath().deletingLastPathComponent().path + "/llvm-symbolizer"
    }
    return ([beside] + folders.map { "\($0)/llvm-symbolizer" }).compactMap { $0 }
      .first { files.isExecutableFile(atPath: $0) }
  }
}
