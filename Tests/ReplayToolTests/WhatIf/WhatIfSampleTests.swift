import Foundation
import LogGenerator
import Projection
import Testing

@testable import ReplayAnalysis
@testable import ReplayTool
@testable import SampleApps

/// Each prediction is compared with a run of the program that it predicts.
@Suite struct WhatIfSampleTests {
  @Test(arguments: sampleNames)
  func underTheRulesOfTheRecordingNothingChanges(name: String) throws {
    let log = try LogSource(path: sample(name))
    for line in try WhatIf(log, WhatIfRules([]), counting: 0..<(.max)).lines {
      #expect(line.before?.evaluations == line.after.evaluations, "\(line.name)")
      #expect(line.before?.time == line.after.time, "\(line.name)")
    }
  }

  @Test func isolatingTheHotReadOfChatWidePredictsChatIsolated() throws {
    let rule = "ChatView:chat.tts.audioLevel"
    let predicted = try Predicted(sample("chat-wide"), "--isolate", rule)
    var real = try evaluations(ofSample: "chat-isolated")
    real[rule] = real.removeValue(forKey: "ChatHeader")
    #expect(predicted.after == real)
    #expect(predicted.unknown.isEmpty)
  }

  @Test func listObjectByPropertyPredictsListProperty() throws {
    let predicted = try Predicted(sample("list-object"), "--tracking", "property")
    #expect(try predicted.after == evaluations(ofSample: "list-property"))
    // By object, every row is invalidated with the list: nothing shows that the rows have inputs.
    #expect(predicted.unknown == ["Row": 2_997])
    let told = try Predicted(sample("list-object"), "--tracking", "property", "--input", "Row")
    #expect(told.after == predicted.after)
    #expect(told.unknown.isEmpty)
  }

  @Test func listPropertyByObjectPredictsListObject() throws {
    let predicted = try Predicted(sample("list-property"), "--tracking", "object")
    #expect(try predicted.after == evaluations(ofSample: "list-object"))
    #expect(predicted.unknown.isEmpty)
  }

  @Test func handingTheTrapsRowsTheirValuesPredictsListProperty() throws {
    let predicted = try Predicted(sample("list-trap"), "--input", "Row:store.rows")
    #expect(try predicted.after == evaluations(ofSample: "list-property"))
    #expect(predicted.unknown.isEmpty)
    #expect(predicted.limits.contains { $0.hasPrefix("2,997 runs drew the same as before") })
  }

  @Test func listElementByPropertyPredictsTheTrap() throws {
    let predicted = try Predicted(sample("list-element"), "--tracking", "property")
    #expect(try predicted.after == evaluations(ofSample: "list-trap"))
    #expect(predicted.unknown.isEmpty)
  }

  @Test func aParentThatWouldRunForItsRowsRunsThoseThatDiffer() throws {
    // Each row of list-element reads its own element; here the list reads all of them, as in list-property.
    let predicted = try Predicted(sample("list-element"), "--input", "Row:store.rows[*]")
    #expect(try predicted.after == evaluations(ofSample: "list-property"))
  }

  @Test func theTrapByElementSaysThatItDoesNotKnowTheElements() throws {
    let predicted = try Predicted(sample("list-trap"), "--tracking", "element")
    #expect(predicted.after == predicted.before)
    #expect(
      predicted.limits.contains {
        $0.hasPrefix("Row reads store.rows as a whole") && $0.contains("--input 'Row:store.rows'")
      })
  }

  @Test func aReaderThatNoEventCreatedIsNamedLikeAnyOther() throws {
    let workspace = try Workspace()
    let log = try workspace.log(
      #"""
      {"kind":"set","path":"store","value":{"$object":"Store","item":{"title":"a"}}}
      {"kind":"reads","projection":"Row#1","paths":["store.item"]}
      {"kind":"set","path":"store.item.title","value":"b"}

      """#)
    let predicted = try Predicted(log, "--tracking", "element")
    #expect(predicted.limits.contains { $0.hasPrefix("Row reads store.item as a whole") })
  }

  @Test func throttlingThePlaybackPredictsARunThatThrottlesIt() throws {
    let workspace = try Workspace()
    let real = try RecordedProgram(in: workspace, "throttled") { session in
      var app = EpisodesStruct(in: session)
      app.interval = .milliseconds(250)
      for step in app.steps { step.perform(Ticker(pace: .none)) }
    }
    let predicted = try Predicted(
      sample("episodes-struct"), "--throttle", "app.episodes[*].playbackPosition=250ms")
    #expect(predicted.after == real.evaluations)
    #expect(predicted.after["EpisodeList"] == 1 + 1 + 8)
    #expect(predicted.limits.contains { $0.hasPrefix("112 sets would be left out") })
  }

  @Test func inputsForEpisodesPredictWhatARefreshReallyTouches() throws {
    let predicted = try Predicted(
      sample("episodes-struct"), "--input", "EpisodeRow", "--input", "PlaybackProgress",
      "--throttle", "app.episodes[*].playbackPosition=10s")
    // 100 at first, 2 corrected titles and 1 new episode, and the one remaining set of the playback.
    #expect(predicted.after == ["EpisodeList": 3, "EpisodeRow": 103, "PlaybackProgress": 101])
  }

  @Test func onlyWhatRanInAPartOfTheRunIsCounted() throws {
    let predicted = try Predicted(
      sample("chat-wide"), "--isolate", "ChatView:chat.tts.audioLevel", "--from", "mark:nami speaks")
    #expect(predicted.before == ["ChatView": 300, "MessageRow": 15_000, "MarkdownText": 15_000])
    #expect(predicted.after.filter { $0.value > 0 } == ["ChatView:chat.tts.audioLevel": 300])
  }

  @Test(arguments: [
    (
      ["--isolate", "ChatHeadre:chat.tts.audioLevel"],
      "there is no projection ChatHeadre; did you mean ChatHeader?"
    ),
    (
      ["--isolate", "ChatHeader:chat.tts.audiLevel"],
      "ChatHeader never reads chat.tts.audiLevel; did you mean"
    ),
    (["--throttle", "chat.tts.audiLevel=1s"], "no event writes chat.tts.audiLevel; did you mean"),
    (["--tracking", "Row:element"], "there is no projection Row"),
    (["--input", "Row"], "there is no projection Row"),
    (["--throttle", "chat.tts.audioLevel"], "is invalid for '--throttle"),
    (["--tracking", "elements"], "is invalid for '--tracking"),
    ([], "say what would be different"),
  ])
  func whatNamesNothingIsRefused(options: [String], reason: String) {
    let run = ToolRun(["what-if", sample("chat-isolated")] + options)
    #expect(run.status == .refused)
    #expect(run.errors.contains(reason), "\(run.errors)")
  }

  @Test func splittingTheCatalogPredictsThatProductsStayAsTheyAre() throws {
    let predicted = try Predicted(
      sample("catalog-single"), "--isolate", "CatalogView:catalog.isLoading",
      "--isolate", "CatalogView:catalog.searchQuery", "--input", "ProductRow")
    let real = try evaluations(ofSample: "catalog-split")
    #expect(predicted.after["ProductRow"] == real["ProductRow"])
    #expect(predicted.after["ProductList"] == real["ProductList"])
    // A parent that runs also runs the new children: once, for the price.
    #expect(predicted.after["CatalogView:catalog.isLoading"] == real["LoadingIndicator"]! + 1)
    #expect(predicted.after["CatalogView:catalog.searchQuery"] == real["CatalogSearchBar"]! + 1)
  }

  @Test func readingWhereAnEntityIsInAChildPredictsGameSplit() throws {
    let coordinates = ["EntityView:game.entities[*].x", "EntityView:game.entities[*].y"]
    let predicted = try Predicted(
      sample("game-mixed"), ["--isolate", coordinates[0], "--isolate", coordinates[1]])
    var real = try evaluations(ofSample: "game-split")
    // The sample has one child for both, so it has 50 first runs fewer.
    let position = try #require(real["Position"])
    real["Position"] = nil
    #expect(coordinates.reduce(0) { $0 + (predicted.after[$1] ?? 0) } == position + 50)
    #expect(predicted.after.filter { !coordinates.contains($0.key) } == real)
    #expect(predicted.unknown.isEmpty)
  }

  @Test func handingTheRowsTheirMessagesPredictsStreamInput() throws {
    let predicted = try Predicted(sample("stream-wide"), "--input", "MarkdownRow")
    #expect(try predicted.after == evaluations(ofSample: "stream-input"))
    #expect(predicted.unknown.isEmpty)
  }
}
