package tui

import (
	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"roam-mcp/configstore"
	"roam-mcp/tui/kit"
)

// screen is one thing to look at. Screens lie on a stack; keys go to the one on
// top, every other message to all of them, and each takes what is its own.
type screen interface {
	// title says where the person is.
	title() string
	// update takes a message. The action is carried out at once, before the
	// next key, so that nothing typed ahead reaches the wrong screen.
	update(tea.Msg) (action, tea.Cmd)
	// view draws into width and height; lines beyond are cut.
	view(width, height int) []string
	// keys are the bindings that do something now, the most useful first.
	keys() []key.Binding
	// mode says how the root is to treat the screen now.
	mode() mode
}

// mode is what a screen wants of the root.
type mode struct {
	// typing: letters are text, not commands.
	typing bool
	// lendsKeys: the sandbox's panel may have those of its keys that are not
	// among the screen's own.
	allowsPanelKeys bool
	// polls: Roam is looked at every two seconds.
	polls bool
	// mouse: clicks and the wheel are wanted, which takes the terminal's own
	// selection of text away.
	mouse bool
	// quitWarning says what would be lost by quitting; empty for nothing.
	quitWarning string
}

// The messages of the mouse, in lines of the screen's own view.
type (
	clickMsg struct{ x, y int }
	wheelMsg struct{ lines int } // down; negative is up
)

// starter is a screen with work to do when it opens.
type starter interface{ start() tea.Cmd }

// closer is a screen with work to end when it closes.
type closer interface{ close() tea.Cmd }

// tokenHolder is a screen that may hold a granted token which is not saved yet.
type tokenHolder interface {
	unsaved() (configstore.Entry, bool)
	// endExchange ends the exchange where the program is ended from outside, and takes
	// the token that was granted in that very moment.
	endExchange()
}

// action is what a screen asks of the root: the types below, or nil.
type action interface{ action() }

type (
	// open puts a screen on top.
	open struct{ screen screen }
	// replace puts a screen in place of the one that asks.
	replace struct{ screen screen }
	// back closes the screen.
	back struct{}
	// home closes all screens but the first.
	home struct{}
	// quit ends the program.
	quit struct{}
	// notify shows a sentence above the keys until the next key.
	notify struct{ notice notice }
)

func (open) action()    {}
func (replace) action() {}
func (back) action()    {}
func (home) action()    {}
func (quit) action()    {}
func (notify) action()  {}

// inform returns the action that shows a sentence of no consequence.
func inform(text string) action { return notify{notice{text, noticeInfo}} }

// complain returns the action that shows what went wrong.
func complain(err error) action { return notify{errorNotice(err)} }

// typeInto gives a form what a person types or pastes. esc leaves the screen;
// sent reports whether the form was sent.
func (e *env) typeInto(f *kit.Form, msg tea.Msg) (left action, sent bool) {
	if press, ok := msg.(tea.KeyPressMsg); ok && key.Matches(press, e.keys.esc) {
		return back{}, false
	}
	return nil, f.Update(msg)
}

// notice is a sentence for the person.
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

// errorNotice is the notice of an error.
func errorNotice(err error) notice {
	return notice{errorText(err), noticeFailure}
}
