/// Which function plants which fault, and which makes which healthy part.
extension Stage {
  /// Sets the part up, and says what may truly be said of it.
  func build() -> Truth {
    switch part.role {
    case .fault(let fault): return plant(fault)
    case .healthy(let healthy):
      make(healthy)
      return Truth()
    }
  }

  private func plant(_ fault: Fault) -> Truth {
    switch fault {
    case .wideRead: wideRead()
    case .timerTick: timerTick()
    case .wholeCollectionRow: wholeCollectionRow()
    case .collectionTop: collectionTop()
    case .sharedSelection: sharedSelection()
    case .headerCount: headerCount()
    case .unshownRead: unshownRead()
    case .followedWhole: followedWhole()
    case .unrecordedRead: unrecordedRead()
    case .opaqueSets: opaqueSets()
    case .burst: burst()
    case .wholesaleReplacement: wholesaleReplacement()
    case .unreadWrites: unreadWrites()
    case .callbackChain: callbackChain()
    case .callbackChainLast: callbackChainLast()
    case .callbackLoop: callbackLoop()
    case .timedLoop: timedLoop()
    case .callbacksMadeAgain: callbacksMadeAgain()
    case .rivalCallbacks: rivalCallbacks()
    case .staleAnswer: staleAnswer()
    case .freshIdentity: freshIdentity()
    case .placeIdentity: placeIdentity()
    case .changedInput: changedInput()
    case .dearComparison: dearComparison()
    case .slowBody: slowBody()
    case .uuidIdentity: uuidIdentity()
    case .contentIdentity: contentIdentity()
    case .callbacksOfEach: callbacksOfEach()
    case .handlersPiledUp: handlersPiledUp()
    case .callbackInBody: callbackInBody()
    case .hiddenChange: hiddenChange()
    case .equalSets: equalSets()
    case .orphanRead: orphanRead()
    case .leftOutOfDate: leftOutOfDate()
    case .everyFrameRuns: everyFrameRuns()
    case .writeInBody: writeInBody()
    case .plainComparison: plainComparison()
    case .closureInput: closureInput()
    case .growingBody: growingBody()
    case .flood: flood()
    case .voidReader: voidReader()
    }
  }

  private func make(_ healthy: Healthy) {
    switch healthy {
    case .cheapDrag: cheapDrag()
    case .animation: animation()
    case .filteringList: filteringList()
    case .rowPerItem: rowPerItem()
    case .batchLoad: batchLoad()
    case .scrolling: scrolling()
    case .validatedForm: validatedForm()
    case .wallClock: wallClock()
    case .latestSearch: search(isChecked: true, hasRaces: true)
    case .cancelledCallbacks: cancelledCallbacks()
    case .clampedValue: clampedValue()
    case .mergedRefetch: mergedRefetch()
    case .sortedRows: sortedRows()
    case .undo: undo()
    case .endlessFeed: endlessFeed()
    case .cancelledSearch: cancelledSearch()
    case .ownActor: ownActor()
    case .followedPlayer: followedPlayer()
    case .streamedText: streamedText()
    case .tabs: tabs()
    case .theme: theme()
    case .minutes: minutes()
    case .newContent: newContent()
    case .signUp: signUp()
    case .draggedItem: draggedItem()
    case .chosenRow: chosenRow()
    case .coordinates: coordinates()
    }
  }
}
