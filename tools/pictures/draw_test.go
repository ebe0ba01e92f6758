//go:build unix

package main

import (
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"

	"roam-mcp/internal/testutil/terminal"
)

// typed is a screen of one row with the text in it.
func typed(text string) grid {
	var row []uv.Cell
	for _, char := range text {
		row = append(row, uv.Cell{Content: string(char), Width: 1})
	}
	return grid{row}
}

func (g grid) text() string {
	var all strings.Builder
	for _, cell := range g[0] {
		all.WriteString(cell.Content)
	}
	return all.String()
}

func TestWhatDiffersBetweenRunsIsReplacedInItsPlace(t *testing.T) {
	for before, after := range map[string]string{
		"Roam (sandbox) ● 127.0.0.1:40123 ":                        "Roam (sandbox) ● 127.0.0.1:33333 ",
		"Token …x_9Z, checked 3 s ago, answered in under 1 ms.  │": "Token …p0k7, checked just now, answered in 2 ms.       │",
		"Token …x_9Z, checked just now, answered in 17 ms.":        "Token …p0k7, checked just now, answered in 2 ms. ",
		"get_graph_guidelines on Work in 118 ms   ":                "get_graph_guidelines on Work in 9 ms     ",
		"Guidelines        read in under 1 ms │":                   "Guidelines              read in 2 ms │",
		"◓ Waiting        0:01 so far, 4:59 left":                  "◐ Waiting        0:12 so far, 4:48 left",
		"run " + programAt + " serve":                              "run " + shownAt + " serve",
		"nothing of that kind at 3:33 in 127.0.0.1:80":             "nothing of that kind at 3:33 in 127.0.0.1:80",
	} {
		g := typed(before)
		width := len(g[0])
		got := g.masked(masks())
		if len(got[0]) != width {
			t.Errorf("%q got another width", before)
		}
		if got.text() != after {
			t.Errorf("%q became %q, want %q", before, got.text(), after)
		}
	}
}

func TestWhatIsReplacedLooksLikeWhatWasThere(t *testing.T) {
	g := typed(" · 14:02:08 claude-code search    2 ms  85 B")
	selected := uv.Style{Fg: color.White}
	for i, cell := range g[0] {
		if cell.Content != " " {
			g[0][i].Style = selected
		}
	}
	for len(g) < 5 {
		g = append(g, typed(strings.Repeat(" ", len(g[0])))[0])
	}
	g[0], g[4] = g[4], g[0]
	for _, cell := range g.masked(times())[4] {
		if cell.Content != " " && cell.Style.Fg != color.White {
			t.Errorf("%q has another colour in %q", cell.Content, grid{g[4]}.text())
		}
	}
	if got := (grid{g[4]}).text(); !strings.Contains(got, " 19 ms ") {
		t.Errorf("%q has no number of two digits", got)
	}
}

// A true colour, one of 256, and the default ones come through the emulator.
func TestTheEmulatorKeepsTheColoursThatTheProgramHas(t *testing.T) {
	command := exec.Command("/bin/sh", "-c", `printf '\033[38;2;124;183;255;1mA\033[0;38;5;196mB\033[0mC\033[7mD\033[0;4mE\033[0;38;2;0;0;3mF'; exec sleep 60`)
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "TERM=xterm"}
	screen, err := terminal.Start(command, 20, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer screen.Kill()
	if err := screen.Await(patience, "ABCDEF"); err != nil {
		t.Fatal(err)
	}
	row, b := gridOf(screen)[0], dark()
	for i, want := range []struct {
		fg, bg          color.NRGBA
		bold, underline bool
	}{
		{fg: rgb(0x7cb7ff), bg: b.background, bold: true},
		{fg: rgb(0xff0000), bg: b.background},
		{fg: b.foreground, bg: b.background},
		{fg: b.background, bg: b.foreground},
		{fg: b.foreground, bg: b.background, underline: true},
		{fg: rgb(0x000003), bg: b.background},
	} {
		cell := row[i]
		if fg, bg := b.colors(cell.Style); fg != want.fg || bg != want.bg {
			t.Errorf("%s is %v on %v, want %v on %v", cell.Content, fg, bg, want.fg, want.bg)
		}
		if bold, underline := cell.Style.Attrs&uv.AttrBold != 0, cell.Style.Underline != uv.UnderlineNone; bold != want.bold || underline != want.underline {
			t.Errorf("%s is bold %t and underlined %t, want %t and %t", cell.Content, bold, underline, want.bold, want.underline)
		}
	}
}

func TestAPictureHasEveryCharacterOfTheScreensOnBothBackgrounds(t *testing.T) {
	p, err := newPen()
	if err != nil {
		t.Fatal(err)
	}
	const chars = "Ag●○◐◓◑◒✗✓▲▌›·…–×“”↑↓←→─│┌┐└┘├┤┬┴┼╭╮╰╯█▐é"
	for _, b := range []backdrop{dark(), light()} {
		path := filepath.Join(t.TempDir(), "picture.png")
		if err := p.write(path, typed(chars), b); err != nil {
			t.Fatal(err)
		}
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		picture, err := png.Decode(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, char := range []rune(chars) {
			inked := 0
			for x := margin + i*cellWidth; x < margin+(i+1)*cellWidth; x++ {
				for y := margin; y < margin+cellHeight; y++ {
					if color.NRGBAModel.Convert(picture.At(x, y)) != b.background {
						inked++
					}
				}
			}
			if inked < 8 {
				t.Errorf("%c is not in the %s picture", char, b.name)
			}
		}
	}
	if err := p.write(filepath.Join(t.TempDir(), "none.png"), typed("\U0001F600"), dark()); err == nil {
		t.Error("a character that the font lacks is not an error")
	}
}

func TestLinesJoinFromCellToCell(t *testing.T) {
	b := dark()
	c := newCanvas(2*cellWidth, 2*cellHeight, b)
	for i, char := range []rune("┌┐└┘") {
		drawn(c, i%2*cellWidth, i/2*cellHeight, char, b.foreground)
	}
	middle, center := (cellWidth-stroke)/2, (cellHeight-stroke)/2
	ink := func(x, y int) bool { return c.image.At(x, y) == color.Color(b.foreground) }
	for x := middle; x < cellWidth+middle; x++ {
		if !ink(x, center) || !ink(x, cellHeight+center) {
			t.Fatalf("the line has a gap at column %d", x)
		}
	}
	for y := center; y < cellHeight+center; y++ {
		if !ink(middle, y) || !ink(cellWidth+middle, y) {
			t.Fatalf("the line has a gap at row %d", y)
		}
	}
	if ink(0, center) || ink(middle, 0) {
		t.Error("a corner goes on beyond its cell")
	}
}

func TestTheShownPathIsAsLongAsTheRealOne(t *testing.T) {
	if len(programAt) != len(shownAt) {
		t.Errorf("%s and %s have different lengths, so screens would wrap elsewhere", programAt, shownAt)
	}
}

// Each scene and the film have their two pictures, each of them is on a page, and no page
// shows another one.
func TestThePicturesAreThoseThatPagesShow(t *testing.T) {
	made := map[string]bool{}
	for _, s := range scenes() {
		for _, b := range []backdrop{dark(), light()} {
			made[s.name+"-"+b.name+".png"] = true
		}
	}
	for _, b := range []backdrop{dark(), light()} {
		made[filepath.Base(filmPath(b))] = true
	}
	files, err := filepath.Glob("../../docs/*.[pg][ni][gf]")
	if err != nil || len(files) != len(made) {
		t.Errorf("docs has %d pictures, the scenes have %d (%v)", len(files), len(made), err)
	}
	for _, file := range files {
		if !made[filepath.Base(file)] {
			t.Errorf("%s belongs to no scene", file)
		}
	}
	shown := map[string]bool{}
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		found, err := filepath.Glob(filepath.Join("../..", pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, page := range found {
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range regexp.MustCompile(`[a-z0-9-]+\.(?:png|gif)`).FindAllString(string(text), -1) {
				shown[name] = true
				if !made[name] {
					t.Errorf("%s shows %s, which no scene makes", page, name)
				}
			}
		}
	}
	for name := range made {
		if !shown[name] {
			t.Errorf("no page shows %s", name)
		}
	}
}
