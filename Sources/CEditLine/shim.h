#pragma once
// libedit configures nearly everything through variadic functions, which Swift cannot call. Each use of one
// has a function of its own here.
#include <histedit.h>

static inline EditLine *editline_open(const char *program) { return el_init(program, stdin, stdout, stderr); }

// Stores a pointer that the functions called by libedit can retrieve.
static inline void editline_set_owner(EditLine *editor, void *owner) { el_set(editor, EL_CLIENTDATA, owner); }
static inline void *editline_owner(EditLine *editor) {
  void *owner = NULL;
  el_get(editor, EL_CLIENTDATA, &owner);
  return owner;
}

static inline void editline_set_prompt(EditLine *editor, char *(*prompt)(EditLine *)) {
  el_set(editor, EL_PROMPT, prompt);
}

// Sets the function that reads characters. It returns the number of characters read: 1, or 0 at the end of
// the input.
static inline void editline_set_reader(EditLine *editor, int (*read)(EditLine *, wchar_t *)) {
  el_wset(editor, EL_GETCFN, read);
}

// Changes a terminal mode, named as for stty ("-isig"), while a line is edited.
static inline void editline_set_mode(EditLine *editor, const char *mode) {
  el_set(editor, EL_SETTY, "-d", mode, NULL);
}

// Adds a command to which keys can be bound. The function returns a code such as CC_NORM.
static inline void editline_add(
  EditLine *editor, const char *command, unsigned char (*function)(EditLine *, int)) {
  el_set(editor, EL_ADDFN, command, command, function);
}

static inline void editline_bind(EditLine *editor, const char *key, const char *command) {
  el_set(editor, EL_BIND, key, command, NULL);
}

static inline void editline_bind_emacs_keys(EditLine *editor) { el_set(editor, EL_BIND, "-e", NULL); }

// Draws the line again, starting at the cursor's row.
static inline void editline_draw(EditLine *editor) { el_set(editor, EL_REFRESH); }

// Sets a history of at most this many lines, without repeated neighbours.
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
