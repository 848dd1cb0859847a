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
    }
  }
}
