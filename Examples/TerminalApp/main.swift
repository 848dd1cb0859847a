import Foundation
import Projection
import Terminal

// The mail app on a terminal: `terminal-app`, or `terminal-app --record FILE`.
let arguments = CommandLine.arguments.dropFirst()
guard arguments.isEmpty || arguments.first == "--record" && arguments.count == 2 else {
  print("usage: terminal-app [--record FILE]")
  exit(2)
}
let session = try arguments.last.map {
  try Session(recordingTo: URL(filePath: $0), options: .replacingExisting)
}
let app = MailApp(session)
app.host.runOnStandardInput()
app.host.end()
try session?.close()
