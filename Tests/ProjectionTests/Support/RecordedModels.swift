import Projection

/// Every kind of property that a class may have.
@Recorded final class Assorted<Element> {
  var rows: [Int] = []
  let id: Int
  @RecordedIgnored var scratch = 1
  @Redacted var token = ""
  weak var other: Assorted?
  private(set) var element: Element
  var `default` = 1
  var computed: Int { rows.count }
  static var version: Int { 1 }
  #if os(Linux) || os(macOS)
    var system = 1
  #else
    var system = ""
  #endif

  init(id: Int, element: Element) {
    self.id = id
    self.element = element
    rows = [id]
  }
}

/// A class with property observers.
@Recorded final class Observed {
  var seen: [String] = []
  var clamped = 0 {
    didSet {
      if clamped > 10 {
        clamped = 10
        return
      }
      seen.append("clamped \(clamped)")
    }
  }
  var value = 1 {
    willSet { seen.append("will \(value) to \(newValue)") }
    didSet(previous) { seen.append("did \(previous) to \(value)") }
  }
}

final class NotSendable { var content = 1 }

@MainActor @Recorded class IsolatedBase {
  var first = 1
  let constant = NotSendable()
}

@MainActor @Recorded final class IsolatedDerived: IsolatedBase {
  var second = [2]
}

@MainActor @Recorded final class IsolatedLeaf { var value = 1 }

protocol Named {}

@Recorded class Middle: Named { var middle = 1 }

class Unmarked: Middle { var unmarked = 2 }

@Recorded final class Bottom: Unmarked {
  var bottom = 3
  override init() {
    super.init()
    bottom = 4
  }
}
