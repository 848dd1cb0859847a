import Foundation

/// What is told beside the results of tests: on the standard error, unless this task says otherwise.
package enum Notice {
  @TaskLocal package static var destination: @Sendable (String) -> Void = { text in
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }

  static func print(_ text: String) { destination(text) }
}
