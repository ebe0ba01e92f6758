package tui

import (
	"context"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/tui/kit"
)

// screen is what a person looks at. Screens lie on a stack. Keys go to the top one,
// every other message to all of them.
type screen interface {
	// title returns the heading; "" for the first screen.
	title() string
	// update handles a message. The root performs the action before the next key, so
	// that nothing typed ahead reaches the wrong screen.
	update(tea.Msg) (action, tea.Cmd)
	// view returns the lines for that width and height. What is beyond is cut.
	view(width, height int) []string
	// keys returns all bindings that do something now, the primary one first and then
	// in the order of their use. The key line shows the first of them, and that of esc
	// wherever it is in the list; the menu shows all.
	keys() []key.Binding
	// mode returns how the root is to treat the screen now.
	mode() mode
}

// mode is how the root treats a screen.
type mode struct {
	// typing is set while letters are text, not commands.
	typing bool
	// allowsPanelKeys lets the sandbox's panel have those of its keys that are not
	// among the screen's own.
	allowsPanelKeys bool
	// inView is set where a digit may lead to another view: nothing is asked, and nothing is
	// lost that another look would not show again.
	inView bool
	// dialog is set where view returns a box, none of its lines wider than asked for and no more
	// than that, which is drawn over the dimmed screen below. The title of that stays in the
	// header.
	dialog bool
	// polls has Roam polled every pollInterval.
	polls bool
	// mouse asks for clicks and the wheel. The terminal then selects no text.
	mouse bool
	// quitWarning is a sentence on what quitting would lose, or "".
	quitWarning string
}

// Messages of the mouse, in lines of the screen's own view.
type (
	clickMsg struct{ x, y int }
	wheelMsg struct{ lines int } // down; up if negative
)

// starter is a screen that starts work when it opens.
type starter interface{ start() tea.Cmd }

// closer is a screen that ends work when it closes.
type closer interface{ close() tea.Cmd }

// tokenHolder is a screen that may hold a granted token which is not saved.
type tokenHolder interface {
	// unsaved reports whether leaving would lose the token.
	unsaved() bool
	// finish ends the exchange as the program ends, and keeps a token that was granted.
	// It fails where the token is not in the configuration then.
	finish(context.Context) error
}

// action is what a screen asks of the root: one of the types below, or nil.
type action interface{ action() }

type (
	// open puts a screen on top.
	open struct{ screen screen }
	// replace puts a screen in place of the one that returns it.
	replace struct{ screen screen }
	// back closes the screen.
	back struct{}
	// show leads to a view.
	show struct{ view view }
	// home closes all screens but the first.
	home struct{}
	// quit ends the program.
	quit struct{}
	// switchWorld ends the program, to start again in another world.
	switchWorld struct{ next Next }
	// pressKey closes the screen and gives the one below it a key.
	pressKey struct{ key tea.KeyPressMsg }
	// notify shows a notice above the keys until the next key.
	notify struct{ notice notice }
)

func (open) action()        {}
func (replace) action()     {}
func (back) action()        {}
func (show) action()        {}
func (home) action()        {}
func (quit) action()        {}
func (switchWorld) action() {}
func (pressKey) action()    {}
func (notify) action()      {}

// inform returns the action that shows a sentence.
func inform(text string) action { return notify{notice{text, noticeInfo}} }

// typeInto hands a message to a form. left is set if the key was esc, submitted if
// the form was.
func (e *env) typeInto(f *kit.Form, msg tea.Msg) (left action, submitted bool) {
	if press, ok := msg.(tea.KeyPressMsg); ok && key.Matches(press, e.keys.esc) {
		return back{}, false
	}
	return nil, f.Update(msg)
}

// notice is a sentence above the keys.
type notice struct {
	text string
	kind noticeKind
}

type noticeKind uint8

const (
	noticeInfo noticeKind = iota
	noticeSuccess
	noticeFailure
)
