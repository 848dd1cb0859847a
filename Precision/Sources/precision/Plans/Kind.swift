/// A fault that a plan can have; one of each is planted as often as any other.
enum Fault: String, CaseIterable, Codable {
  case wideRead = "wide-read"
  case timerTick = "timer-tick"
  case wholeCollectionRow = "whole-collection-row"
  case collectionTop = "collection-top"
  case sharedSelection = "shared-selection"
  case headerCount = "header-count"
  case unshownRead = "unshown-read"
  case followedWhole = "followed-whole"
  case unrecordedRead = "unrecorded-read"
  case opaqueSets = "opaque-sets"
  case burst
  case wholesaleReplacement = "wholesale-replacement"
  case unreadWrites = "unread-writes"
  case callbackChain = "callback-chain"
  case callbackChainLast = "callback-chain-last"
  case callbackLoop = "callback-loop"
  case timedLoop = "timed-loop"
  case callbacksMadeAgain = "callbacks-made-again"
  case rivalCallbacks = "rival-callbacks"
  case staleAnswer = "stale-answer"
  case freshIdentity = "fresh-identity"
  case placeIdentity = "place-identity"
  case changedInput = "changed-input"
  case dearComparison = "dear-comparison"
  case slowBody = "slow-body"
  case uuidIdentity = "uuid-identity"
  case contentIdentity = "content-identity"
  case callbacksOfEach = "callbacks-of-each"
  case handlersPiledUp = "handlers-piled-up"
  case callbackInBody = "callback-in-body"
  case hiddenChange = "hidden-change"
  case equalSets = "equal-sets"
  case orphanRead = "orphan-read"
  case leftOutOfDate = "left-out-of-date"
  case everyFrameRuns = "every-frame-runs"
  case writeInBody = "write-in-body"
  case plainComparison = "plain-comparison"
  case closureInput = "closure-input"
  case growingBody = "growing-body"
  case flood
  case voidReader = "void-reader"

  /// Whether it is one where changes are collected until the next frame, too. There several writes run a view once.
  var isFaultInFrames: Bool {
    switch self {
    case .burst, .callbackChain, .callbackChainLast, .callbackLoop, .rivalCallbacks, .followedWhole,
      .callbacksOfEach, .handlersPiledUp, .callbackInBody, .writeInBody:
      false
    default: true
    }
  }

  /// What the host does wrong, if it is the host's fault.
  var habit: FrameScreen.Habit? {
    switch self {
    case .leftOutOfDate: .comparesInputsOnly
    case .everyFrameRuns: .drawsAll
    default: nil
    }
  }

  /// What its mend saves. A wrong or a hidden value costs neither runs nor time.
  enum Price { case runs, time, nothing }

  var price: Price {
    switch self {
    case .staleAnswer, .unreadWrites, .unrecordedRead, .hiddenChange, .equalSets, .orphanRead, .leftOutOfDate,
      .writeInBody:
      .nothing
    case .dearComparison, .plainComparison, .slowBody, .growingBody: .time
    default: .runs
    }
  }
}

/// A part of an app that is as it should be, though some of them look suspicious.
enum Healthy: String, CaseIterable, Codable {
  case cheapDrag = "cheap-drag"
  case animation
  case filteringList = "filtering-list"
  case rowPerItem = "row-per-item"
  case batchLoad = "batch-load"
  case scrolling
  case validatedForm = "validated-form"
  case wallClock = "wall-clock"
  case latestSearch = "latest-search"
  case cancelledCallbacks = "cancelled-callbacks"
  case clampedValue = "clamped-value"
  case mergedRefetch = "merged-refetch"
  case sortedRows = "sorted-rows"
  case undo
  case endlessFeed = "endless-feed"
  case cancelledSearch = "cancelled-search"
  case ownActor = "own-actor"
  case followedPlayer = "followed-player"
  case streamedText = "streamed-text"
  case tabs
  case theme
  case minutes
  case newContent = "new-content"
  case signUp = "sign-up"
  case draggedItem = "dragged-item"
  case chosenRow = "chosen-row"
  case coordinates
}

/// How the writes of a part are made.
enum Form: String, CaseIterable, Codable {
  case bare, transaction, action, callback, task
}

/// The model that a part is written with: each has names of its own for its properties.
enum Domain: String, CaseIterable, Codable {
  case list, form, feed, player, board
}

/// Who runs the bodies, and when.
enum Hosting: String, Codable {
  /// The session, after each change.
  case session
  /// A host that draws once a frame.
  case frames
  /// The session, once a frame.
  case manual
}
