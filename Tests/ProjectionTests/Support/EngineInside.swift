import EventLog
@testable import Invalidation

@testable import Projection

/// The parts of the state behind an engine's lock that tests look at.
extension Engine {
  var coreState: State { withLock { $0.core.state } }
  var graph: SlotGraph { withLock { $0.core.graph } }
  var nodes: NodeRegistry { withLock { $0.nodes } }
  var livingNames: InstanceNames { withLock { $0.nodes.names } }
  var derivedBySlot: [SlotID: Node] { withLock { $0.derivedBySlot } }
  var earlyReaders: EarlyReaders { withLock { $0.earlyReaders } }
  var deepDefinitions: [ObjectDefinition] { withLock { $0.objects.definitions } }
  var diagnostics: [SessionDiagnostic] { withLock { $0.diagnostics.all } }
  var tableEntries: Int { withLock { $0.recorder.tableEntries } }
  var own: ThreadFlush { withLock { $0.own } }
  var departures: Departures {
    get { withLock { $0.objects.departures } }
    set { withLock { $0.objects.departures = newValue } }
  }
}
