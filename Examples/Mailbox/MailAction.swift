/// A kind of event in the app's life.
package enum MailAction: String, CaseIterable, Sendable {
  // Actions of the person.
  case read, flag, label, move, delete, deleteMany, undo
  case sort, shuffle, search, filter, openFolder, scroll
  case compose, type, send
  case openWindow, closeWindow, expandWindow, sign
  // Actions of the clock.
  case sync, minute, deliver

  /// How often the person does it, in relation to the others.
  var weight: Int {
    switch self {
    case .read: 300
    case .flag, .delete, .openFolder: 60
    case .label, .undo, .filter, .search: 50
    case .move: 80
    case .deleteMany, .sort: 20
    case .shuffle, .sign: 5
    case .scroll: 120
    case .compose, .send: 25
    case .type: 150
    case .openWindow, .expandWindow: 35
    case .closeWindow: 30
    case .sync, .minute, .deliver: 0
    }
  }

  private static let sum = allCases.reduce(0) { $0 + $1.weight }

  /// A random action of the person.
  static func any(_ random: inout SplitMix) -> MailAction {
    var dice = random.below(sum)
    return allCases.first { action in
      dice -= action.weight
      return dice < 0
    } ?? .read
  }
}
