#pragma once
// libedit sets nearly everything through functions with variable arguments, which Swift cannot call.
// Here is each use of one as a function of its own.
#include <histedit.h>

static inline EditLine *editline_open(const char *program) { return el_init(program, stdin, stdout, stderr); }

// The owner is what the functions that libedit calls back find again.
static inline void editline_set_owner(EditLine *editor, void *owner) { el_set(editor, EL_CLIENTDATA, owner); }
static inline void *editline_owner(EditLine *editor) {
  void *owner = NULL;
  el_get(editor, EL_CLIENTDATA, &owner);
  return owner;
}

static inline void editline_set_prompt(EditLine *editor, char *(*prompt)(EditLine *)) {
  el_set(editor, EL_PROMPT, prompt);
}

// Reads characters by a function that returns how many it read: 1, or 0 at the end of the input.
static inline void editline_set_reader(EditLine *editor, int (*read)(EditLine *, wchar_t *)) {
  el_wset(editor, EL_GETCFN, read);
}

// Changes a mode of the terminal for the time in which a line is edited: "-isig" as of stty.
static inline void editline_set_mode(EditLine *editor, const char *mode) {
  el_set(editor, EL_SETTY, "-d", mode, NULL);
}

// Adds a command that keys can be bound to. It returns one of the codes CC_NORM and so on.
static inline void editline_add(
  EditLine *editor, const char *command, unsigned char (*function)(EditLine *, int)) {
  el_set(editor, EL_ADDFN, command, command, function);
}

static inline void editline_bind(EditLine *editor, const char *key, const char *command) {
  el_set(editor, EL_BIND, key, command, NULL);
}

static inline void editline_bind_emacs_keys(EditLine *editor) { el_set(editor, EL_BIND, "-e", NULL); }

// Draws the line again, beginning at the row in which the cursor is.
static inline void editline_draw(EditLine *editor) { el_set(editor, EL_REFRESH); }

// Uses a history that holds up to so many lines, and none twice in a row.
static inline void editline_set_history(EditLine *editor, History *lines, int count) {
  HistEvent event;
  history(lines, &event, H_SETSIZE, count);
  history(lines, &event, H_SETUNIQUE, 1);
  el_set(editor, EL_HIST, history, lines);
}

static inline void editline_remember(History *lines, const char *line) {
  HistEvent event;
  history(lines, &event, H_ENTER, line);
}
