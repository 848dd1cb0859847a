/// All sample apps, each bad shape before its fix.
public let sampleApps: [any SampleApp.Type] = [
  ChatWide.self, ChatIsolated.self,
  Scopes.self,
  ListObject.self, ListProperty.self, ListTrap.self, ListElement.self,
  EpisodesStruct.self, EpisodesIdentity.self,
  CatalogSingle.self, CatalogSplit.self,
  GameMixed.self, GameSplit.self,
  StreamWide.self, StreamInput.self,
  FeedStale.self, FeedLatest.self,
  MailMorning.self,
]

/// Their names, in the same order.
public let sampleNames = sampleApps.map { $0.name }
