import Projection

// What callbacks and views write wakes them again.

@Recorded private final class Thermo {
  var celsius = 20.0
  var fahrenheit = 68.0
  var kelvin = 293.0
  var turns = 0
}

@Recorded private final class Fit {
  var zoom = 1.0
  var isCut = false
  var text = ""
  var width = 100.0
}

@Recorded private final class Inbox {
  var page = 0
  var total = 0
  var sorted = 0
  var selected = 0
  var drawn = 0
  var opened = 0
}

extension Case {
  static let loops = [
    Case(
      "thermo-steps", "a callback moves the value that woke it, step by step",
      .lint(.selfWake, "onChange(thermo.turns)"),
      bad: { session in
        let thermo = Thermo()
        session.attach(thermo, as: "thermo")
        session.onChange(of: \.turns, in: thermo) { _, new in
          work(20)
          if new % 12 != 0 { thermo.turns += 1 }
        }
        tick(12) { _ in thermo.turns += 1 }
      },
      fixed: { session in
        let thermo = Thermo()
        session.attach(thermo, as: "thermo")
        session.onChange(of: \.turns, in: thermo) { _, new in
          work(20)
          if new % 12 != 0 { thermo.turns = (new / 12 + 1) * 12 }
        }
        tick(12) { _ in thermo.turns += 1 }
      },
      healthy: { session in
        let thermo = Thermo()
        session.attach(thermo, as: "thermo")
        session.onChange(of: \.turns, in: thermo) { _, new in
          work(20)
          if new > 100 { thermo.turns = 100 }
        }
        tick(12) { thermo.turns = 95 + $0 }
      }),
    Case(
      "thermo-two", "two callbacks convert into each other, and rounding never settles",
      .lint(.selfWake, "thermo.celsius"),
      bad: { session in
        let thermo = Thermo()
        session.attach(thermo, as: "thermo")
        session.onChange(of: \.celsius, in: thermo) { _, new in
          thermo.fahrenheit = (new * 1.8 + 32).rounded(.up)
        }
        session.onChange(of: \.fahrenheit, in: thermo) { _, new in
          thermo.celsius = ((new - 32) / 1.8 * 10).rounded(.up) / 10
        }
        tick(5) { thermo.celsius = 20.3 + Double($0) }
      },
      fixed: { session in
        let thermo = Thermo()
        session.attach(thermo, as: "thermo")
        session.onChange(of: \.celsius, in: thermo) { _, new in
          thermo.fahrenheit = (new * 1.8 + 32).rounded(.up)
        }
        tick(5) { thermo.celsius = 20.3 + Double($0) }
      },
      healthy: { session in
        let thermo = Thermo()
        session.attach(thermo, as: "thermo")
        session.onChange(of: \.celsius, in: thermo) { _, new in thermo.fahrenheit = new * 2 + 30 }
        session.onChange(of: \.fahrenheit, in: thermo) { _, new in thermo.celsius = (new - 30) / 2 }
        tick(5) { thermo.celsius = 20.5 + Double($0) }
      }),
    Case(
      "thermo-three", "three callbacks in a ring", .lint(.selfWake, "thermo.celsius"),
      bad: { session in
        let thermo = Thermo()
        session.attach(thermo, as: "thermo")
        session.projection("Display") { "\(thermo.celsius) \(thermo.fahrenheit) \(thermo.kelvin)" }
        session.onChange(of: \.celsius, in: thermo) { _, new in thermo.fahrenheit = new * 1.8 + 32 }
        session.onChange(of: \.fahrenheit, in: thermo) { _, new in
          thermo.kelvin = ((new - 32) / 1.8 + 273).rounded(.up)
        }
        session.onChange(of: \.kelvin, in: thermo) { _, new in thermo.celsius = new - 272.9 }
        tick(4) { thermo.celsius = 20 + Double($0) }
      },
      fixed: { session in
        let thermo = Thermo()
        session.attach(thermo, as: "thermo")
        let fahrenheit = session.derived("fahrenheit") { thermo.celsius * 1.8 + 32 }
        let kelvin = session.derived("kelvin") { thermo.celsius + 273 }
        session.projection("Display") { "\(thermo.celsius) \(fahrenheit.value) \(kelvin.value)" }
        tick(4) { thermo.celsius = 20 + Double($0) }
      },
      healthy: { session in
        let thermo = Thermo()
        session.attach(thermo, as: "thermo")
        session.projection("Display") { "\(thermo.kelvin)" }
        session.onChange(of: \.celsius, in: thermo) { _, new in thermo.fahrenheit = new * 1.8 + 32 }
        session.onChange(of: \.fahrenheit, in: thermo) { _, new in thermo.kelvin = new + 255 }
        tick(4) { thermo.celsius = 20 + Double($0) }
      }),
    Case(
      "fit-zoom", "whether it is cut decides the zoom, and the zoom decides whether it is cut",
      .lint(.selfWake, "fit.zoom"),
      bad: { session in
        let fit = Fit()
        session.attach(fit, as: "fit")
        session.projection("Canvas") { "\(fit.zoom) \(fit.isCut)" }
        session.onChange(of: \.zoom, in: fit) { _, new in fit.isCut = new * fit.width > 150 }
        session.onChange(of: \.isCut, in: fit) { _, isCut in fit.zoom = isCut ? 0.5 : 2 }
        tick(4) { fit.zoom = 1.6 + Double($0) / 10 }
      },
      fixed: { session in
        let fit = Fit()
        session.attach(fit, as: "fit")
        session.projection("Canvas") { "\(fit.zoom) \(fit.isCut)" }
        session.onChange(of: \.zoom, in: fit) { _, new in fit.isCut = new * fit.width > 150 }
        tick(4) { fit.zoom = 1.6 + Double($0) / 10 }
      },
      healthy: { session in
        let fit = Fit()
        session.attach(fit, as: "fit")
        session.projection("Canvas") { "\(fit.zoom)" }
        session.onChange(of: \.width, in: fit) { _, new in fit.zoom = 100 / new }
        tick(4) { fit.width = 100 + Double($0) }
      }),
    Case(
      "fit-trim", "one callback trims a text, another fills it up again",
      .lint(.selfWake, "onChange(fit.text)"),
      bad: { session in
        let fit = Fit()
        session.attach(fit, as: "fit")
        session.onChange(of: \.text, in: fit) { _, new in
          fit.text = new.hasSuffix(" ") ? String(new.dropLast()) : new + " "
        }
        tick(4) { fit.text = "word \($0)" }
      },
      fixed: { session in
        let fit = Fit()
        session.attach(fit, as: "fit")
        session.onChange(of: \.text, in: fit) { _, new in
          if new.hasSuffix(" ") { fit.text = String(new.dropLast()) }
        }
        tick(4) { fit.text = "word \($0)" }
      },
      healthy: { session in
        let fit = Fit()
        session.attach(fit, as: "fit")
        session.onChange(of: \.text, in: fit) { _, new in fit.width = Double(new.count) }
        tick(4) { fit.text = "word \($0)" }
      }),
    Case(
      "inbox-pages", "the page asks for a total, and the total moves the page",
      .lint(.selfWake, "inbox.page"),
      bad: { session in
        let inbox = Inbox()
        session.attach(inbox, as: "inbox")
        session.onChange(of: \.page, in: inbox) { _, page in inbox.total = 100 - page }
        session.onChange(of: \.total, in: inbox) { _, total in inbox.page = total % 60 + 7 }
        tick(4) { inbox.page = 50 + $0 }
      },
      fixed: { session in
        let inbox = Inbox()
        session.attach(inbox, as: "inbox")
        session.onChange(of: \.page, in: inbox) { _, page in inbox.total = 100 - page }
        tick(4) { inbox.page = 50 + $0 }
      },
      healthy: { session in
        let inbox = Inbox()
        session.attach(inbox, as: "inbox")
        session.onChange(of: \.page, in: inbox) { _, page in inbox.total = 100 - page }
        session.onChange(of: \.total, in: inbox) { _, total in if inbox.page > total { inbox.page = total } }
        tick(4) { inbox.page = 60 + 3 * $0 }
      }),
    Case(
      "inbox-drawn", "a view counts how often it was drawn, in its body", .lint(.writeInBody, "InboxView"),
      bad: { session in
        let inbox = Inbox()
        session.attach(inbox, as: "inbox")
        session.projection("InboxView") { () -> Int in
          work(50)
          untracked { inbox.drawn += 1 }
          return inbox.selected
        }
        tick(30) { inbox.selected = $0 + 1 }
      },
      fixed: { session in
        let inbox = Inbox()
        session.attach(inbox, as: "inbox")
        session.projection("InboxView") { () -> Int in
          work(50)
          return inbox.selected
        }
        tick(30) { inbox.selected = $0 + 1 }
      },
      healthy: { session in
        let inbox = Inbox()
        session.attach(inbox, as: "inbox")
        session.projection("InboxView") { () -> Int in
          work(50)
          return inbox.selected
        }
        session.onChange(of: \.selected, in: inbox) { _, _ in inbox.opened += 1 }
        tick(30) { inbox.selected = $0 + 1 }
      }),
    Case(
      "inbox-sort", "sorting selects, and selecting sorts", .lint(.selfWake, "inbox.sorted"),
      bad: { session in
        let inbox = Inbox()
        session.attach(inbox, as: "inbox")
        session.projection("InboxView") { () -> Int in
          work(10)
          return inbox.sorted + inbox.selected
        }
        session.onChange(of: \.sorted, in: inbox) { _, new in inbox.selected = new + 1 }
        session.onChange(of: \.selected, in: inbox) { _, new in inbox.sorted = new }
        tick(3) { inbox.sorted = 1000 * ($0 + 1) }
      },
      fixed: { session in
        let inbox = Inbox()
        session.attach(inbox, as: "inbox")
        let selected = session.derived("selected") { inbox.sorted + 1 }
        session.projection("InboxView") { () -> Int in
          work(10)
          return inbox.sorted + selected.value
        }
        tick(3) { inbox.sorted = 1000 * ($0 + 1) }
      },
      healthy: { session in
        let inbox = Inbox()
        session.attach(inbox, as: "inbox")
        session.projection("InboxView") { () -> Int in
          work(10)
          return inbox.selected
        }
        session.onChange(of: \.sorted, in: inbox) { _, new in inbox.selected = new + 1 }
        tick(3) { inbox.sorted = 1000 * ($0 + 1) }
      }),
  ]
}
