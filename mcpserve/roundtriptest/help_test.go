package roundtriptest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/helpgraph"
	"roam-mcp/internal/testutil/rebuild"
)

// helpGraphs are the exports of Roam's public help graph.
var helpGraphs = []string{"help.json", "help.edn"}

// testHelp reads one in every pages of the help graphs in each profile with notes, writes it back
// unchanged, and with one word changed. Not all of them: each profile reads one of the graphs.
func testHelp(t *testing.T, every int) {
	for i, name := range helpGraphs {
		for n, profile := range []string{"graph", "notes", "wiki"} {
			if every > 1 && n%2 != i {
				continue // reading a graph takes longest
			}
			t.Run(name+" "+profile, func(t *testing.T) {
				w := newWorld(t, profile, helpgraph.Read(t, name))
				var uids []string
				w.Query(&uids, `[:find [?u ...] :where [?p :node/title] [?p :block/children] [?p :block/uid ?u]]`)
				slices.Sort(uids)
				random := rand.New(rand.NewPCG(uint64(every), uint64(n)))
				w.stamp(t)
				want := w.graph()
				pages, changed := 0, 0
				for i := random.IntN(every); i < len(uids); i += every {
					page := w.page(uids[i])
					if strings.HasPrefix(page.Text, "roam/") {
						continue // Roam's own pages are not written
					}
					pages++
					block, text, err := w.oneWord(page, random)
					if err != nil {
						t.Errorf("%s %q: %v", page.UID, page.Text, err)
						want = w.graph()
						continue
					}
					if block != "" {
						changed++
						want.Nodes[block].Attrs[":block/string"] = text
					}
				}
				got := w.graph()
				forgetMentioned(got, want)
				if lines := rebuild.Differences(got, want); len(lines) > 0 {
					t.Errorf("the export differs in %d lines: %s", len(lines), strings.Join(lines[:min(len(lines), 5)], "\n"))
				}
				t.Logf("%d pages, a word changed on %d of them", pages, changed)
			})
		}
	}
}

// forgetMentioned takes the pages out of got that Roam makes since a changed text mentions them.
func forgetMentioned(got, want rebuild.Graph) {
	for uid, node := range got.Nodes {
		title := node.Attrs[":node/title"]
		if want.Nodes[uid] != nil || title == "" || len(node.Children) > 0 {
			continue
		}
		for _, other := range want.Nodes {
			text := other.Attrs[":block/string"]
			if strings.Contains(text, newWord) && strings.Contains(text, strings.Trim(title, `"`)) {
				delete(got.Nodes, uid)
			}
		}
	}
}

// stamp makes what the first write makes.
func (w *world) stamp(t *testing.T) {
	t.Helper()
	w.Roam("data.page.create", map[string]any{"page": map[string]any{"title": "Sandbox user (AI)", "uid": "sbuser001"}})
}

var (
	// what is no word of a text: links, references, tags, addresses, markup, components, names of
	// attributes, code, formulas, escapes
	noWord  = regexp.MustCompile("\\[\\[.*?\\]\\]|\\(\\([\\w-]+\\)\\)(?s:<ref>.*?</ref>)?|#\\S+|\\S*://\\S+|<[^>]*>|\\{\\{.*?\\}\\}|\\]\\([^)]*\\)|(?m:^[ -]*[^\\n]*?::)|`[^`]*`|\\$\\$.*?\\$\\$|‹[^›]*›|\\S*[\\[\\]()|{}\\\\]\\S*")
	aWord   = regexp.MustCompile(`\b[A-Za-z]{3,}\b`)
	newWord = "qzqzqz"
)

// oneWord writes a page back unchanged, and then with one word changed. It returns the block
// with the word, if there is any, and its text now, as JSON.
func (w *world) oneWord(page stored, random *rand.Rand) (uid, text string, err error) {
	w.T.Helper()
	shown, err := w.note(page)
	if err != nil {
		return "", "", err
	}
	w.ResetCalls()
	if err := w.writeNote(page, shown.whole); err != nil {
		return "", "", fmt.Errorf("unchanged: %w", err)
	}
	if after := w.page(page.UID).String(); after != page.String() {
		return "", "", fmt.Errorf("unchanged: %s", firstDifference(after, page.String()))
	}
	if wrote := w.wrote(); wrote != nil {
		return "", "", fmt.Errorf("unchanged: sends %q", wrote)
	}
	masked := noWord.ReplaceAllStringFunc(shown.content, func(s string) string { return strings.Repeat("\x00", len(s)) })
	words := aWord.FindAllStringIndex(masked, -1)
	if words == nil || shown.items != nil {
		return "", "", nil
	}
	at := words[random.IntN(len(words))]
	word := shown.content[at[0]:at[1]]
	if shown, err = w.note(page); err != nil {
		return "", "", err
	}
	if err := w.writeNote(page, shown.content[:at[0]]+newWord+shown.content[at[1]:]); err != nil {
		return "", "", fmt.Errorf("%q changed: %w", word, err)
	}
	before, after := flat([]stored{page}), flat([]stored{w.page(page.UID)})
	if len(before) != len(after) {
		return "", "", fmt.Errorf("%q changed: there are %d blocks, were %d", word, len(after), len(before))
	}
	for i := range before {
		was, is := before[i], after[i]
		back := strings.Replace(is.Text, newWord, word, 1)
		was.Children, is.Children, is.Text = nil, nil, back
		if was.String() != is.String() {
			return "", "", fmt.Errorf("%q changed: %s", word, firstDifference(is.String(), was.String()))
		}
		if back != after[i].Text {
			uid = is.UID
			quoted, _ := json.Marshal(after[i].Text)
			text = string(quoted)
		}
	}
	if uid == "" {
		return "", "", fmt.Errorf("%q changed: nothing did", word)
	}
	return uid, text, nil
}
