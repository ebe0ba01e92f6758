package tui

import (
	"context"
	"fmt"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	tea "charm.land/bubbletea/v2"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
	"roam-mcp/tui/kit"
)

// CodeCrash is the code of a panic in the setup program.
const CodeCrash problem.Code = "CRASH"

// guard is the model that Bubble Tea runs. It catches the panics of the program's own
// model, which Bubble Tea would print as they are: the program ends in good order,
// with a report.
type guard struct {
	model  tea.Model
	cancel context.CancelFunc
	// lastFrame is what View returned last without a panic.
	lastFrame tea.View

	mu     sync.Mutex
	fault  *fault
	recent []string // types of the last messages, the newest last
	size   tea.WindowSizeMsg
}

// fault is a panic as it was caught.
type fault struct {
	where, what string
	stack       []byte
	recent      []string
	size        tea.WindowSizeMsg
}

const (
	maxRecent = 32
	maxFault  = 4 << 10 // of a panic's text, in bytes
)

var _ tea.Model = (*guard)(nil)

// Init implements tea.Model.
func (g *guard) Init() (cmd tea.Cmd) {
	defer g.catch("starting")
	return g.guarded(g.model.Init())
}

// Update implements tea.Model.
func (g *guard) Update(msg tea.Msg) (model tea.Model, cmd tea.Cmd) {
	model = g
	if g.crashed() != nil {
		return g, nil
	}
	g.remember(msg)
	defer g.catch("taking a message")
	_, cmd = g.model.Update(msg)
	return g, g.guarded(cmd)
}

// View implements tea.Model.
func (g *guard) View() (view tea.View) {
	view = g.lastFrame
	if g.crashed() != nil {
		return view
	}
	defer g.catch("drawing")
	g.lastFrame = g.model.View()
	return g.lastFrame
}

// guarded returns a command that catches the panics of cmd and of the commands that
// it leads to.
func (g *guard) guarded(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer g.catch("working in the background")
		msg = cmd()
		// A batch or a sequence of commands is a slice, of a type that may be Bubble
		// Tea's own. It belongs to its maker, so it is copied.
		several := reflect.ValueOf(msg)
		if several.Kind() != reflect.Slice || several.Type().Elem() != reflect.TypeFor[tea.Cmd]() {
			return msg
		}
		guarded := reflect.MakeSlice(several.Type(), several.Len(), several.Len())
		for i := range several.Len() {
			guarded.Index(i).Set(reflect.ValueOf(g.guarded(several.Index(i).Interface().(tea.Cmd))))
		}
		return guarded.Interface()
	}
}

func (g *guard) remember(msg tea.Msg) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if streamed, ok := msg.(streamMsg); ok {
		msg = streamed.msg
	}
	if size, ok := msg.(tea.WindowSizeMsg); ok {
		g.size = size
	}
	if len(g.recent) == maxRecent {
		g.recent = g.recent[1:]
	}
	// The types alone: a message may hold what was typed.
	g.recent = append(g.recent, fmt.Sprintf("%T", msg))
}

// catch is deferred. It keeps the first panic and ends the program.
func (g *guard) catch(where string) {
	value := recover()
	if value == nil {
		return
	}
	what := fmt.Sprint(value)
	what = kit.Sanitize(localapi.Redact(what[:min(len(what), maxFault)]))
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.fault == nil {
		g.fault = &fault{where, what, debug.Stack(), slices.Clone(g.recent), g.size}
	}
	g.cancel()
}

func (g *guard) crashed() *fault {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.fault
}

// report returns what a developer needs to know of a fault.
func (r *root) report(f *fault) string {
	var screens []string
	for _, s := range r.stack {
		screens = append(screens, fmt.Sprintf("%T", s))
	}
	e := r.env
	lines := []string{
		"roam-mcp " + e.options.Version + ", " + runtime.Version() + ", " + runtime.GOOS + "/" + runtime.GOARCH,
		e.ports.Graphs.Now().UTC().Format("2006-01-02 15:04:05 UTC"),
		fmt.Sprintf("terminal: %s, %dx%d", kit.Getenv(e.options.Environ, "TERM"), f.size.Width, f.size.Height),
		"while " + f.where + ": " + f.what,
		"screens: " + strings.Join(screens, ", "),
		"last messages: " + strings.Join(f.recent, ", "),
		"", string(f.stack),
	}
	return localapi.Redact(strings.Join(lines, "\n"))
}

// crashError writes the report of a fault, rescues a token that was not saved, and
// returns the error that says so.
func (r *root) crashError(f *fault) error {
	report := r.report(f)
	crash := &problem.Error{
		Code:    CodeCrash,
		Message: "The setup program has broken down while " + f.where + ": " + problem.Sentence(f.what),
		Hint:    problem.Say("That is a fault of roam-mcp. Nothing that was saved is lost; start it again."),
	}
	if write := r.env.ports.Report; write != nil {
		if path, err := write([]byte(report)); err == nil {
			crash.Hint = crash.Hint.Then("What a developer needs to know is in %s; no token is in it.", path)
		} else {
			crash.Hint = crash.Hint.Then("A report could not be written: %s", problem.Sentence(err.Error()))
		}
	}
	if err := r.finish(); err != nil {
		rescue := problem.FromError(err)
		crash.Message += " " + rescue.Message
		crash.Hint = crash.Hint.Append(rescue.Hint)
	}
	return crash
}
