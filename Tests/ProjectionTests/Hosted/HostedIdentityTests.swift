import Projection
import Testing

/// A hosted projection that stands for two views is reported; one view that runs twice is not.
@Suite struct HostedIdentityTests {
  @Recorded final class Page {
    var title = ""
    var text = ""
  }

  private let session = Session()
  private let page = Page()

  init() { session.attach(page, as: "page") }

  private var messages: [String] { session.diagnostics.map(\.message) }

  @Test func twoViewsOfOneIdentityAreReportedOnce() {
    let views = (0..<2).map { session.hosted("Page", id: $0) }
    for _ in 0..<5 {
      for view in views {
        view.run { page.title }
        view.run { page.text }
      }
      session.endHostTurn()
    }
    #expect(messages.count == 1)
    #expect(
      messages.first?.hasPrefix("Page runs twice in one turn of its host, and reads something else each time")
        == true)
  }

  @Test func theyAreReportedInAHostThatDrawsFramesAndAreTwoIfTheTypeIsPartOfTheIdentity() {
    let both = session.hosted("Page", id: 1)
    let (header, content) = (session.hosted("Header", id: 1), session.hosted("Content", id: 1))
    for _ in 0..<5 {
      session.frame {
        header.run { page.title }
        content.run { page.text }
      }
    }
    #expect(messages.isEmpty)
    for _ in 0..<5 {
      session.frame {
        both.run { page.title }
        both.run { page.text }
      }
    }
    #expect(messages.count == 1)
  }

  @Test func oneFrameMayBeAnAccident() {
    let view = session.hosted("Page")
    view.run { page.title }
    view.run { page.text }
    session.endHostTurn()
    view.run { page.text }
    session.endHostTurn()
    #expect(messages.isEmpty)
  }

  @Test func aViewThatRunsTwiceAndReadsTheSameIsFine() {
    let view = session.hosted("Page")
    for _ in 0..<5 {
      view.run { page.title }
      view.run { page.title }
      session.endHostTurn()
    }
    #expect(messages.isEmpty)
  }

  @Test func aViewThatReadsSomethingElseInEachFrameIsFine() {
    let view = session.hosted("Page")
    for frame in 0..<6 {
      view.run { frame % 2 == 0 ? page.title : page.text }
      session.endHostTurn()
    }
    #expect(messages.isEmpty)
  }

  @Test func aViewThatRunsAgainForAChangeIsFine() {
    let view = session.hosted("Page")
    for frame in 0..<5 {
      view.run { page.title.isEmpty ? page.text : "" }
      view.perform { page.title = frame % 2 == 0 ? "a" : "" }
      view.run { page.title.isEmpty ? page.text : "" }
      session.endHostTurn()
    }
    #expect(messages.isEmpty)
  }

  @Test func aHostThatNeverEndsItsTurnsIsNotJudged() {
    let view = session.hosted("Page")
    for frame in 0..<6 { view.run { frame % 2 == 0 ? page.title : page.text } }
    #expect(messages.isEmpty)
  }
}
