import Testing

/// The expansion of a property with observers.
@Suite struct ObserverExpansion {
  @Test func observersRunAroundTheStore() {
    expect(
      .property,
      #"""
      class Store {
        @RecordedProperty(1) var rows: [Int] = [] {
          willSet { print(newValue) }
          didSet(before) {
            if rows.count > 9 {
              rows = before
              return
            }
            self.rows.sort()
          }
        }
      }
      """#,
      expandsTo: #"""
        class Store {
          var rows: [Int] {
            willSet { print(newValue) }
            didSet(before) {
              if rows.count > 9 {
                rows = before
                return
              }
              self.rows.sort()
            }
            @storageRestrictions(initializes: _rows)
            init(initialValue) {
              _rows = initialValue
            }

            get {
              _$recorded.access(self, keyPath: \.rows, property: 1)
              return _rows
            }

            set(__macro_local_3newfMu_) {
              let __macro_local_4holdfMu_ = _$recorded.hold()
              let __macro_local_6changefMu_ = _$recorded.willSet(self, keyPath: \.rows, property: 1, from: _rows, to: __macro_local_3newfMu_)
              guard _$observers.begin(1, isChange: __macro_local_6changefMu_.isChange) else {
                _rows = __macro_local_3newfMu_
                _$recorded.didSet(self, keyPath: \.rows, property: 1, to: __macro_local_3newfMu_, __macro_local_6changefMu_)
                _$recorded.release(__macro_local_4holdfMu_)
                return
              }
              defer {
                _$observers.end(1)
                _$recorded.release(__macro_local_4holdfMu_)
              }
              let __macro_local_8previousfMu_ = _rows
              _ = { (newValue) -> Void in
                print(newValue)
              }(__macro_local_3newfMu_)
              _rows = __macro_local_3newfMu_
              _$recorded.didSet(self, keyPath: \.rows, property: 1, to: __macro_local_3newfMu_, __macro_local_6changefMu_)
              _ = { (before) -> Void in
                if self.rows.count > 9 {
                    self.rows = before
                    return
                  }
                  self.rows.sort()
              }(__macro_local_8previousfMu_)
            }
          }

          private var _rows: [Int] = []
        }
        """#)
  }

  @Test func anObserverThatNeedsNoOldValueKeepsMutationInPlace() {
    expect(
      .property,
      #"""
      class Store {
        @RecordedProperty(0) var rows = [1] {
          didSet { save() }
        }
      }
      """#,
      expandsTo: #"""
        class Store {
          var rows {
            didSet { save() }
            @storageRestrictions(initializes: _rows)
            init(initialValue) {
              _rows = initialValue
            }

            get {
              _$recorded.access(self, keyPath: \.rows, property: 0)
              return _rows
            }

            set(__macro_local_3newfMu_) {
              let __macro_local_4holdfMu_ = _$recorded.hold()
              let __macro_local_6changefMu_ = _$recorded.willSet(self, keyPath: \.rows, property: 0, from: _rows, to: __macro_local_3newfMu_)
              guard _$observers.begin(0, isChange: __macro_local_6changefMu_.isChange) else {
                _rows = __macro_local_3newfMu_
                _$recorded.didSet(self, keyPath: \.rows, property: 0, to: __macro_local_3newfMu_, __macro_local_6changefMu_)
                _$recorded.release(__macro_local_4holdfMu_)
                return
              }
              defer {
                _$observers.end(0)
                _$recorded.release(__macro_local_4holdfMu_)
              }
              _rows = __macro_local_3newfMu_
              _$recorded.didSet(self, keyPath: \.rows, property: 0, to: __macro_local_3newfMu_, __macro_local_6changefMu_)
              _ = { () -> Void in
                save()
              }()
            }

            _modify {
              let __macro_local_8previousfMu_ = _$observers.ifRunning(0, _rows)
              var __macro_local_6changefMu_ = _$recorded.willModify(self, keyPath: \.rows, property: 0, from: _rows)
              _$recorded.beginEdits(of: &_rows, &__macro_local_6changefMu_)
              defer {
                _$recorded.endEdits(of: &_rows, &__macro_local_6changefMu_)
                let __macro_local_4holdfMu_ = _$recorded.hold()
                _$recorded.didModify(self, keyPath: \.rows, property: 0, to: _rows, __macro_local_6changefMu_)
                if _$observers.begin(0, isChange: _$recorded.isChange(from: __macro_local_8previousfMu_, to: _rows)) {
                  _ = { () -> Void in
                save()
              }()
                  _$observers.end(0)
                }
                _$recorded.release(__macro_local_4holdfMu_)
              }
              yield &_rows
              __macro_local_6changefMu_.isComplete = true
            }
          }

          private var _rows = [1]
        }
        """#)
  }

  @Test(arguments: ["[rows]", "[unowned rows]", "[weak self, rows]", "[rows = rows + [1]]"])
  func anObserverWhoseClosureCapturesThePropertyIsLeftAsItIs(captures: String) {
    let observer = "let show = { \(captures) in print(rows) }"
    expectMembers(
      "class Store { @RecordedProperty(0) var rows = [1] { didSet { \(observer) } } }",
      contain: "{ \(captures) in print(rows) }", of: .property)
  }

  @Test func anObserverThatHidesThePropertyIsLeftAsItIs() {
    expect(
      .property,
      #"""
      class Store {
        @RecordedProperty(0) var rows = [1] {
          didSet {
            let rows = 2
            print(rows, self.rows)
          }
        }
      }
      """#,
      expandsTo: #"""
        class Store {
          var rows {
            didSet {
              let rows = 2
              print(rows, self.rows)
            }
            @storageRestrictions(initializes: _rows)
            init(initialValue) {
              _rows = initialValue
            }

            get {
              _$recorded.access(self, keyPath: \.rows, property: 0)
              return _rows
            }

            set(__macro_local_3newfMu_) {
              let __macro_local_4holdfMu_ = _$recorded.hold()
              let __macro_local_6changefMu_ = _$recorded.willSet(self, keyPath: \.rows, property: 0, from: _rows, to: __macro_local_3newfMu_)
              guard _$observers.begin(0, isChange: __macro_local_6changefMu_.isChange) else {
                _rows = __macro_local_3newfMu_
                _$recorded.didSet(self, keyPath: \.rows, property: 0, to: __macro_local_3newfMu_, __macro_local_6changefMu_)
                _$recorded.release(__macro_local_4holdfMu_)
                return
              }
              defer {
                _$observers.end(0)
                _$recorded.release(__macro_local_4holdfMu_)
              }
              _rows = __macro_local_3newfMu_
              _$recorded.didSet(self, keyPath: \.rows, property: 0, to: __macro_local_3newfMu_, __macro_local_6changefMu_)
              _ = { () -> Void in
                let rows = 2
                  print(rows, self.rows)
              }()
            }

            _modify {
              let __macro_local_8previousfMu_ = _$observers.ifRunning(0, _rows)
              var __macro_local_6changefMu_ = _$recorded.willModify(self, keyPath: \.rows, property: 0, from: _rows)
              _$recorded.beginEdits(of: &_rows, &__macro_local_6changefMu_)
              defer {
                _$recorded.endEdits(of: &_rows, &__macro_local_6changefMu_)
                let __macro_local_4holdfMu_ = _$recorded.hold()
                _$recorded.didModify(self, keyPath: \.rows, property: 0, to: _rows, __macro_local_6changefMu_)
                if _$observers.begin(0, isChange: _$recorded.isChange(from: __macro_local_8previousfMu_, to: _rows)) {
                  _ = { () -> Void in
                let rows = 2
                  print(rows, self.rows)
              }()
                  _$observers.end(0)
                }
                _$recorded.release(__macro_local_4holdfMu_)
              }
              yield &_rows
              __macro_local_6changefMu_.isComplete = true
            }
          }

          private var _rows = [1]
        }
        """#)
  }

  @Test(
    arguments: [
      ("if let sel { print(sel) } else { sel = 3 }", "if let sel { print(sel) } else { self.sel = 3 }"),
      (
        "guard let sel else { sel = 3; return }; print(sel)",
        "guard let sel else { self.sel = 3; return }; print(sel)"
      ),
      ("for sel in [1] { print(sel) }; sel = 2", "for sel in [1] { print(sel) }; self.sel = 2"),
      (
        "while let sel = sel { print(sel) }; sel = 2", "while let sel = self.sel { print(sel) }; self.sel = 2"
      ),
      (
        "if sel == 1 { let sel = sel; print(sel) } else if case let sel? = sel { print(sel) }; sel = 2",
        "if self.sel == 1 { let sel = self.sel; print(sel) } else if case let sel? = self.sel { print(sel) }; self.sel = 2"
      ),
      (
        "switch sel { case let sel?: print(sel); default: sel = 1 }",
        "switch self.sel { case let sel?: print(sel); default: self.sel = 1 }"
      ),
      (
        "do { try f(sel) } catch let sel { print(sel) }; sel = 2",
        "do { try f(self.sel) } catch let sel { print(sel) }; self.sel = 2"
      ),
      (
        "call { (sel: Int) in print(sel) }; call { [sel] in print(sel) }; call { sel = $0 }",
        "call { (sel: Int) in print(sel) }; call { [sel] in print(sel) }; call { self.sel = $0 }"
      ),
      ("func f(sel: Int) { print(sel) }; sel = 2", "func f(sel: Int) { print(sel) }; self.sel = 2"),
    ])
  func aDeclarationInAnObserverHidesThePropertyInItsScopeOnly(_ observer: String, _ expanded: String) {
    expectMembers(
      "class Store { @RecordedProperty(0) var sel: Int? { didSet { \(observer) } } }",
      contain: "() -> Void in\n      \(expanded)\n", of: .property)
  }
}
