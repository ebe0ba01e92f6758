package kit

import (
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

func TestRow(t *testing.T) {
	line := "one " + lipgloss.NewStyle().Foreground(lipgloss.Color("#040104")).Render("two") + " " + lipgloss.NewStyle().Bold(true).Underline(true).Render("three") + " four"
	for name, profile := range map[string]colorprofile.Profile{"in colours": colorprofile.TrueColor, "in 16 colours": colorprofile.ANSI, "without colours": colorprofile.ASCII} {
		t.Run(name, func(t *testing.T) {
			l := NewLook(DarkBackground, []string{"LANG=C.UTF-8"})
			l.SetProfile(profile)
			for _, selected := range []bool{false, true} {
				row := l.Row(line, 40, selected)
				bar := " "
				if selected {
					bar = "▌"
				}
				if got, want := ansi.Strip(row), " "+bar+" one two three four"+strings.Repeat(" ", 19); got != want {
					t.Errorf("selected %t: the row is %q, want %q", selected, got, want)
				}
				if has := strings.Contains(row, "38;2;4;1;4"); has == selected {
					t.Errorf("selected %t: the colour within the line is kept: %t", selected, has)
				}
			}
			row := l.Row(line, 40, true)
			ground, _, _ := strings.Cut(l.Theme.Selected.Render("x"), "x")
			if at := strings.Index(row, "three"); at < 0 || !strings.HasSuffix(row[:at], "\x1b[1m\x1b[4m") {
				t.Errorf("bold and underline are lost in %q", row)
			}
			if !strings.HasPrefix(row, " "+l.Theme.SelectionBar.Render("▌")+ground) {
				t.Errorf("%q does not begin with the selection's colours %q", row, ground)
			}
		})
	}
	if got := ansi.StringWidth(NewLook(DarkBackground, nil).Row(strings.Repeat("大", 40), 20, true)); got != 20 {
		t.Errorf("a long row is %d wide", got)
	}
}

func TestOverlay(t *testing.T) {
	l := NewLook(DarkBackground, []string{"LANG=C.UTF-8"})
	below := []string{l.Theme.Danger.Render("the first line"), "", "the third line", "大大大大大大大大大大"}
	got := l.Overlay(below, []string{"+--+", "|ab|", "+--+"}, 14, 6)
	want := []string{"the first line", "     +--+", "the  |ab| line", "大大 +--+ 大…", "", ""}
	if len(got) != len(want) {
		t.Fatalf("%d lines", len(got))
	}
	for i := range want {
		if plain := strings.TrimRight(ansi.Strip(got[i]), " "); plain != want[i] {
			t.Errorf("line %d is %q, want %q", i+1, plain, want[i])
		}
		if danger, _, _ := strings.Cut(l.Theme.Danger.Render("x"), "x"); strings.Contains(got[i], danger) {
			t.Errorf("line %d has colours of its own below the box: %q", i+1, got[i])
		}
	}
}
