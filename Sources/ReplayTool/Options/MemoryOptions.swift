import ArgumentParser
import EventLog
import ReplayAnalysis

/// The option of all commands that read logs: how much memory a log may take.
struct MemoryOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Refuse a log that takes more memory than about this, as 2G. (default: 512M)", valueName: "size"),
    transform: MemorySize.read)
  var limitMemory = MemorySize(limits: .standard)

  var limits: ReadLimits { limitMemory.limits }
}

/// A size with a unit, as `512M` or `2G`; units are powers of 1024.
struct MemorySize: FormedArgument {
  static var form: String { "a size from 1M to 1000G, as 512M or 2G" }

  let limits: ReadLimits

  init(limits: ReadLimits) { self.limits = limits }

  init?(argument: String) {
    let shift: Int
    switch argument.last {
    case "M": shift = 20
    case "G": shift = 30
    default: return nil
    }
    guard let count = Int(argument.dropLast()), (1...(1000 << (30 - shift))).contains(count),
      argument.utf8.first.map({ (0x30...0x39).contains($0) }) == true
    else { return nil }
    limits = ReadLimits(memory: count << shift)
  }
}
