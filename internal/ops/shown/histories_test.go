package shown_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/ops/shown"
	"roam-mcp/internal/problem"
)

// step is one of a history. Its numbers are taken modulo what there is.
type step struct {
	does    string
	a, b, c int
}

// history is a note, what a connection knows of it, and what the model knows of that.
type history struct {
	page *row
	uids int

	memory shown.Graph
	text   string // that the agent works on
	sep    string // between its lines

	read bool // the connection knows of the note
	view *row
	part bool // only a part was shown: cut
	cut  cut

	counts map[string]int
	trace  []string
}

const pageUID = "page"

func newHistory() *history {
	return &history{page: &row{text: rootText}, memory: shown.NewMemory().On(localapi.Graph{}, false), counts: map[string]int{}}
}

var vocabulary = []string{"tea", "milk", "bread", "rice", "salt"}

// textOf makes a text of few words, so that many are equal or alike.
func textOf(n int) string {
	var words []string
	for range 1 + n%3 {
		n /= 3
		words = append(words, vocabulary[n%len(vocabulary)])
		n /= len(vocabulary)
	}
	return strings.Join(words, " ")
}

// reworded returns a text of which a word is another one, or with one more.
func reworded(text string, n int) string {
	words := strings.Fields(text)
	word := vocabulary[n/4%len(vocabulary)]
	if len(words) == 0 || n%4 == 0 {
		return strings.Join(append(words, word), " ")
	}
	if n%4 == 1 {
		return textOf(n)
	}
	words[n/20%len(words)] = word
	return strings.Join(words, " ")
}

func (h *history) node() note.Node {
	var of func(r *row) []note.Node
	of = func(r *row) (nodes []note.Node) {
		for _, kid := range r.kids {
			nodes = append(nodes, note.Node{UID: kid.uid, Text: kid.text, Children: of(kid)})
		}
		return nodes
	}
	return note.Node{UID: pageUID, Title: "Note", Children: of(h.page)}
}

func (h *history) current() shown.Current {
	n := h.node()
	now := shown.Current{Node: n}
	for _, each := range note.Render(n).Blocks {
		now.Content = append(now.Content, each.UID)
	}
	return now
}

// parentOf returns the row above another one, and its place there.
func parentOf(page, r *row) (*row, int) {
	for _, each := range append([]*row{page}, below(page)...) {
		if at := slices.Index(each.kids, r); at >= 0 {
			return each, at
		}
	}
	panic("no parent")
}

func (h *history) uid() string {
	h.uids++
	return fmt.Sprintf("uid%d", h.uids)
}

// edit lets a person edit directly.
func (h *history) edit(s step) {
	all := below(h.page)
	added := &row{uid: h.uid(), text: textOf(s.c)}
	if len(all) == 0 {
		h.page.kids = []*row{added}
		return
	}
	r := all[s.a%len(all)]
	if shown := h.seenRows(); s.b%10 > 0 && len(shown) > 0 {
		r = shown[s.a%len(shown)]
	}
	parent, at := parentOf(h.page, r)
	switch s.does {
	case "person changes":
		r.text = reworded(r.text, s.c)
	case "person adds":
		parent.kids = slices.Insert(parent.kids, at+s.b%2, added)
	case "person adds below":
		r.kids = append(r.kids, added)
	case "person deletes":
		parent.kids = slices.Delete(parent.kids, at, at+1)
	case "person moves", "person moves below":
		parent.kids = slices.Delete(parent.kids, at, at+1)
		if rest := below(h.page); s.does == "person moves below" && len(rest) > 0 {
			parent = rest[s.c%len(rest)]
		}
		parent.kids = slices.Insert(parent.kids, s.c%(len(parent.kids)+1), r)
	}
}

// seenRows returns the rows of the page that were shown.
func (h *history) seenRows() []*row {
	var list []*row
	if h.view == nil {
		return nil
	}
	_, known := copied(h.view)
	for _, r := range below(h.page) {
		if was := known[r.uid]; was != nil && was.seen {
			list = append(list, r)
		}
	}
	return list
}

// readNote shows the agent a part of the note.
func (h *history) readNote(s step) error {
	n := h.node()
	r := note.Render(n)
	if text, _, _, _ := written(h.page); r.Text != text {
		return fmt.Errorf("the content is\n%s\nwant\n%s", r.Text, text)
	}
	from, to, mark := 0, len(r.Text), ""
	switch s.does {
	case "reads a part":
		from = s.a % (len(r.Text) + 1)
		if s.c%2 == 0 {
			from = strings.LastIndex(r.Text[:from], "\n") + 1
		}
		to = from + s.b%(len(r.Text)-from+1)
	case "reads the start":
		to = s.b % (len(r.Text) + 1)
	}
	if to < len(r.Text) && s.c%3 > 0 {
		mark = markOfCut
	}
	h.sep = "\n\n"
	if _, _, texts, _ := written(h.page); len(texts) > 0 && texts[0] > 0 {
		h.sep = "\n"
	}
	h.text, h.read = r.Text[from:to]+mark, true
	part := r.Part(from, to, mark)
	var known map[string]bool
	h.cut, known = cutOf(h.page, from, to, mark != "")
	h.view, _ = copied(h.page)
	if h.part = !part.IsWhole(r) || mark != ""; h.part {
		h.memory.Keep(pageUID, shown.Partly(n, part, nil))
	} else {
		h.memory.Keep(pageUID, shown.Whole(n, h.current().Content))
	}
	for _, each := range below(h.view) {
		each.seen = known[each.uid]
	}
	return nil
}

// change lets the agent change its text.
func (h *history) change(s step) {
	if h.sep == "" {
		h.sep = "\n\n"
	}
	lines := strings.Split(h.text, h.sep)
	i, j := s.a%len(lines), s.b%len(lines)
	bare := strings.TrimLeft(lines[i], " -")
	front := lines[i][:len(lines[i])-len(bare)]
	if strings.HasSuffix(front, "-") && s.does != "agent doubles" && s.does != "agent moves" {
		front += " "
		lines[i] = front + bare
	}
	if front == strings.TrimSuffix(lines[i], markOfCut) && !strings.Contains(front, "-") && s.does != "agent drops all" && h.sep == "\n" {
		return // blanks only: what a word in them is below depends on Markdown
	}
	switch s.does {
	case "agent changes":
		mark := ""
		if bare, mark = strings.TrimSuffix(bare, markOfCut), ""; front+bare != lines[i] {
			mark = markOfCut
		}
		lines[i] = front + reworded(bare, s.c) + mark
	case "agent drops":
		lines = slices.Delete(lines, i, i+1)
	case "agent inserts":
		if h.sep == "\n" && !strings.Contains(front, "-") {
			front = "- "
		}
		lines = slices.Insert(lines, i, strings.TrimSuffix(front+textOf(s.c), "\n"))
	case "agent doubles":
		lines = slices.Insert(lines, j, strings.TrimSuffix(lines[i], markOfCut))
	case "agent moves":
		moved := lines[i]
		lines = slices.Delete(lines, i, i+1)
		lines = slices.Insert(lines, s.b%(len(lines)+1), moved)
	case "agent nests":
		if h.sep == "\n" && strings.Contains(front, "-") {
			lines[i] = strings.Repeat("  ", s.c%3) + "- " + bare
		}
	case "agent drops all":
		lines = []string{}
	case "agent strips the mark":
		h.text = strings.ReplaceAll(h.text, markOfCut, "")
		return
	case "agent strips blanks":
		h.text = strings.TrimSpace(h.text)
		return
	case "agent puts the mark in a line of its own":
		if cut, ok := strings.CutSuffix(h.text, markOfCut); ok {
			h.text = cut + "\n" + markOfCut
		}
		return
	case "agent pastes what is elsewhere":
		all := below(h.page)
		if len(all) > 0 {
			front := ""
			if h.sep == "\n" {
				front = "- "
			}
			lines = append(lines, front+all[s.c%len(all)].text)
		}
	}
	h.text = strings.Join(lines, h.sep)
}

// do makes a step of the history, and reports what is not as the model has it.
func (h *history) do(s step) error {
	before := h.text
	defer func() {
		say := fmt.Sprintf("%s (%d %d %d)", s.does, s.a, s.b, s.c)
		if h.text != before {
			say += fmt.Sprintf("\n  text: %q", h.text)
		}
		if strings.HasPrefix(s.does, "person") {
			say += "\n" + drawn(h.page, 1)
		}
		h.trace = append(h.trace, strings.TrimRight(say, "\n"))
	}()
	switch {
	case s.does == "sends":
		return h.send(s)
	case strings.HasPrefix(s.does, "person"):
		h.edit(s)
	case strings.HasPrefix(s.does, "agent"):
		h.change(s)
	default:
		return h.readNote(s)
	}
	return nil
}

func runHistory(steps []step) (h *history, err error) {
	h = newHistory()
	defer func() {
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("panic: %v", panicked)
		}
	}()
	for _, s := range steps {
		if err := h.do(s); err != nil {
			return h, err
		}
	}
	return h, nil
}

// randomHistory makes the steps of a history.
func randomHistory(random *rand.Rand, nested bool) []step {
	var steps []step
	add := func(kinds ...string) {
		steps = append(steps, step{kinds[random.IntN(len(kinds))], random.IntN(10000), random.IntN(10000), random.IntN(10000)})
	}
	persons := []string{"person changes", "person changes", "person adds", "person deletes", "person moves"}
	grows := []string{"person adds"}
	if nested {
		persons, grows = append(persons, "person adds below", "person moves below"), append(grows, "person adds below")
	}
	for range 1 + random.IntN(7) {
		add(grows...)
	}
	for range 1 + random.IntN(4) {
		if random.IntN(3) > 0 || len(steps) < 8 && random.IntN(10) > 0 {
			add("reads all", "reads the start", "reads a part")
		}
		for range random.IntN(4) {
			add("agent changes", "agent changes", "agent drops", "agent inserts", "agent doubles", "agent moves", "agent nests", "agent drops all",
				"agent strips the mark", "agent strips blanks", "agent puts the mark in a line of its own", "agent pastes what is elsewhere")
		}
		for range random.IntN(3) {
			add(persons...)
		}
		add("sends")
		if random.IntN(2) == 0 {
			add("sends")
		}
	}
	return steps
}

// shrunk drops steps of a history that fails while it still does.
func shrunk(steps []step) ([]step, *history, error) {
	h, err := runHistory(steps)
	for again := true; again; {
		again = false
		for i := len(steps) - 1; i >= 0; i-- {
			fewer := slices.Delete(slices.Clone(steps), i, i+1)
			if less, failed := runHistory(fewer); failed != nil {
				steps, h, err, again = fewer, less, failed, true
			}
		}
	}
	return steps, h, err
}

func testHistories(t *testing.T, seed uint64, count int) {
	counts, failures := map[string]int{}, 0
	for i := range uint64(count) {
		random := rand.New(rand.NewPCG(seed+i, 23))
		steps := randomHistory(random, i%2 == 1)
		h, err := runHistory(steps)
		for what, n := range h.counts {
			counts[what] += n
		}
		if err == nil {
			continue
		}
		_, h, err = shrunk(steps)
		t.Errorf("history %d:\n%s\n%v", seed+i, strings.Join(h.trace, "\n"), err)
		if failures++; failures == 3 {
			break
		}
	}
	t.Logf("%v", counts)
	for _, what := range []string{"written", string(shown.CodeReadFirst), string(shown.CodeChangedSinceRead), string(shown.CodePartOnly)} {
		if failures == 0 && counts[what] < count/100 {
			t.Errorf("of %d histories %d end with %s", count, counts[what], what)
		}
	}
	if sum := counts["written"] + counts[string(shown.CodeChangedSinceRead)]; failures == 0 && counts["too many ways"] > sum/10 {
		t.Errorf("of %d texts %d can be read in too many ways", sum, counts["too many ways"])
	}
}

func TestWhatIsWrittenIsAsTheModelHasIt(t *testing.T) { testHistories(t, 1, 500) }

func codeOf(err error) problem.Code {
	if failed, ok := problem.As(err); ok {
		return failed.Code
	}
	return ""
}

// rowsOf returns blocks as rows.
func rowsOf(blocks []outline.Block) []*row {
	var list []*row
	for _, b := range blocks {
		list = append(list, &row{uid: b.UID, text: b.String, kids: rowsOf(b.Children)})
	}
	return list
}
