import Testing

/// What `@RecordedProperty` makes of a stored property, whole.
@Suite struct PropertyExpansion {
  @Test func aPropertyBecomesAccessorsOverAPrivateStore() {
    expect(
      .property,
      #"""
      class Store {
        @RecordedProperty(3) public private(set) var count: Int = 1
      }
      """#,
      expandsTo: #"""
        class Store {
          public private(set) var count: Int {
            @storageRestrictions(initializes: _count)
            init(initialValue) {
              _count = initialValue
            }
            get {
              _$recorded.access(self, keyPath: \.count, property: 3)
              return _count
            }
            set {
              let __macro_local_6changefMu_ = _$recorded.willSet(self, keyPath: \.count, property: 3, from: _count, to: newValue)
              _count = newValue
              _$recorded.didSet(self, keyPath: \.count, property: 3, to: newValue, __macro_local_6changefMu_)
            }
            _modify {
              var __macro_local_6changefMu_ = _$recorded.willModify(self, keyPath: \.count, property: 3, from: _count)
              _$recorded.beginEdits(of: &_count, &__macro_local_6changefMu_)
              defer {
                _$recorded.endEdits(of: &_count, &__macro_local_6changefMu_)
                _$recorded.didModify(self, keyPath: \.count, property: 3, to: _count, __macro_local_6changefMu_)
              }
              yield &_count
              __macro_local_6changefMu_.isComplete = true
            }
          }

          @RecordedIgnored private var _count: Int = 1
        }
        """#)
  }

  @Test func aPropertyOfASubclassIsNumberedFromItsOwnFirst() {
    expect(
      .property,
      #"""
      class Store: Base {
        @RecordedProperty(own: 0) var count = 1
      }
      """#,
      expandsTo: #"""
        class Store: Base {
          var count {
            @storageRestrictions(initializes: _count)
            init(initialValue) {
              _count = initialValue
            }
            get {
              _$recorded.access(self, keyPath: \.count, property: Self._$first + 0)
              return _count
            }
            set {
              let __macro_local_6changefMu_ = _$recorded.willSet(self, keyPath: \.count, property: Self._$first + 0, from: _count, to: newValue)
              _count = newValue
              _$recorded.didSet(self, keyPath: \.count, property: Self._$first + 0, to: newValue, __macro_local_6changefMu_)
            }
            _modify {
              var __macro_local_6changefMu_ = _$recorded.willModify(self, keyPath: \.count, property: Self._$first + 0, from: _count)
              _$recorded.beginEdits(of: &_count, &__macro_local_6changefMu_)
              defer {
                _$recorded.endEdits(of: &_count, &__macro_local_6changefMu_)
                _$recorded.didModify(self, keyPath: \.count, property: Self._$first + 0, to: _count, __macro_local_6changefMu_)
              }
              yield &_count
              __macro_local_6changefMu_.isComplete = true
            }
          }

          @RecordedIgnored private var _count = 1
        }
        """#)
  }

  @Test func weakAndOtherModifiersStayOnTheStore() {
    expect(
      .property,
      #"""
      class Store {
        @RecordedProperty(0) @Redacted final public weak var owner: Owner?
      }
      """#,
      expandsTo: #"""
        class Store {
          @Redacted final public weak var owner: Owner? {
            @storageRestrictions(initializes: _owner)
            init(initialValue) {
              _owner = initialValue
            }
            get {
              _$recorded.access(self, keyPath: \.owner, property: 0)
              return _owner
            }
            set {
              let __macro_local_6changefMu_ = _$recorded.willSet(self, keyPath: \.owner, property: 0, from: _owner, to: newValue)
              _owner = newValue
              _$recorded.didSet(self, keyPath: \.owner, property: 0, to: newValue, __macro_local_6changefMu_)
            }
            _modify {
              var __macro_local_6changefMu_ = _$recorded.willModify(self, keyPath: \.owner, property: 0, from: _owner)
              _$recorded.beginEdits(of: &_owner, &__macro_local_6changefMu_)
              defer {
                _$recorded.endEdits(of: &_owner, &__macro_local_6changefMu_)
                _$recorded.didModify(self, keyPath: \.owner, property: 0, to: _owner, __macro_local_6changefMu_)
              }
              yield &_owner
              __macro_local_6changefMu_.isComplete = true
            }
          }

          @RecordedIgnored private final weak var _owner: Owner?
        }
        """#)
  }

  @Test func aKeywordAsANameIsAccessedWithBackticks() {
    expect(
      .property,
      #"""
      class Store {
        @RecordedProperty(0) var `default` = 1
      }
      """#,
      expandsTo: #"""
        class Store {
          var `default` {
            @storageRestrictions(initializes: _default)
            init(initialValue) {
              _default = initialValue
            }
            get {
              _$recorded.access(self, keyPath: \.`default`, property: 0)
              return _default
            }
            set {
              let __macro_local_6changefMu_ = _$recorded.willSet(self, keyPath: \.`default`, property: 0, from: _default, to: newValue)
              _default = newValue
              _$recorded.didSet(self, keyPath: \.`default`, property: 0, to: newValue, __macro_local_6changefMu_)
            }
            _modify {
              var __macro_local_6changefMu_ = _$recorded.willModify(self, keyPath: \.`default`, property: 0, from: _default)
              _$recorded.beginEdits(of: &_default, &__macro_local_6changefMu_)
              defer {
                _$recorded.endEdits(of: &_default, &__macro_local_6changefMu_)
                _$recorded.didModify(self, keyPath: \.`default`, property: 0, to: _default, __macro_local_6changefMu_)
              }
              yield &_default
              __macro_local_6changefMu_.isComplete = true
            }
          }

          @RecordedIgnored private var _default = 1
        }
        """#)
  }

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

          @RecordedIgnored private var _rows: [Int] = []
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

          @RecordedIgnored private var _rows = [1]
        }
        """#)
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

          @RecordedIgnored private var _rows = [1]
        }
        """#)
  }

  @Test func aComparedPropertyHandsItsComparisonToTheSetter() {
    expect(
      .property,
      #"""
      class Store {
        @RecordedProperty(0) @Compared(by: \Shape.id) var shape = Shape()
      }
      """#,
      expandsTo: #"""
        class Store {
          @Compared(by: \Shape.id) var shape {
            @storageRestrictions(initializes: _shape)
            init(initialValue) {
              _shape = initialValue
            }
            get {
              _$recorded.access(self, keyPath: \.shape, property: 0)
              return _shape
            }
            set {
              let __macro_local_6changefMu_ = _$recorded.willSet(self, keyPath: \.shape, property: 0, from: _shape, to: newValue, by: \Shape.id)
              _shape = newValue
              _$recorded.didSet(self, keyPath: \.shape, property: 0, to: newValue, __macro_local_6changefMu_)
            }
          }

          @RecordedIgnored private var _shape = Shape()
        }
        """#)
  }
}
