import ArgumentParser

extension Replay {
  /// A message of the argument parser; behind its completion script for bash stands what that lacks.
  static func completed(_ message: String) -> String {
    message == completionScript(for: .bash) ? message + wholeWords : message
  }

  /// Bash takes `mark:tap` for three words, so the parser's function does not see that a moment is being typed; and
  /// of a quote within quotes the function does not know that it is one.
  private static let wholeWords = #"""


    # Hands whole words to the function above, and takes from its answers what stays on the line.
    __replay_whole_words() {
        local piece rest="${COMP_LINE:0:COMP_POINT}"
        local -a words=()
        local -i last=-1
        for piece in "${COMP_WORDS[@]:0:COMP_CWORD}" ''; do
            if [[ "${last}" -lt 0 || "${rest}" = [[:space:]]* ]]; then
                rest="${rest#"${rest%%[![:space:]]*}"}"
                words[++last]=''
            fi
            words[last]+="${piece}"
            rest="${rest#"${piece}"}"
        done
        words[last]+="${rest}"
        local word="${words[last]#[\"\']}"
        local -r kept="${word%"${2}"}"
        [[ "${words[last]}" = \'* ]] && word="${word//\"/\\\"}"
        local -a COMP_WORDS=("${words[@]}" "${COMP_WORDS[@]:COMP_CWORD + 1}")
        local -i COMP_CWORD="${last}"
        _replay "${1}" "${word}" "${words[last - 1]}"
        COMPREPLY=("${COMPREPLY[@]#"${kept//[\\\"\']/}"}")
    }

    complete -o filenames -F __replay_whole_words replay
    """#
}
