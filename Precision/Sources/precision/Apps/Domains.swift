import Projection

/// A list of things to do.
@Recorded final class ListStore {
  var tasks: RecordedArray<Item> = []
  var archive: [Item] = []
  var notes: RecordedArray<Entry> = []
  var pullDistance = 0.0
  var searchText = ""
  var chosenTask = -1
  var heading = ""
  var showsDone = false
  var dueCount = 0
  var lateCount = 0
  var urgency = 0
  var theme = Look(tint: "grey", weight: 1)
  var summary = ""
  var opens = 0
  var reloads = 0
  var topTask = 0
}

extension ListStore: Store {
  static var words: [Role: String] {
    [
      .rows: "tasks", .plain: "archive", .entries: "notes", .fast: "pullDistance", .query: "searchText",
      .selection: "chosenTask", .title: "heading", .isShown: "showsDone", .first: "dueCount",
      .second: "lateCount", .third: "urgency", .look: "theme", .status: "summary", .tally: "opens",
      .trigger: "reloads", .offset: "topTask",
    ]
  }

  var rows: RecordedArray<Item> {
    get { tasks }
    _modify { yield &tasks }
  }
  var plain: [Item] {
    get { archive }
    _modify { yield &archive }
  }
  var entries: RecordedArray<Entry> {
    get { notes }
    _modify { yield &notes }
  }
  var fast: Double {
    get { pullDistance }
    set { pullDistance = newValue }
  }
  var query: String {
    get { searchText }
    set { searchText = newValue }
  }
  var selection: Int {
    get { chosenTask }
    set { chosenTask = newValue }
  }
  var title: String {
    get { heading }
    set { heading = newValue }
  }
  var isShown: Bool {
    get { showsDone }
    set { showsDone = newValue }
  }
  var first: Int {
    get { dueCount }
    set { dueCount = newValue }
  }
  var second: Int {
    get { lateCount }
    set { lateCount = newValue }
  }
  var third: Int {
    get { urgency }
    set { urgency = newValue }
  }
  var look: Look {
    get { theme }
    set { theme = newValue }
  }
  var status: String {
    get { summary }
    set { summary = newValue }
  }
  var tally: Int {
    get { opens }
    set { opens = newValue }
  }
  var trigger: Int {
    get { reloads }
    set { reloads = newValue }
  }
  var offset: Int {
    get { topTask }
    set { topTask = newValue }
  }
}

/// A form that one fills in.
@Recorded final class FormStore {
  var lines: RecordedArray<Item> = []
  var addresses: [Item] = []
  var attachments: RecordedArray<Entry> = []
  var sliderValue = 0.0
  var city = ""
  var activeField = -1
  var fullName = ""
  var isExpanded = false
  var quantity = 0
  var subtotal = 0
  var total = 0
  var style = Look(tint: "grey", weight: 1)
  var hint = ""
  var keystrokes = 0
  var submissions = 0
  var firstLine = 0
}

extension FormStore: Store {
  static var words: [Role: String] {
    [
      .rows: "lines", .plain: "addresses", .entries: "attachments", .fast: "sliderValue", .query: "city",
      .selection: "activeField", .title: "fullName", .isShown: "isExpanded", .first: "quantity",
      .second: "subtotal", .third: "total", .look: "style", .status: "hint", .tally: "keystrokes",
      .trigger: "submissions", .offset: "firstLine",
    ]
  }

  var rows: RecordedArray<Item> {
    get { lines }
    _modify { yield &lines }
  }
  var plain: [Item] {
    get { addresses }
    _modify { yield &addresses }
  }
  var entries: RecordedArray<Entry> {
    get { attachments }
    _modify { yield &attachments }
  }
  var fast: Double {
    get { sliderValue }
    set { sliderValue = newValue }
  }
  var query: String {
    get { city }
    set { city = newValue }
  }
  var selection: Int {
    get { activeField }
    set { activeField = newValue }
  }
  var title: String {
    get { fullName }
    set { fullName = newValue }
  }
  var isShown: Bool {
    get { isExpanded }
    set { isExpanded = newValue }
  }
  var first: Int {
    get { quantity }
    set { quantity = newValue }
  }
  var second: Int {
    get { subtotal }
    set { subtotal = newValue }
  }
  var third: Int {
    get { total }
    set { total = newValue }
  }
  var look: Look {
    get { style }
    set { style = newValue }
  }
  var status: String {
    get { hint }
    set { hint = newValue }
  }
  var tally: Int {
    get { keystrokes }
    set { keystrokes = newValue }
  }
  var trigger: Int {
    get { submissions }
    set { submissions = newValue }
  }
  var offset: Int {
    get { firstLine }
    set { firstLine = newValue }
  }
}

/// A feed of posts.
@Recorded final class FeedStore {
  var posts: RecordedArray<Item> = []
  var stories: [Item] = []
  var comments: RecordedArray<Entry> = []
  var scrollProgress = 0.0
  var term = ""
  var openPost = -1
  var banner = ""
  var isReading = false
  var likes = 0
  var shares = 0
  var score = 0
  var appearance = Look(tint: "grey", weight: 1)
  var notice = ""
  var impressions = 0
  var pulls = 0
  var topPost = 0
}

extension FeedStore: Store {
  static var words: [Role: String] {
    [
      .rows: "posts", .plain: "stories", .entries: "comments", .fast: "scrollProgress", .query: "term",
      .selection: "openPost", .title: "banner", .isShown: "isReading", .first: "likes", .second: "shares",
      .third: "score", .look: "appearance", .status: "notice", .tally: "impressions", .trigger: "pulls",
      .offset: "topPost",
    ]
  }

  var rows: RecordedArray<Item> {
    get { posts }
    _modify { yield &posts }
  }
  var plain: [Item] {
    get { stories }
    _modify { yield &stories }
  }
  var entries: RecordedArray<Entry> {
    get { comments }
    _modify { yield &comments }
  }
  var fast: Double {
    get { scrollProgress }
    set { scrollProgress = newValue }
  }
  var query: String {
    get { term }
    set { term = newValue }
  }
  var selection: Int {
    get { openPost }
    set { openPost = newValue }
  }
  var title: String {
    get { banner }
    set { banner = newValue }
  }
  var isShown: Bool {
    get { isReading }
    set { isReading = newValue }
  }
  var first: Int {
    get { likes }
    set { likes = newValue }
  }
  var second: Int {
    get { shares }
    set { shares = newValue }
  }
  var third: Int {
    get { score }
    set { score = newValue }
  }
  var look: Look {
    get { appearance }
    set { appearance = newValue }
  }
  var status: String {
    get { notice }
    set { notice = newValue }
  }
  var tally: Int {
    get { impressions }
    set { impressions = newValue }
  }
  var trigger: Int {
    get { pulls }
    set { pulls = newValue }
  }
  var offset: Int {
    get { topPost }
    set { topPost = newValue }
  }
}

/// A player of music.
@Recorded final class PlayerStore {
  var tracks: RecordedArray<Item> = []
  var playlist: [Item] = []
  var chapters: RecordedArray<Entry> = []
  var playhead = 0.0
  var filter = ""
  var currentTrack = -1
  var album = ""
  var isOpen = false
  var gain = 0
  var loudness = 0
  var balance = 0
  var skin = Look(tint: "grey", weight: 1)
  var caption = ""
  var skips = 0
  var seeks = 0
  var firstTrack = 0
}

extension PlayerStore: Store {
  static var words: [Role: String] {
    [
      .rows: "tracks", .plain: "playlist", .entries: "chapters", .fast: "playhead", .query: "filter",
      .selection: "currentTrack", .title: "album", .isShown: "isOpen", .first: "gain", .second: "loudness",
      .third: "balance", .look: "skin", .status: "caption", .tally: "skips", .trigger: "seeks",
      .offset: "firstTrack",
    ]
  }

  var rows: RecordedArray<Item> {
    get { tracks }
    _modify { yield &tracks }
  }
  var plain: [Item] {
    get { playlist }
    _modify { yield &playlist }
  }
  var entries: RecordedArray<Entry> {
    get { chapters }
    _modify { yield &chapters }
  }
  var fast: Double {
    get { playhead }
    set { playhead = newValue }
  }
  var query: String {
    get { filter }
    set { filter = newValue }
  }
  var selection: Int {
    get { currentTrack }
    set { currentTrack = newValue }
  }
  var title: String {
    get { album }
    set { album = newValue }
  }
  var isShown: Bool {
    get { isOpen }
    set { isOpen = newValue }
  }
  var first: Int {
    get { gain }
    set { gain = newValue }
  }
  var second: Int {
    get { loudness }
    set { loudness = newValue }
  }
  var third: Int {
    get { balance }
    set { balance = newValue }
  }
  var look: Look {
    get { skin }
    set { skin = newValue }
  }
  var status: String {
    get { caption }
    set { caption = newValue }
  }
  var tally: Int {
    get { skips }
    set { skips = newValue }
  }
  var trigger: Int {
    get { seeks }
    set { seeks = newValue }
  }
  var offset: Int {
    get { firstTrack }
    set { firstTrack = newValue }
  }
}

/// A board with cards.
@Recorded final class BoardStore {
  var cards: RecordedArray<Item> = []
  var columns: [Item] = []
  var members: RecordedArray<Entry> = []
  var zoom = 0.0
  var lookup = ""
  var focusedCard = -1
  var boardName = ""
  var isEditing = false
  var width = 0
  var height = 0
  var area = 0
  var palette = Look(tint: "grey", weight: 1)
  var footer = ""
  var visits = 0
  var syncs = 0
  var leftColumn = 0
}

extension BoardStore: Store {
  static var words: [Role: String] {
    [
      .rows: "cards", .plain: "columns", .entries: "members", .fast: "zoom", .query: "lookup",
      .selection: "focusedCard", .title: "boardName", .isShown: "isEditing", .first: "width",
      .second: "height", .third: "area", .look: "palette", .status: "footer", .tally: "visits",
      .trigger: "syncs", .offset: "leftColumn",
    ]
  }

  var rows: RecordedArray<Item> {
    get { cards }
    _modify { yield &cards }
  }
  var plain: [Item] {
    get { columns }
    _modify { yield &columns }
  }
  var entries: RecordedArray<Entry> {
    get { members }
    _modify { yield &members }
  }
  var fast: Double {
    get { zoom }
    set { zoom = newValue }
  }
  var query: String {
    get { lookup }
    set { lookup = newValue }
  }
  var selection: Int {
    get { focusedCard }
    set { focusedCard = newValue }
  }
  var title: String {
    get { boardName }
    set { boardName = newValue }
  }
  var isShown: Bool {
    get { isEditing }
    set { isEditing = newValue }
  }
  var first: Int {
    get { width }
    set { width = newValue }
  }
  var second: Int {
    get { height }
    set { height = newValue }
  }
  var third: Int {
    get { area }
    set { area = newValue }
  }
  var look: Look {
    get { palette }
    set { palette = newValue }
  }
  var status: String {
    get { footer }
    set { footer = newValue }
  }
  var tally: Int {
    get { visits }
    set { visits = newValue }
  }
  var trigger: Int {
    get { syncs }
    set { syncs = newValue }
  }
  var offset: Int {
    get { leftColumn }
    set { leftColumn = newValue }
  }
}
