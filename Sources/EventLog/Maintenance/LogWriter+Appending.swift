import SystemPackage

extension LogWriter {
  /// Opens an existing log to append to it. Its contents stay as they are; a new segment begins after them,
  /// and seqs continue.
  ///
  /// Throws `locked` if another writer has the log open, `torn` or `damaged` if it is not whole (see
  /// ``LogOptions/recoversTornLog``), and `io` if it cannot be read or written. Cost: linear in the log.
  public convenience init(appendingTo path: String, options: LogOptions = LogOptions()) throws(LogError) {
    try self.init(appendingTo: path, in: SystemFileSystem(), options: options)
  }

  package convenience init(
    appendingTo path: String, in fileSystem: any LogFileSystem, options: LogOptions
  ) throws(LogError) {
    var job = try RecoveryJob(path, limits: nil, in: fileSystem)
    if options.recoversTornLog, !job.survey.isDamaged, !job.survey.prefix.blocks.isEmpty {
      if try job.cut().outcome != .whole {
        try? job.locked?.close()
        job = try RecoveryJob(path, limits: nil, in: fileSystem)
      }
    }
    let survey = job.survey
    guard let salt = survey.salt, let part = job.set.parts.last, survey.end == survey.fileSize else {
      let isTorn = !survey.isDamaged
      throw LogError(
        isTorn ? .torn : .damaged, path: path, byteOffset: survey.end,
        message:
          "\(survey.reason ?? "the file is empty"): nothing can be appended to this log as it is; `replay recover` it"
      )
    }
    guard survey.nextSeq < .max / 2 else {
      throw LogError(
        .tooLarge, path: path,
        message: "the next event would be \(survey.nextSeq), and few numbers are left; record to a new log")
    }
    guard let file = job.locked else {
      throw LogError(.io, path: path, message: "the log cannot be written; allow it, or record to a new file")
    }
    // From here on the existing contents are reported as durable.
    do { try file.sync() } catch {
      throw LogError(.io, path: path, errno: error.rawValue, message: "cannot sync the log: \(error)")
    }
    var output = LogOutput(file, path: path, offset: part.size)
    output.rotation = SegmentRotation(options, in: fileSystem, number: part.number)
    let fold = try Self.fold(job)
    var sealer = try Sealer(
      output: output, options: options, nextSeq: survey.nextSeq, chain: survey.prefix.chainAfter,
      checkpointer: options.checkpoints ? fold.map { Checkpointer(options, after: $0) } : nil)
    sealer.begin(within: fold?.openTransactions ?? 0)
    let header = LogHeader(
      program: options.program, salt: salt, created: wallClockNow(), metadata: options.metadata)
    try sealer.writeHeader(header, firstSeq: survey.nextSeq, time: sealer.lastTime)
    try self.init(sealer, path: path, options: options)
  }

  /// The state at the end of a log; nil if the log does not hold it.
  private static func fold(_ job: RecoveryJob) throws(LogError) -> StateFold? {
    do throws(LogError) {
      return try LogReader(file: job.set, path: job.path.path, limits: nil).fold(at: job.survey.nextSeq - 1)
    } catch {
      if error.code == .io { throw error }
      return nil
    }
  }
}
