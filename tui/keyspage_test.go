package tui

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"

	"roam-mcp/internal/testutil/golden"
	"roam-mcp/tui/kit"
)

// keyGroup is a section of docs/KEYS.md: where the keys work.
type keyGroup struct {
	where    string
	bindings []key.Binding
}

// keyTable holds every key binding, in the order of docs/KEYS.md.
func keyTable(k keys) []keyGroup {
	return []keyGroup{
		{"everywhere", []key.Binding{k.help, k.esc, kit.Relabel(k.quit, "quit, at the top"), k.interrupt, k.suspend}},
		{"views", k.views[:]},
		{"lists", []key.Binding{k.Up, k.Down, k.PageUp, k.PageDown, k.First, k.Last}},
		{"your graphs", []key.Binding{
			kit.Relabel(k.enter, "details, or connect"), kit.Relabel(k.toggle, "disable or enable"), kit.Relabel(k.mark, "mark, to connect, disable or remove several"), k.rename,
			k.reauthorize, k.remove, k.putBack, k.test, k.connect, kit.Relabel(k.serve, "serve, or stop"), k.activity, k.clients, kit.Relabel(k.history, "history, of a graph on its own screen"), k.importGraphs, k.open, kit.Relabel(k.sandbox, "try the sandbox, or leave it"), k.doctor, kit.Relabel(k.fix, "doctor, where something is wrong"), k.edit, k.filter, k.sort, kit.Relabel(k.refresh, "ask Roam again, about every token too"), kit.Relabel(k.texts, "keep texts in the history or none, in the details"),
		}},
		{"typing", []key.Binding{kit.Relabel(k.clearText, "clear the text"), k.next, k.previous, k.chooseRow, k.chooseAnswer}},
		{"asking Roam", []key.Binding{
			k.askAgain, k.askForLess, k.enterToken, kit.Relabel(k.unblock, "unblock in the sandbox, and ask again"), k.retry, kit.Relabel(k.copy, "copy, wherever there is something to copy"), k.about, k.done,
		}},
		{"history", []key.Binding{kit.Relabel(k.enter, "diff"), k.filter, kit.Relabel(k.next, "this graph, this session, today, all of it"), k.undo, k.undoSession, kit.Relabel(k.redo, "redo what is undone"), k.kept}},
		{"clients", []key.Binding{
			k.mark, kit.Relabel(k.enter, "show what would change, then write and prove"), kit.Relabel(k.test, "prove what is there"), kit.Relabel(k.fix, "mend what failed"),
			k.takeOut, k.options, k.absent, k.filter, kit.Relabel(k.turn, "change an option"), k.turnBack,
		}},
		{"activity", []key.Binding{kit.Relabel(k.enter, "details of a call"), kit.Relabel(k.serve, "serve, or stop"), k.pause, kit.Relabel(k.connect, "how to connect"), k.nextCall, k.previousCall, k.changes}},
		{"doctor", []key.Binding{kit.Relabel(k.fix, "mend, or go where it is mended"), k.mendAll, k.filter}},
		{"questions", []key.Binding{k.yes, k.no}},
		{"the sandbox's panel", []key.Binding{k.allow, k.allowReadOnly, k.deny, k.never}},
	}
}

// TestTheKeysPage compares docs/KEYS.md with the key bindings themselves; -update writes
// it anew.
func TestTheKeysPage(t *testing.T) {
	all := newKeys(kit.UnicodeGlyphs())
	var page strings.Builder
	named := make(map[string]bool)
	for _, group := range keyTable(all) {
		fmt.Fprintf(&page, "\n## %s\n\n| key | what it does |\n|---|---|\n", strings.ToUpper(group.where[:1])+group.where[1:])
		for _, b := range group.bindings {
			named[fmt.Sprint(b.Keys())] = true
			fmt.Fprintf(&page, "| `%s` | %s |\n", strings.Join(shownKeys(b), "` `"), b.Help().Desc)
		}
	}
	fields := reflect.ValueOf(all)
	for _, field := range reflect.VisibleFields(fields.Type()) {
		if field.Anonymous {
			continue
		}
		values := []reflect.Value{fields.FieldByIndex(field.Index)}
		if field.Type.Kind() == reflect.Array {
			array := values[0]
			values = nil
			for i := range array.Len() {
				values = append(values, array.Index(i))
			}
		}
		for _, value := range values {
			// The fields are not exported; what they print is enough to compare.
			if pressed := fmt.Sprint(value.FieldByName("keys")); !named[pressed] {
				t.Errorf("the key %s (%s) is in no group of keyTable", field.Name, pressed)
			}
		}
	}
	golden.Section(t, "../docs/KEYS.md", "<!-- keys -->\n", "<!-- /keys -->", page.String())
}

// shownKeys are the names by which a person knows the keys of a binding.
func shownKeys(b key.Binding) []string {
	names := map[string]string{"up": "↑", "down": "↓", "left": "←", "right": "→", "pgdown": "pgdn"}
	var out []string
	for _, k := range b.Keys() {
		if name, ok := names[k]; ok {
			k = name
		}
		out = append(out, k)
	}
	return slices.Compact(out)
}

func TestNoKeyHasTwoMeaningsOnAScreen(t *testing.T) {
	inEveryScene(t, 80, 24, func(t *testing.T, h *harness) {
		meanings := make(map[string]string)
		for _, b := range h.root.top().keys() {
			for _, pressed := range b.Keys() {
				if other, taken := meanings[pressed]; taken && other != b.Help().Desc {
					t.Errorf("%s is “%s” and “%s”", pressed, other, b.Help().Desc)
				}
				meanings[pressed] = b.Help().Desc
			}
		}
	})
}
