import Foundation
import Projection

@Recorded final class Counter {
  var count = 0
}

@main
enum Main {
  static func main() throws {
    let log = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).evlog")
    defer { try? FileManager.default.removeItem(at: log) }
    let counter = Counter()
    let session = try Session(recordingTo: log)
    session.attach(counter, as: "counter")
    session.projection("Label") { _ in "\(counter.count)" }
    let report = session.measure { counter.count += 1 }
    try session.close()
    print("\(report.totalEvaluations) projection ran again")
  }
}
