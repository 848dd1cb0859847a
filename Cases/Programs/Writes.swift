import Projection

// What is written too often, in pieces, or without a difference.

private struct Filter { var words = ["red"] }
private struct ComparedFilter: Equatable { var words = ["red"] }

private enum Page { case list, detail(Filter) }
private enum ComparedPage: Equatable { case list, detail(ComparedFilter) }

@Recorded private final class Browser {
  var page: Page = .detail(Filter())
  var filter = Filter()
}

@Recorded private final class ComparedBrowser {
  var page: ComparedPage = .detail(ComparedFilter())
  var filter = ComparedFilter()
}

@Recorded private final class Download {
  var received = 0
  var share = 0.0
  var label = ""
  var rate = 0.0
}

@Recorded private final class Prices {
  var rows = RecordedArray((0..<50).map { Price(id: $0) })
  var at = 0
}

private struct Price: Identifiable, Equatable {
  let id: Int
  var bid = 10
  var ask = 11
}

@Recorded private final class Dial {
  var angle = 0
  var text = ""
  var isLit = false
}

@Recorded private final class Contact {
  var first = "A"
  var last = "B"
  var full = "A B"
  var isMarried = false
}

@Recorded private final class Channel {
  var station = 0
  var heard = 0
}

@Recorded private final class News {
  var stories = RecordedArray((0..<30).map { Story(id: $0, title: "story \($0)") })
}

private struct Story: Identifiable, Equatable {
  let id: Int
  var title: String
}

extension Case {
  static let writes = [
    Case(
      "page-enum", "an enum that is not Equatable is set to what it is", .lint(.notEquatable, "browser.page"),
      bad: { session in
        let browser = Browser()
        session.attach(browser, as: "browser")
        session.projection("Window") { () -> String in
          work(80)
          if case .detail(let filter) = browser.page { return filter.words.joined() }
          return "list"
        }
        tick(40) { _ in
          let page = browser.page
          browser.page = page
        }
      },
      fixed: { session in
        let browser = ComparedBrowser()
        session.attach(browser, as: "browser")
        session.projection("Window") { () -> String in
          work(80)
          if case .detail(let filter) = browser.page { return filter.words.joined() }
          return "list"
        }
        tick(40) { _ in
          let page = browser.page
          browser.page = page
        }
      },
      healthy: { session in
        let browser = Browser()
        session.attach(browser, as: "browser")
        session.projection("Window") { () -> String in
          work(80)
          if case .detail(let filter) = browser.page { return filter.words.joined() }
          return "list"
        }
        tick(40) { browser.page = .detail(Filter(words: ["red", "\($0)"])) }
      }),
    Case(
      "filter-struct", "a struct that is not Equatable is read and written back at each step",
      .lint(.notEquatable, "browser.filter"),
      bad: { session in
        let browser = Browser()
        session.attach(browser, as: "browser")
        session.projection("Results") { () -> Int in
          work(80)
          return browser.filter.words.count
        }
        tick(40) { _ in browser.filter = Filter(words: browser.filter.words) }
      },
      fixed: { session in
        let browser = ComparedBrowser()
        session.attach(browser, as: "browser")
        session.projection("Results") { () -> Int in
          work(80)
          return browser.filter.words.count
        }
        tick(40) { _ in browser.filter = ComparedFilter(words: browser.filter.words) }
      },
      healthy: { session in
        let browser = Browser()
        session.attach(browser, as: "browser")
        session.projection("Results") { () -> Int in
          work(80)
          return browser.filter.words.count
        }
        tick(40) { step in browser.filter = Filter(words: (0...step).map { "\($0)" }) }
      }),
    Case(
      "download-fields", "four fields of one state of a download are set one after another",
      .lint(.burst, "DownloadRow"),
      bad: { session in
        let download = Download()
        session.attach(download, as: "download")
        session.projection("DownloadRow") { () -> String in
          work(100)
          return "\(download.received) \(download.share) \(download.label) \(download.rate)"
        }
        tick(30, each: 20) { step in
          download.received = 1000 * step
          download.share = Double(step) / 30
          download.label = "\(step) of 30"
          download.rate = Double(step * 7 % 5)
        }
      },
      fixed: { session in
        let download = Download()
        session.attach(download, as: "download")
        session.projection("DownloadRow") { () -> String in
          work(100)
          return "\(download.received) \(download.share) \(download.label) \(download.rate)"
        }
        tick(30, each: 20) { step in
          session.transaction("progress") {
            download.received = 1000 * step
            download.share = Double(step) / 30
            download.label = "\(step) of 30"
            download.rate = Double(step * 7 % 5)
          }
        }
      },
      healthy: { session in
        let download = Download()
        session.attach(download, as: "download")
        session.projection("DownloadRow") { () -> String in
          work(100)
          return "\(download.received) \(download.share)"
        }
        tick(30, each: 20) { step in
          if step % 2 == 0 { download.received = 1000 * step } else { download.share = Double(step) / 30 }
        }
      }),
    Case(
      "prices-packet", "a packet of a hundred prices wakes a sum for each of them", .lint(.burst, "Sum"),
      bad: { session in
        let prices = Prices()
        session.attach(prices, as: "prices")
        session.projection("Sum") { () -> Int in
          work(30)
          return prices.rows.reduce(prices.at) { $0 + $1.bid + $1.ask }
        }
        tick(6, each: 40) { step in
          prices.at = step
          for row in 0..<50 {
            prices.rows[row].bid += 1 + (row + step) % 3
            prices.rows[row].ask += 1 + (row + step) % 2
          }
        }
      },
      fixed: { session in
        let prices = Prices()
        session.attach(prices, as: "prices")
        session.projection("Sum") { () -> Int in
          work(30)
          return prices.rows.reduce(prices.at) { $0 + $1.bid + $1.ask }
        }
        tick(6, each: 40) { step in
          session.transaction("packet") {
            prices.at = step
            for row in 0..<50 {
              prices.rows[row].bid += 1 + (row + step) % 3
              prices.rows[row].ask += 1 + (row + step) % 2
            }
          }
        }
      },
      healthy: { session in
        let prices = Prices()
        session.attach(prices, as: "prices")
        for row in 0..<50 {
          session.projection("PriceRow#\(row)") { () -> String in
            work(10)
            return "\(prices.rows[row].bid)"
          }
        }
        tick(6, each: 40) { step in
          for row in 0..<50 { prices.rows[row].bid += 1 + (row + step) % 3 }
        }
      }),
    Case(
      "dial-flood", "a dial is set far more often than anyone can see", .lint(.flood, "dial.angle"),
      bad: { session in
        let dial = Dial()
        session.attach(dial, as: "dial")
        session.projection("DialView") { () -> Int in
          work(60)
          return dial.angle
        }
        tick(400, each: 3) { dial.angle = $0 }
      },
      fixed: { session in
        let dial = Dial()
        session.attach(dial, as: "dial")
        session.projection("DialView") { () -> Int in
          work(60)
          return dial.angle
        }
        tick(75, each: 16) { dial.angle = $0 * 5 }
      },
      healthy: { session in
        let dial = Dial()
        session.attach(dial, as: "dial")
        session.projection("DialView") { () -> Int in
          work(60)
          return dial.angle
        }
        tick(30, each: 33) { dial.angle = $0 }
      }),
    Case(
      "dial-equal", "a whole object is followed, and set to what it is", .lint(.sameValue, "dial.isLit"),
      bad: { session in
        let dial = Dial()
        session.attach(dial, as: "dial")
        session.projection("Lamp", tracking: .object) { () -> Bool in
          work(60)
          return dial.isLit
        }
        tick(40) { dial.isLit = $0 >= 39 }
      },
      fixed: { session in
        let dial = Dial()
        session.attach(dial, as: "dial")
        session.projection("Lamp", tracking: .object) { () -> Bool in
          work(60)
          return dial.isLit
        }
        tick(40) { if dial.isLit != ($0 >= 39) { dial.isLit = $0 >= 39 } }
      },
      healthy: { session in
        let dial = Dial()
        session.attach(dial, as: "dial")
        session.projection("Lamp") { () -> Bool in
          work(60)
          return dial.isLit
        }
        tick(40) { dial.isLit = $0 >= 39 }
      }),
    Case(
      "contact-name", "a callback keeps the full name, and the card runs for both",
      .lint(.callbackChain, "Card"),
      bad: { session in
        let contact = Contact()
        session.attach(contact, as: "contact")
        session.projection("Card") { () -> String in
          work(100)
          return "\(contact.first) \(contact.last): \(contact.full)"
        }
        session.onChange(of: \.first, in: contact) { _, _ in contact.full = contact.first + " " + contact.last
        }
        session.onChange(of: \.last, in: contact) { _, _ in contact.full = contact.first + " " + contact.last
        }
        tick(30) { if $0 % 2 == 0 { contact.first += "x" } else { contact.last += "y" } }
      },
      fixed: { session in
        let contact = Contact()
        session.attach(contact, as: "contact")
        let full = session.derived("full") { contact.first + " " + contact.last }
        session.projection("Card") { () -> String in
          work(100)
          return "\(contact.first) \(contact.last): \(full.value)"
        }
        tick(30) { if $0 % 2 == 0 { contact.first += "x" } else { contact.last += "y" } }
      },
      healthy: { session in
        let contact = Contact()
        session.attach(contact, as: "contact")
        session.projection("Card") { () -> String in
          work(100)
          return "\(contact.first) \(contact.last)"
        }
        session.onChange(of: \.first, in: contact) { _, _ in contact.full = contact.first + " " + contact.last
        }
        tick(30) { if $0 % 2 == 0 { contact.first += "x" } else { contact.last += "y" } }
      }),
    Case(
      "channel-listeners", "each visit listens again, and nobody stops",
      .lint(.madeAgain, "onReceive(channel.station)"),
      bad: { session in
        let channel = Channel()
        session.attach(channel, as: "channel")
        tick(10) { visit in
          session.onReceive(of: \.station, in: channel) { _ in work(20) }
          for step in 0..<4 { channel.station = visit * 10 + step }
        }
      },
      fixed: { session in
        let channel = Channel()
        session.attach(channel, as: "channel")
        tick(10) { visit in
          let listening = session.onReceive(of: \.station, in: channel) { _ in work(20) }
          for step in 0..<4 { channel.station = visit * 10 + step }
          listening.cancel()
        }
      },
      healthy: { session in
        let channels = (0..<10).map { _ in Channel() }
        for (number, channel) in channels.enumerated() {
          session.attach(channel, as: "channel\(number)")
          session.onReceive(of: \.station, in: channel) { _ in work(20) }
        }
        tick(40) { channels[$0 % 10].station += 1 }
      }),
    Case(
      "news-refresh", "a list is fetched again, and all of its rows are replaced",
      .lint(.wholesaleChange, "news.stories"),
      bad: { session in
        let news = News()
        session.attach(news, as: "news")
        session.projection("NewsList") { list -> Int in
          for story in news.stories {
            list.child("StoryRow", id: story.title) {
              work(40)
              return story.title
            }
          }
          return news.stories.count
        }
        tick(8) { fetch in
          news.stories = RecordedArray(
            (0..<30).map { Story(id: 100 * (fetch + 1) + $0, title: "story \($0 == fetch ? 100 + $0 : $0)") })
        }
      },
      fixed: { session in
        let news = News()
        session.attach(news, as: "news")
        session.projection("NewsList") { list -> Int in
          for story in news.stories {
            list.child("StoryRow", id: story.title, input: story.title) {
              work(40)
              return story.title
            }
          }
          return news.stories.count
        }
        tick(8) { fetch in
          news.stories = RecordedArray(
            (0..<30).map { Story(id: 100 * (fetch + 1) + $0, title: "story \($0 == fetch ? 100 + $0 : $0)") })
        }
      },
      healthy: { session in
        let news = News()
        session.attach(news, as: "news")
        session.projection("NewsList") { list -> Int in
          for story in news.stories {
            list.child("StoryRow", id: story.id, input: story) {
              work(40)
              return story.title
            }
          }
          return news.stories.count
        }
        tick(8) { fetch in
          news.stories = RecordedArray((0..<30).map { Story(id: $0, title: "story \($0) of \(fetch)") })
        }
      }),
  ]
}
