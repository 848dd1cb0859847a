extension SampleCounts {
  /// The counts of seven minutes of the mail app. Every key of a draft draws the composer alone, and of hundreds of
  /// messages only the visible rows are drawn.
  static let mailbox = [
    SampleCounts(
      name: "mailbox",
      steps: [
        (
          "first frame",
          [
            "Badge": 4, "Composer": 1, "List": 1, "Preview": 1, "Recents": 1, "Row": 12, "Search": 1,
            "Sidebar": 1, "Status": 1, "flagged": 1, "onChange(mail.account.syncs)": 1,
            "onChange(mail.openDraft?.body)": 1, "onChange(mail.openFolder.name)": 1,
            "onChange(mail.query)": 1,
            "page": 1, "unread": 1, "unread Archive": 1, "unread Inbox": 1, "unread Junk": 1,
            "unread Sent": 1,
          ]
        ),
        (
          "minute 1",
          [
            "Badge": 1, "Composer": 28, "List": 5, "Preview": 3, "Recents": 4, "Row": 44, "Sidebar": 3,
            "Status": 1, "Window": 2, "flagged": 3, "onChange(mail.openDraft?.body)": 2,
            "onChange(mail.openFolder.name)": 1, "page": 5, "unread": 1, "unread Archive": 1,
            "unread Inbox": 1,
            "unread Junk": 1,
          ]
        ),
        (
          "minute 2",
          [
            "Badge": 1, "Composer": 44, "List": 4, "Preview": 2, "Recents": 4, "Row": 11, "Search": 5,
            "Sidebar": 2, "Status": 2, "Window": 2, "flagged": 3, "onChange(mail.openDraft?.body)": 2,
            "onChange(mail.query)": 1, "onReceive(mail.account.minute)": 1, "page": 4, "unread": 1,
            "unread Archive": 2,
          ]
        ),
        (
          "minute 3",
          [
            "Badge": 1, "Composer": 45, "List": 1, "Sidebar": 1, "Status": 1, "flagged": 1,
            "onChange(mail.openDraft?.body)": 2, "onReceive(mail.account.minute)": 1, "page": 1, "unread": 1,
            "unread Archive": 1,
          ]
        ),
        (
          "minute 4",
          [
            "Badge": 2, "Composer": 41, "List": 4, "Preview": 1, "Recents": 2, "Row": 24, "Search": 1,
            "Sidebar": 2, "Status": 2, "Window": 2, "flagged": 2, "onChange(mail.openDraft?.body)": 1,
            "onChange(mail.query)": 1, "onReceive(mail.account.minute)": 1, "page": 4, "unread": 2,
            "unread Archive": 3,
          ]
        ),
        (
          "minute 5",
          [
            "Badge": 8, "List": 8, "Preview": 4, "Recents": 6, "Row": 17, "Sidebar": 5, "Status": 1,
            "flagged": 5, "onChange(mail.openFolder.name)": 1, "onReceive(mail.account.minute)": 1, "page": 8,
            "unread": 6, "unread Archive": 7, "unread Sent": 2,
          ]
        ),
        (
          "minute 6",
          [
            "Badge": 4, "Composer": 47, "List": 4, "Preview": 2, "Recents": 6, "Row": 1, "Sidebar": 4,
            "Status": 2, "flagged": 4, "onChange(mail.account.syncs)": 1, "onChange(mail.openDraft?.body)": 3,
            "onReceive(mail.account.minute)": 1, "page": 6, "unread": 4, "unread Inbox": 1, "unread Sent": 5,
          ]
        ),
        (
          "minute 7",
          [
            "Badge": 2, "Composer": 22, "List": 4, "Preview": 1, "Row": 6, "Search": 4, "Status": 1,
            "Window": 1, "flagged": 1, "onChange(mail.openDraft?.body)": 1,
            "onChange(mail.openFolder.name)": 1,
            "onChange(mail.query)": 1, "onReceive(mail.account.minute)": 1, "page": 4, "unread": 1,
            "unread Archive": 1, "unread Inbox": 1,
          ]
        ),
      ])
  ]
}
