import Foundation

/// A directory within the temporary one for one file, removed with this object.
final class ScratchFile {
  let path: String
  private let directory: URL

  init(_ name: String) throws {
    directory = FileManager.default.temporaryDirectory.appending(path: "log-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    path = directory.appending(path: name).path
  }

  /// Bytes of everything in the directory: a database has more files than one, and may remove one while they are counted.
  var byteCount: Int {
    let files = try? FileManager.default.contentsOfDirectory(
      at: directory, includingPropertiesForKeys: [.fileSizeKey])
    return (files ?? []).reduce(0) { sum, file in
      sum + ((try? file.resourceValues(forKeys: [.fileSizeKey]).fileSize) ?? 0)
    }
  }

  deinit {
    do { try FileManager.default.removeItem(at: directory) } catch { print("log-bench: \(error)") }
  }
}
