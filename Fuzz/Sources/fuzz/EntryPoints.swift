import Foundation

// The C functions by which libFuzzer calls the targets. libFuzzer ignores arguments that begin with `--`; they are
// this program's.

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<Int32>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ callback: @convention(c) (UnsafePointer<UInt8>?, Int) -> Int32
) -> Int32

/// The target of this process, chosen once by `--target=NAME`.
nonisolated(unsafe) private var target: any FuzzTarget.Type = ReaderTarget.self

/// The beginning of the program. With `--seeds=DIRECTORY SAMPLE...` it writes the seed corpus and ends.
@_cdecl("fuzz_main")
func fuzzMain(_ count: Int32, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32 {
  let words = (1..<Int(count)).compactMap { arguments[$0].map { String(cString: $0) } }
  if let directory = words.compactMap({ $0.value(of: "--seeds=") }).first {
    writeSeeds(to: directory, from: words.filter { !$0.hasPrefix("-") })
  }
  if let name = words.compactMap({ $0.value(of: "--target=") }).last {
    guard let known = allTargets.first(where: { $0.name == name }) else {
      fatalError("no target \(name): there are \(allTargets.map { $0.name })")
    }
    target = known
  }
  var (count, arguments) = (count, arguments)
  return runDriver(&count, &arguments) { bytes, size in
    target.run([UInt8](UnsafeBufferPointer(start: bytes, count: size)))
    return 0
  }
}

private func writeSeeds(to directory: String, from samples: [String]) -> Never {
  do {
    try Seeds(directory: directory).write(from: samples)
    exit(0)
  } catch {
    print("no seeds: \(error)")
    exit(1)
  }
}

/// Changes an input in place and returns its new size.
@_cdecl("LLVMFuzzerCustomMutator")
func mutate(_ bytes: UnsafeMutablePointer<UInt8>, _ count: Int, _ limit: Int, _ seed: UInt32) -> Int {
  let input = [UInt8](UnsafeBufferPointer(start: bytes, count: count))
  let changed = target.mutate(input, limit: limit, seed: seed)
  let result = min(changed.count, limit)
  for index in 0..<result { bytes[index] = changed[index] }
  return result
}

/// Combines two inputs into one, and returns its size.
@_cdecl("LLVMFuzzerCustomCrossOver")
func cross(
  _ first: UnsafePointer<UInt8>, _ firstCount: Int, _ second: UnsafePointer<UInt8>, _ secondCount: Int,
  _ output: UnsafeMutablePointer<UInt8>, _ limit: Int, _ seed: UInt32
) -> Int {
  let one = Recipe([UInt8](UnsafeBufferPointer(start: first, count: firstCount)))
  let other = Recipe([UInt8](UnsafeBufferPointer(start: second, count: secondCount)))
  guard let one, let other else { return 0 }
  let crossed = one.crossed(with: other, seed: seed).bytes
  guard crossed.count <= limit else { return 0 }
  for index in crossed.indices { output[index] = crossed[index] }
  return crossed.count
}

extension String {
  fileprivate func value(of option: String) -> String? {
    hasPrefix(option) ? String(dropFirst(option.count)) : nil
  }
}
