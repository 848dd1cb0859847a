import Foundation
import Testing

@testable import EventLog
@testable import Projection

/// For `@Redacted` properties a log shows only that they were set.
@Suite struct RedactionTests {
  @Test func noSecretIsAnywhereInTheDecompressedLog() throws {
    let log = try RedactedLog { session, vault in
      session.projection("View") { _ in
        _ = (vault.token, vault.list[0], vault.list.count, vault.byName["xyzzy-key"], vault.words, vault.pair)
        _ = vault.list[id: "xyzzy-id"]
      }
      let derived = session.derived("copy") { vault.token + "!" }
      let second = session.derived("second") { derived.value + "?" }
      session.projection("Reader") { _ in second.value }
      session.onChange(of: \.token, in: vault) { _, _ in }
      session.onReceive(of: \.hashed, in: vault) { _ in }
      let hashed = session.derived("hashedCopy") { vault.hashed + "!" }
      session.projection("HashReader") { _ in hashed.value }
      vault.token = "xyzzy-1"
      vault.token.append("xyzzy-2")
      session.transaction { vault.token = "xyzzy-3" }
      vault.list[0].text = "xyzzy-4"
      vault.list.append(Secret(id: "xyzzy-id", text: "xyzzy-5"))
      vault.byName["xyzzy-key"] = "xyzzy-6"
      vault.byName["xyzzy-key"] = nil
      vault.words.insert("xyzzy-7", at: 0)
      vault.pair = Pair(name: "xyzzy-8", inner: ["xyzzy-9": ["xyzzy-10"]])
      vault.account = Account(password: "xyzzy-11")
      vault.account?.password = "xyzzy-12"
      vault.hashed = "xyzzy-13"
      vault.hashed.append("xyzzy-14")
      vault.hashedList.append(Secret(id: "xyzzy-15", text: "xyzzy-16"))
      vault.hashedObject = Account(password: "xyzzy-17")
      vault.shown = "shown"
    }
    #expect(log.contains("shown"))
    #expect(!log.contains("xyzzy"))
    #expect(!log.events.contains { "\($0)".contains("xyzzy") })
    #expect(log.differences == [])
  }

  @Test func aLogShowsNeitherLengthsNorWhetherAnythingChanged() throws {
    func record(_ values: [String]) throws -> [String] {
      try RedactedLog(first: values[0]) { session, vault in
        let derived = session.derived("copy") { vault.token }
        session.projection("View") { _ in vault.token }
        session.projection("Reader") { _ in derived.value }
        session.projection("List") { _ in vault.list.map(\.text) }
        session.onChange(of: \.token, in: vault) { _, _ in }
        session.onReceive(of: \.token, in: vault) { _ in }
        for value in values {
          vault.token = value
          vault.token.append(contentsOf: value.dropFirst(1))
          vault.words = Array(repeating: value, count: value.count)
          vault.words.append(contentsOf: value.dropFirst(1).map(String.init))
          vault.list = RecordedArray(value.map { Secret(id: "\($0)", text: value) })
          vault.number = value.count
          vault.account = value.count > 1 ? Account(password: value) : nil
          session.transaction {
            vault.token = value + "!"
            vault.token = value
          }
        }
        vault.list.removeAll { $0.text.count > 2 }
        vault.shown = "end"
        vault.next = Vault()
      }.lines
    }
    let same = try record(["a", "a", "a"])
    #expect(try record(["a", "long enough", "another, longer still"]) == same)
    #expect(same.contains { $0.contains("shown") })
  }

  @Test func whatAReaderOfASecretHandsInDoesNotShowWhetherItChanged() throws {
    let log = try RedactedLog { session, vault in
      session.projection("View") { scope in
        scope.child("Child", input: vault.token.count) { scope in
          scope.child("Inner", input: vault.shown) { _ in vault.number }
        }
        scope.child("Other", input: vault.shown) { _ in vault.number }
      }
      let (host, below) = (session.hosted("Host"), session.hosted("Elsewhere"))
      let shown = session.hosted("Shown", parent: host)
      for token in ["a", "ab", "cd"] {
        vault.token = token
        vault.shown += "!"
        host.run { vault.token.count }
        shown.run(inputChanged: token != "cd") { vault.shown }
        below.run(inputChanged: true) { vault.shown }
      }
    }
    let known = log.events.compactMap { event -> String? in
      if case .evaluate(let name, _, _, _?, _) = event.body { name } else { nil }
    }
    #expect(Set(known) == ["Elsewhere"])
    #expect(known.count == 2)
  }

  @Test func callbacksStillRunForRealChanges() throws {
    let session = Session()
    let vault = Vault()
    session.attach(vault, as: "vault")
    var changes: [String] = []
    var sets: [String] = []
    session.onChange(of: \.token, in: vault) { old, new in changes.append("\(old)>\(new)") }
    session.onReceive(of: \.token, in: vault) { sets.append($0) }
    let journal = Journal()
    journal.watch("token") { _ = vault.token }
    vault.token = ""
    #expect(journal.lines == [])
    vault.token = "a"
    vault.token = "a"
    vault.token.append("b")
    #expect(journal.lines == ["token changes"])
    #expect(changes == [">a", "a>ab"])
    #expect(sets == ["", "a", "a", "ab"])
  }

  @Test func aRedactedCollectionInvalidatesItsReadersAsAWhole() {
    let session = Session()
    let vault = Vault()
    session.attach(vault, as: "vault")
    var seen: [String] = []
    session.projection("View") { _ in seen.append(vault.list.map(\.text).joined(separator: ",")) }
    session.projection("Named") { _ in seen.append(vault.byName["k"] ?? "-") }
    seen = []
    vault.list.append(Secret(id: "i", text: "t"))
    vault.list[0].text = "u"
    vault.byName["k"] = "v"
    #expect(seen == ["t", "u", "v"])
  }

  @Test func anObjectInARedactedPropertyIsNotRecorded() throws {
    let account = Account(password: "xyzzy")
    let log = try RedactedLog { session, vault in
      vault.account = account
      account.password = "xyzzy-2"
    }
    #expect(log.events.count == 2)
    #expect(log.differences == [])
  }

  @Test func aDerivedValueThatReadsASecretNoMoreIsRecordedAgain() throws {
    let plain = try RedactedLog { session, vault in
      let derived = session.derived("either") { vault.isShown ? vault.shown : vault.token }
      session.projection("View") { _ in derived.value }
      vault.shown = "public"
      vault.isShown = true
      vault.shown = "more"
    }
    let published = plain.events.compactMap { event -> String? in
      guard case .set(let path, let value, _) = event.body, "\(path)" == "derived.either" else { return nil }
      return value.json
    }
    #expect(published == [#"{"$redacted":true}"#, #""public""#, #""more""#])
    #expect(plain.differences == [])
  }
}

@Suite struct HashedRedactionTests {
  @Test func equalValuesHaveEqualHashesWithinASession() throws {
    let values = try hashes { vault in
      vault.hashed = "a"
      vault.hashed = "b"
      vault.hashed = "a"
      vault.hashed.append("x")
      vault.otherHashed = "a"
    }
    #expect(values.count == 5)
    #expect(values[0] == values[2] && values[0] == values[4])
    #expect(Set([values[0], values[1], values[3]]).count == 3)
  }

  @Test func hashesOfTwoSessionsHaveNothingInCommon() throws {
    let a = try hashes { $0.hashed = "a" }
    let b = try hashes { $0.hashed = "a" }
    #expect(a.count == 1 && b.count == 1 && a != b)
  }

  @Test func aSetToAnEqualValueIsRecordedAsSuchAndInvalidatesNothing() throws {
    let log = try RedactedLog { session, vault in
      var runs = 0
      session.projection("View") { _ in
        runs += 1
        return vault.hashed
      }
      vault.hashed = "a"
      vault.hashed = "a"
      vault.hashedList.append(Secret(id: "1", text: "t"))
      vault.hashedList[0].text = "t"
      #expect(runs == 2)
    }
    let same = log.events.compactMap { event -> Bool? in
      if case .set(_, .opaque, let isSame) = event.body { isSame } else { nil }
    }
    #expect(same == [false, true, false, true])
    #expect(log.differences == [])
  }

  @Test func theHashIsSipHash() {
    // The vector of the paper: the key 00 01 ... 0f, the bytes 00 01 ... 0e.
    let hash = SipHash(key: (0x0706_0504_0302_0100, 0x0f0e_0d0c_0b0a_0908))
    #expect(hash.hash((0..<15).map(UInt8.init)) == 0xa129_ca61_49be_45e5)
    #expect(hash.hash([]) == 0x726f_db47_dd0e_0e31)
  }

  private func hashes(_ body: (Vault) -> Void) throws -> [Value] {
    try RedactedLog { _, vault in body(vault) }.events.compactMap { event in
      if case .set(_, let value, _) = event.body, case .opaque = value { value } else { nil }
    }
  }
}
