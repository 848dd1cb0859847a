import OpenCombine
import Projection
import ReplayUI
import SwiftUI
import Testing

/// Objects that publish their changes are followed by their publisher.
@MainActor @Suite struct FollowedPublisherTests {
  final class Legacy: ObservableObject {
    @Published var count = 0
    @Published var names: [String] = []
    /// Is not published, and so is found only beside what is.
    var hidden = 0

    func rename() {
      objectWillChange.send()
      hidden += 1
    }
  }

  /// The values that a subscriber gets at each turn, and those that a projection reads.
  @Test(arguments: 1...20) func aProjectionSeesWhatASubscriberSees(seed: Int) throws {
    var number = seed
    func below(_ count: Int) -> Int {
      number = (number &* 1_103_515_245 &+ 12_345) & 0x7FFF_FFFF
      return number / 7 % count
    }
    let legacy = Legacy()
    var (told, published, read) = (false, [Int](), [Int]())
    let subscription = legacy.objectWillChange.sink { told = true }
    let log = try RecordedLog { session in
      let followed = session.follow(legacy, as: "legacy", properties: \.count, \.names, \.hidden) { notice in
        legacy.objectWillChange.sink { notice() }
      }
      session.projection("Count") { _ in read.append(followed.count) }
      published.append(legacy.count)
      for _ in 0..<100 {
        let before = legacy.count
        for _ in 0...below(3) {
          switch below(4) {
          case 0: legacy.count = below(3)
          case 1: legacy.names.append("n\(below(9))")
          case 2: legacy.rename()
          default: break
          }
        }
        session.flush()
        if told, legacy.count != before { published.append(legacy.count) }
        told = false
      }
    }
    #expect(read == published)
    #expect(log.evaluations == ["Count": published.count])
    var last: [String: String] = [:]
    for event in log.events {
      if case .set(let path, let value, _) = event.body { last["\(path)"] = value.json }
    }
    #expect(last["legacy.hidden"] ?? "0" == "\(legacy.hidden)")
    withExtendedLifetime(subscription) {}
  }

  @Test func itIsNotRetained() throws {
    var legacy: Legacy? = Legacy()
    weak let gone = legacy
    _ = try RecordedLog { session in
      session.follow(legacy!, as: "legacy", properties: \.count) { [weak legacy] notice in
        legacy!.objectWillChange.sink { notice() }
      }
      legacy?.count = 1
      session.flush()
      legacy = nil
      #expect(gone == nil)
      session.flush()
    }
  }
}
