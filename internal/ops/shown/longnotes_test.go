package shown_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/internal/testutil/race"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/mcpserve"
)

// rewriting is how a profile reads a note from somewhere on, and replaces its content.
type rewriting struct {
	profile, read, update string
	first                 int // where the first read begins
	// shows returns what a reply shows that an agent sends back, and where in it the content
	// begins.
	shows func(reply string) (text string, at int)
	// next returns where the next read begins, of a note of which a text was shown from
	// somewhere on and made longer; 0: nothing goes on.
	next func(text string, from, longer int) int
}

func rewritings() []rewriting {
	field := func(reply string) (string, int) {
		var note struct{ Content string }
		_ = json.NewDecoder(strings.NewReader(reply)).Decode(&note) // behind it may stand how to go on
		return note.Content, 0
	}
	offset := func(text string, from, longer int) int {
		rest, cut := strings.CutSuffix(text, "... [truncated]")
		if !cut {
			return 0
		}
		return from + utf8.RuneCountInString(rest) + longer
	}
	prose := func(reply string) (string, int) { return reply, strings.Index(reply, "\n---\n\n") + len("\n---\n\n") }
	line := func(text string, _, _ int) int {
		named := namedLine.FindStringSubmatch(text)
		if named == nil {
			return 0
		}
		next, _ := strconv.Atoi(named[1])
		return next
	}
	return []rewriting{
		{"graph", `get_node {"id":"$id","offset":$from}`, `update_node {"id":"$id","content":$content}`, 0, field, offset},
		{"notes", `get_note {"id":"$id","offset":$from}`, `update_note {"id":"$id","content":$content}`, 0, field, offset},
		{"wiki", `get_note {"path":"$title","line":$from}`, `update_note {"path":"$title","content":$content}`, 1, prose, line},
	}
}

// namedLine is how a reply of wiki that is cut names the line to go on from.
var namedLine = regexp.MustCompile(`\n\nShown lines [0-9,]+ to [0-9,]+ of [0-9,]+; call get_note with line ([0-9]+)\.$`)

// longNote is a page whose lines are all different.
type longNote struct{ UID, Title string }

// exported is a block of an export.
type exported struct {
	String   string     `json:"string"`
	UID      string     `json:"uid"`
	Heading  int        `json:"heading,omitempty"`
	Children []exported `json:"children,omitempty"`
}

// longNotes makes notes of all kinds of blocks, of sizes from 10 blocks up to a greatest one.
func longNotes(random *rand.Rand, count, most int) (notes []longNote, export string) {
	var pages []map[string]any
	made := 0
	for i := range count {
		blocks := int(10 * math.Pow(float64(most)/10, float64(i)/float64(max(1, count-1)))) // each longer than the last by the same part
		flat := i%4 == 0
		var tops []exported
		var open *exported
		for line := range blocks {
			made++
			b := exported{UID: fmt.Sprintf("b%08d", made), String: fmt.Sprintf("Line %d of %d", made, i)}
			if line > 0 && !flat {
				b.String, b.Heading = lineOf(random, b.String, i), 0
				if random.IntN(20) == 0 {
					b.Heading = 1 + random.IntN(3)
				}
			}
			if open == nil || flat || random.IntN(4) == 0 {
				tops = append(tops, b)
				open = &tops[len(tops)-1]
				continue
			}
			for len(open.Children) > 0 && random.IntN(3) == 0 {
				open = &open.Children[len(open.Children)-1]
			}
			open.Children = append(open.Children, b)
			if random.IntN(5) == 0 {
				open = &tops[len(tops)-1]
			}
		}
		n := longNote{fmt.Sprintf("p%08d", i), fmt.Sprintf("Long note %d", i)}
		notes = append(notes, n)
		pages = append(pages, map[string]any{"title": n.Title, "uid": n.UID, "children": tops})
	}
	text, _ := json.Marshal(pages)
	return notes, string(text)
}

// lineOf makes the text of a block of some kind.
func lineOf(random *rand.Rand, text string, note int) string {
	switch random.IntN(16) {
	case 0:
		if note%3 == 0 && random.IntN(50) == 0 {
			return text + strings.Repeat(" and so on", 5000)
		}
		return text + strings.Repeat(" and so on", 50)
	case 1:
		return "```go\nfunc f() {\n\t// " + text + "\n}```"
	case 2:
		return "| a | b |\n|---|---|\n| 1 | " + text + " |"
	case 3:
		return text + "\nand a second line\n\nand a fourth"
	case 4:
		return text + " as in ((b00000001))"
	case 5:
		return []string{"Color:: ", "Tags:: ", "Source:: "}[random.IntN(3)] + text
	case 6:
		return text + " #.rm-private"
	case 7:
		return "{{[[TODO]]}} " + text + " **bold** __it__ [[Page]] [a](https://b.c)"
	}
	return text
}

// textsOf returns the blocks of a page as Roam has them: their texts, places and headings.
func textsOf(w *profiletest.World, uid string) map[string]string {
	all := map[string]string{}
	var rows [][4]any
	w.Query(&rows, `[:find ?u ?s ?o ?above :in $ ?page :where [?p :block/uid ?page] [?b :block/page ?p] [?b :block/uid ?u] [?b :block/string ?s] [?b :block/order ?o] [?a :block/children ?b] [?a :block/uid ?above]]`, uid)
	for _, row := range rows {
		all[row[0].(string)] = fmt.Sprintf("%v at %v below %v", row[1], row[2], row[3])
	}
	var headings [][2]any
	w.Query(&headings, `[:find ?u ?h :in $ ?page :where [?p :block/uid ?page] [?b :block/page ?p] [?b :block/uid ?u] [?b :block/heading ?h]]`, uid)
	for _, row := range headings {
		all[row[0].(string)] += fmt.Sprintf(" heading %v", row[1])
	}
	return all
}

var anyLine = regexp.MustCompile(`Line \d+ of \d+`)

// testLongNotes reads notes with budgets that cut and part after part, changes the first line
// of what is shown by a word, and sends all that back.
func testLongNotes(t *testing.T, count, most int, budgets ...int) {
	for _, r := range rewritings() {
		t.Run(r.profile, func(t *testing.T) {
			t.Parallel()
			notes, export := longNotes(rand.New(rand.NewPCG(12, 2)), count, most)
			w := profiletest.NewSuite(t, profiletest.Options{Profile: r.profile, Export: export}).World(t)
			written, texts := 0, map[string]map[string]string{}
			for _, budget := range budgets {
				c, end := w.Serve(func(o *mcpserve.Options) { o.MaxReply = budget })
				for i, n := range notes {
					from := r.first
					for turn := 0; turn < 3 && (turn == 0 || from > 0); turn++ {
						at := fmt.Sprintf("%s with %d from %d", n.Title, budget, from)
						from = r.changes(t, w, c, n, texts, at, from, fmt.Sprintf("Turn %d-%d-%d", budget, i, turn))
						written++
					}
				}
				end()
			}
			t.Logf("%d notes, %d times read and written back", len(notes), written)
		})
	}
}

// changes reads a note from somewhere on, changes one line, and returns where the next read
// begins; 0 where nothing goes on. texts are those of the notes that were looked at, as they
// were left.
func (r rewriting) changes(t *testing.T, w *profiletest.World, c *profiletest.Client, n longNote, texts map[string]map[string]string, at string, from int, word string) int {
	call := func(line string, content string) profiletest.Result {
		text, err := json.Marshal(content)
		require.NoError(t, err)
		tool, arguments, _ := strings.Cut(line, " ")
		arguments = strings.NewReplacer("$id", n.UID, "$title", n.Title, "$from", fmt.Sprint(from), "$content", string(text)).Replace(arguments)
		return c.Call(tool, arguments)
	}
	before, known := texts[n.UID]
	if !known {
		before = textsOf(w, n.UID)
	}
	text, begins := r.shows(call(r.read, "").Text())
	found := anyLine.FindStringIndex(text[begins:])
	if found == nil {
		if from == r.first {
			t.Errorf("%s: nothing is shown: %q", at, text)
		}
		return 0
	}
	end := begins + found[1]
	if answer := call(r.update, text[:end]+" "+word+text[end:]); answer.IsError || answer.RPC != nil {
		t.Errorf("%s: %s", at, answer)
		return 0
	}
	after := textsOf(w, n.UID)
	texts[n.UID] = after
	changed := ""
	for uid, is := range after {
		if before[uid] != is {
			changed += fmt.Sprintf("\n%s: %.300q, was %.300q", uid, is, before[uid])
		}
	}
	maps.DeleteFunc(before, func(uid, _ string) bool { _, there := after[uid]; return there })
	if strings.Count(changed, "\n") != 1 || !strings.Contains(changed, word) || len(before) > 0 {
		t.Errorf("%s: these are not as they were:%s\nand these are gone: %.2000v", at, changed, before)
	}
	return r.next(text, from, len(word)+1)
}

func TestAChangedLineOfALongNoteIsOneChangedBlock(t *testing.T) {
	count := 9
	if race.Enabled {
		count = 2
	}
	testLongNotes(t, count, 300, mcpserve.SmallestReply, 18_000)
}
