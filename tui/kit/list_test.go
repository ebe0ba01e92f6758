package kit

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"
	"github.com/charmbracelet/x/ansi"
)

func testKeys() ListKeys {
	return ListKeys{
		ScrollKeys: ScrollKeys{Up: Bind("", "", "k"), Down: Bind("", "", "j"), PageUp: Bind("", "", "pgup"), PageDown: Bind("", "", "pgdown"), First: Bind("", "", "g"), Last: Bind("", "", "G")},
		Filter:     Bind("", "", "/"), Keep: Bind("", "", "enter"), Drop: Bind("", "", "esc"), Clear: Bind("", "", "ctrl+u"), Choose: key.NewBinding(key.WithKeys("up", "down")),
	}
}

// shelf is a list of words, and how it is drawn.
type shelf struct {
	words []string
	list  List[string]
	view  ListView
}

func newShelf(words ...string) *shelf {
	s := &shelf{words: words}
	s.list = NewList(9, func() (int, func(int) string) {
		fitting := slices.DeleteFunc(slices.Clone(s.words), func(word string) bool { return !strings.Contains(word, s.list.Filter.Text) })
		return len(fitting), func(i int) string { return fitting[i] }
	})
	s.view.Row = func(i int, selected bool) []string {
		_, word := s.list.rows()
		return []string{NewLook(DarkBackground, []string{"LANG=C.UTF-8"}).Row(word(i), 30, selected)}
	}
	return s
}

func (s *shelf) press(names ...string) {
	for _, name := range names {
		s.list.HandleKey(testKeys(), Press(name))
	}
}

func (s *shelf) draw(height int) string {
	var lines []string
	for _, line := range s.list.View(NewLook(DarkBackground, []string{"LANG=C.UTF-8"}), s.view, 30, height) {
		lines = append(lines, strings.TrimSpace(ansi.Strip(line)))
	}
	return strings.Join(lines, "|")
}

func (s *shelf) wants(t *testing.T, height int, want string) {
	t.Helper()
	if got := s.draw(height); got != want {
		t.Errorf("it is\n%s\nwant\n%s", got, want)
	}
}

func numbered(n int) (words []string) {
	for i := range n {
		words = append(words, fmt.Sprintf("w%02d", i))
	}
	return words
}

func TestListScrolls(t *testing.T) {
	s := newShelf(numbered(9)...)
	s.wants(t, 5, "▌ w00|w01|w02|w03|↓ 5 more")
	s.press("j", "j", "j")
	s.wants(t, 5, "↑ 2 more|w02|▌ w03|w04|↓ 4 more")
	s.words = append([]string{"new"}, s.words...) // the row stays where it is
	s.wants(t, 5, "↑ 3 more|w02|▌ w03|w04|↓ 4 more")
	s.words = slices.DeleteFunc(s.words, func(word string) bool { return word == "w03" })
	s.wants(t, 5, "↑ 3 more|w02|▌ w04|w05|↓ 3 more")
	s.press("G")
	s.wants(t, 5, "↑ 5 more|w05|w06|w07|▌ w08")
	s.press("pgup", "g")
	s.wants(t, 2, "▌ new|w00")
	s.wants(t, 5, "▌ new|w00|w01|w02|↓ 5 more")
	s.list.Wheel(3)
	s.wants(t, 5, "↑ 4 more|▌ w04|w05|w06|↓ 2 more")
	s.list.Click(2)
	s.wants(t, 5, "↑ 4 more|w04|▌ w05|w06|↓ 2 more")
	s.list.Click(4) // no row
	s.wants(t, 5, "↑ 4 more|w04|▌ w05|w06|↓ 2 more")
}

func TestListSections(t *testing.T) {
	s := newShelf(numbered(9)...)
	s.view.Sections = []Section{{Title: "Own", Heads: []string{"NAME"}, Rows: 6}, {Title: "Others", Rows: 3}}
	s.wants(t, 8, "Own|NAME|▌ w00|w01|w02|w03|w04|↓ 4 more")
	s.press("j", "j", "j", "j", "j")
	s.wants(t, 8, "Own  ↑ 2 more|NAME|w02|w03|w04|▌ w05||↓ 3 more")
	s.press("G")
	s.wants(t, 8, "Own  ↑ 5 more|NAME|w05||Others|w06|w07|▌ w08")
	s.wants(t, 3, "Others  ↑ 7 more|w07|▌ w08")
}

func TestListFilter(t *testing.T) {
	s := newShelf("bread", "butter", "jam", "beer")
	s.press("j", "/", "b", "e")
	s.wants(t, 5, "▌ beer")
	s.press("backspace")
	s.wants(t, 5, "bread|butter|▌ beer") // it fits still
	s.press("x", "esc")
	s.wants(t, 5, "bread|butter|jam|▌ beer")
	s.list.Paste("jam") // nothing is typed
	s.press("/", "j", "a", "m", "enter")
	s.wants(t, 5, "▌ jam")
	s.press("esc")
	s.wants(t, 5, "bread|butter|▌ jam|beer")
}

func TestListFollowsTheNewest(t *testing.T) {
	s := newShelf("one", "two")
	s.list.Newest = true
	s.wants(t, 5, "one|▌ two")
	s.words = append(s.words, "three")
	s.wants(t, 5, "one|two|▌ three")
	s.press("k")
	s.words = append(s.words, "four")
	s.wants(t, 5, "one|▌ two|three|four")
	s.press("G")
	s.words = append(s.words, "five")
	s.wants(t, 5, "one|two|three|four|▌ five")
}
