/// All sample apps, each bad shape before its fix.
public let sampleApps: [any SampleApp.Type] = [
  ChatWide.self, ChatIsolated.self,
]

/// Their names, in the same order.
public let sampleNames = sampleApps.map { $0.name }
