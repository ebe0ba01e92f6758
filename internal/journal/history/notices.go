package history

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"zombiezen.com/go/sqlite"

	"roam-mcp/internal/problem"
)

// event is what gives rise to a notice.
type event struct {
	code   problem.Code
	detail string // names of files and modes, of a graph, or of an agent and what it changed; see notice
}

// noticePrefix begins the names of the rows of meta that hold a notice. The name ends
// with the code, the value is the detail.
const noticePrefix = "notice:"

// textsPrefix begins the names of the rows of CodeTextsUnsaid, which end with type and name
// of the graph. They stay until its texts are kept or not for another reason.
const textsPrefix = noticePrefix + string(CodeTextsUnsaid) + ":"

// dismissed is the value of a notice that was read, and whose cause goes on.
const dismissed = "\x00"

// note remembers an event, until keepNotes writes it.
func (j *shared) note(code problem.Code, detail string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.events = append(slices.DeleteFunc(j.events, func(e event) bool { return e.code == code }), event{code, detail})
}

// keepNotes writes the events that were remembered, for all processes to be seen.
func (j *shared) keepNotes(conn *sqlite.Conn) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.events) == 0 {
		return nil
	}
	return inTransaction(conn, "BEGIN IMMEDIATE", func() error {
		for _, e := range j.events {
			if err := putNote(conn, e); err != nil {
				return err
			}
		}
		j.events = nil
		return nil
	})
}

// putNote writes an event, in place of an earlier one of its code.
func putNote(conn *sqlite.Conn, e event) error {
	query := "INSERT INTO meta (name, value) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = excluded.value"
	if e.code == CodeNoWAL { // is found anew by each process
		query = "INSERT OR IGNORE INTO meta (name, value) VALUES (?1, ?2)"
	}
	return run(conn, query, noticePrefix+string(e.code), []byte(e.detail))
}

// noteTexts has a notice say that texts of the graph of an intent are not kept, because
// Roam does not say whether it is encrypted; or has none say so any more.
func noteTexts(conn *sqlite.Conn, in Intent) error {
	query := "DELETE FROM meta WHERE name = ?1"
	if in.TextsUnsaid {
		query = "INSERT OR IGNORE INTO meta (name, value) VALUES (?1, '')"
	}
	return run(conn, query, textsPrefix+in.Graph.Type+"/"+in.Graph.Name)
}

// logOnce logs a condition the first time that this process meets it.
func (j *shared) logOnce(code problem.Code, message string, details ...any) {
	j.mu.Lock()
	again := j.logged[code]
	j.logged[code] = true
	j.mu.Unlock()
	if !again {
		j.options.Log.Warn(message, details...)
	}
}

// Notices returns what a person should know about the journal, also that it can't be
// read. They stay until DismissNotices.
func (j *reader) Notices(ctx context.Context) ([]Notice, error) {
	var events []event
	_, err := j.read(ctx, func(conn *sqlite.Conn) error {
		events = nil
		return rows(conn, "SELECT name, value FROM meta WHERE name GLOB ?1 ORDER BY name", []any{noticePrefix + "*"}, func(row *sqlite.Stmt) error {
			if detail := string(column(row, 1)); detail != dismissed {
				code, graph, _ := strings.Cut(strings.TrimPrefix(row.ColumnText(0), noticePrefix), ":")
				events = append(events, event{problem.Code(code), cmp.Or(graph, detail)})
			}
			return nil
		})
	})
	j.mu.Lock()
	events = append(events, j.events...)
	j.mu.Unlock()
	var notices []Notice
	if e, ok := problem.As(err); ok {
		notices, err = append(notices, Notice{Code: e.Code, Message: e.Message, Hint: e.Hint}), nil
	}
	for _, e := range events {
		notices = append(notices, j.notice(e))
	}
	return notices, err
}

// DismissNotices forgets the notices, as far as their cause is over.
func (j *Journal) DismissNotices(ctx context.Context) error {
	j.mu.Lock()
	j.events = nil
	j.mu.Unlock()
	there, err := j.read(ctx, func(*sqlite.Conn) error { return nil })
	if err != nil || !there {
		return err
	}
	return j.transact(ctx, toSystem, func(conn *sqlite.Conn) error {
		err := run(conn, "DELETE FROM meta WHERE name GLOB ?1 AND name <> ?2 AND name NOT GLOB ?3", noticePrefix+"*", noticePrefix+string(CodeNoWAL), textsPrefix+"*")
		if err != nil {
			return err
		}
		return run(conn, "UPDATE meta SET value = ?1 WHERE name = ?2", []byte(dismissed), noticePrefix+string(CodeNoWAL))
	})
}

// notice returns what is said of an event.
func (j *shared) notice(e event) Notice {
	folder := j.options.Folder
	n := Notice{Code: e.code}
	switch e.code {
	case CodeDamaged:
		n.Message = fmt.Sprintf("The journal was damaged. It was moved to %s, and a new one was begun.", filepath.Join(folder, e.detail))
		n.Hint = problem.Say("Delete that file, or keep it if you miss what it holds.")
	case CodeDeleted:
		n.Message = "The journal was deleted or moved away while roam-mcp was running, and a new one was begun."
	case CodeRestored:
		n.Message = "The journal is an older copy of itself: what was recorded after that copy was made is missing. New changes go on with higher numbers."
	case CodeNoWAL:
		n.Message = fmt.Sprintf("The file system of %s can't be shared by readers and writers at once, so the journal is slower.", folder)
		n.Hint = problem.Say("Have the state folder on a disk of this computer.")
	case CodeModes:
		n.Message = fmt.Sprintf("Other users of this computer could read the journal until now: %s in %s. Only you can now.", e.detail, filepath.Dir(folder))
	case CodeForgotten:
		n.Message = fmt.Sprintf("Texts of %s calls and versions of notes were removed at once, since they were too old or the journal was too large.", e.detail)
		n.Hint = problem.Say("To keep more, set days and megabytes of history in the configuration file.")
	case CodeTakenOver:
		graph, rest, _ := strings.Cut(e.detail, "\n")
		page, agent, _ := strings.Cut(rest, "\n")
		n.Message = fmt.Sprintf("A server ended while %s was changing the page %s of the graph %s, so the page may have a part of that change. Another agent went on with the page.", agent, page, graph)
		n.Hint = problem.Say("See what was done: %s", problem.Run("history"))
	case CodeTextsUnsaid:
		kind, name, _ := strings.Cut(e.detail, "/")
		return TextsUnsaid(Graph{Name: name, Type: kind}, name)
	default:
		n.Message = fmt.Sprintf("The journal reports %s, which this version does not know.", e.code)
		n.Hint = problem.Say("Update roam-mcp.")
	}
	return n
}

// TextsUnsaid returns the notice that no texts of a graph are kept, because Roam does not
// say whether it is encrypted. called is how people call the graph.
func TextsUnsaid(graph Graph, called string) Notice {
	return Notice{
		Code: CodeTextsUnsaid, Graph: graph,
		Message: fmt.Sprintf("Roam does not say whether the graph %s is encrypted, so no texts of it are kept.", called),
		Hint: problem.Say("To keep them, so that changes can be undone: %s. To keep none: %s.",
			problem.Run("history on").With("--graph", called), problem.Run("history off").With("--graph", called)),
	}
}
