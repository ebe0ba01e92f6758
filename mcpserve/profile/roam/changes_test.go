package roam_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/internal/testutil/require"
)

const (
	agentName  = "Sandbox user (AI)"
	personName = "Sandbox user"
)

// editors are a person and an agent who change a graph at random, and what they have done.
type editors struct {
	*profiletest.World
	*rand.Rand
	person func(action string, args any)
	pages  []string
	blocks map[string]*edited
	uids   []string // of blocks, in the order in which they were made
}

// edited is a block as a replay of the edits has it.
type edited struct {
	parent             string // uid of a page or block
	text               string
	createdBy, by      string
	createdAt, changed int64
}

// newEditors returns editors of the demo graph.
func newEditors(t *testing.T, seed uint64) *editors {
	w := profiletest.NewSuite(t, profiletest.Options{Profile: "roam"}).World(t)
	e := &editors{World: w, Rand: rand.New(rand.NewPCG(28, seed)), blocks: map[string]*edited{}}
	asked := fmt.Sprintf(`{"graph":%q,"graphType":"hosted","description":"a person","accessLevel":"full","ai":false}`, profiletest.MainGraph)
	reply, err := http.Post(fmt.Sprintf("http://127.0.0.1:%d/api/graphs/tokens/request", w.Sandbox.Port()), "application/json", strings.NewReader(asked))
	require.NoError(t, err)
	defer reply.Body.Close()
	var granted struct{ Token string }
	require.NoError(t, json.NewDecoder(reply.Body).Decode(&granted))
	token, err := localapi.ParseToken(granted.Token)
	require.NoError(t, err)
	port := filepath.Join(t.TempDir(), localapi.PortFileName)
	require.NoError(t, os.WriteFile(port, fmt.Appendf(nil, `{"port":%d}`, w.Sandbox.Port()), 0o600))
	client := localapi.New(localapi.Options{PortFile: localapi.PortFile{Path: port, Strict: true}})
	t.Cleanup(client.CloseIdleConnections)
	e.person = func(action string, args any) {
		t.Helper()
		w.Clock.Advance(time.Second)
		_, err := client.Call(t.Context(), w.Graph(profiletest.MainGraph), token, action, args)
		require.NoError(t, err)
	}
	w.Query(&e.pages, `[:find [?u ...] :where [?p :node/title] [?p :block/uid ?u]]`)
	slices.Sort(e.pages)
	return e
}

// write writes as one of both, and returns who it was and when.
func (e *editors) write(action string, args any) (by string, at int64) {
	if e.IntN(2) == 0 {
		e.person(action, args)
		by = personName
	} else {
		e.Roam(action, args)
		by = agentName
	}
	return by, e.Clock.Now().UnixMilli()
}

// edit makes one edit.
func (e *editors) edit(n int) {
	if len(e.uids) < 5 || e.IntN(3) == 0 {
		uid, parent := fmt.Sprintf("new%06d", n), e.pages[e.IntN(len(e.pages))]
		if len(e.uids) > 0 && e.IntN(2) == 0 {
			parent = e.uids[e.IntN(len(e.uids))]
		}
		by, at := e.write("data.block.create", map[string]any{"location": map[string]any{"parent-uid": parent, "order": "last"}, "block": map[string]any{"string": "made", "uid": uid}})
		e.blocks[uid], e.uids = &edited{parent, "made", by, by, at, at}, append(e.uids, uid)
		return
	}
	uid := e.uids[e.IntN(len(e.uids))]
	switch block := e.blocks[uid]; e.IntN(8) {
	case 0:
		e.write("data.block.delete", map[string]any{"block": map[string]any{"uid": uid}})
		e.uids = slices.DeleteFunc(e.uids, func(each string) bool { return slices.Contains(e.above(each), uid) })
	case 1, 2:
		parent := e.pages[e.IntN(len(e.pages))]
		block.by, block.changed = e.write("data.block.move", map[string]any{"location": map[string]any{"parent-uid": parent, "order": "last"}, "block": map[string]any{"uid": uid}})
		block.parent = parent
	default:
		block.text = fmt.Sprintf("text %d", n)
		if e.IntN(6) == 0 {
			block.text += " #.rm-private"
		}
		block.by, block.changed = e.write("data.block.update", map[string]any{"block": map[string]any{"uid": uid, "string": block.text}})
	}
}

// above returns a block with all that it is below, its page last.
func (e *editors) above(uid string) []string {
	list := []string{uid}
	for block := e.blocks[uid]; block != nil; block = e.blocks[list[len(list)-1]] {
		list = append(list, block.parent)
	}
	return list
}

// changedPage is what recent_changes says of a page.
type changedPage struct {
	UID              string
	New              bool
	By               []string
	LastAt           time.Time
	Created, Changed int
	More             int
	Markdown         string
}

// changes returns what recent_changes should say of the replay, by page; of pages only what
// is of blocks that were edited here.
func (e *editors) changes(since, until int64, by string) map[string]changedPage {
	pages, writers := map[string]changedPage{}, map[string]map[string]int64{}
	for _, uid := range e.uids {
		block, above := e.blocks[uid], e.above(uid)
		hidden := slices.ContainsFunc(above, func(each string) bool {
			b := e.blocks[each]
			return b != nil && strings.Contains(b.text, "#.rm-private")
		})
		within := func(at int64, who string) bool { return at >= since && at < until && (by == "" || by == who) }
		created, changed := within(block.createdAt, block.createdBy), within(block.changed, block.by)
		if hidden || !created && !changed {
			continue
		}
		at := above[len(above)-1]
		page := pages[at]
		page.UID = at
		if writers[at] == nil {
			writers[at] = map[string]int64{}
		}
		if created {
			page.Created++
			writers[at][block.createdBy] = max(writers[at][block.createdBy], block.createdAt)
		} else {
			page.Changed++
		}
		if changed {
			writers[at][block.by] = max(writers[at][block.by], block.changed)
		}
		pages[at] = page
	}
	for at, page := range pages {
		for who, last := range writers[at] {
			page.By = append(page.By, who)
			if last := time.UnixMilli(last).UTC().Truncate(time.Second); last.After(page.LastAt) {
				page.LastAt = last
			}
		}
		slices.SortFunc(page.By, func(a, b string) int {
			return cmp.Or(cmp.Compare(writers[at][b], writers[at][a]), cmp.Compare(a, b))
		})
		page.More = max(0, page.Created+page.Changed-5)
		pages[at] = page
	}
	return pages
}

// What recent_changes tells is what a replay of the edits has.
func TestRecentChangesEqualAReplayOfTwoUsersEdits(t *testing.T) {
	e := newEditors(t, 1)
	c := e.Connect(profiletest.Ways()[0])
	e.Clock.Advance(48 * time.Hour) // past what the graph began with
	start := e.Clock.Now()
	for n := range 500 {
		e.edit(n)
		if n%20 != 19 {
			continue
		}
		since := start.Add(e.Clock.Now().Sub(start) * time.Duration(e.IntN(100)) / 100).Truncate(time.Second)
		until, by := e.Clock.Now().Add(time.Hour), []string{"", personName, agentName}[e.IntN(3)]
		arguments := map[string]any{"since": since.Format(time.RFC3339), "limit": 200}
		if by != "" {
			arguments["by"] = strings.ToUpper(by)
		}
		if e.IntN(2) == 0 {
			until = since.Add(e.Clock.Now().Sub(since) / 2).Truncate(time.Second).Add(time.Second)
			arguments["until"] = until.Format(time.RFC3339)
		}
		e.compare(c, arguments, e.changes(since.UnixMilli(), until.UnixMilli(), by))
	}
}

// compare compares an answer with what was wanted.
func (e *editors) compare(c *profiletest.Client, arguments map[string]any, want map[string]changedPage) {
	e.T.Helper()
	text, err := json.Marshal(arguments)
	require.NoError(e.T, err)
	var got struct {
		Total   int
		Results []changedPage
	}
	c.CallAtOnce(e.T.Context(), "recent_changes", string(text)).Decode(e.T, &got)
	got.Results = slices.DeleteFunc(got.Results, func(p changedPage) bool { return p.New && p.Created+p.Changed == 0 }) // of the users
	if len(got.Results) != len(want) {
		e.T.Fatalf("%s: %d pages, not %d", text, len(got.Results), len(want))
	}
	if !slices.IsSortedFunc(got.Results, func(a, b changedPage) int { return b.LastAt.Compare(a.LastAt) }) {
		e.T.Errorf("%s: not the newest first", text)
	}
	for _, page := range got.Results {
		shown := min(page.Created+page.Changed, 5)
		if strings.Contains(page.Markdown, ".rm-private") || strings.Count(page.Markdown, "<roam ") != shown {
			e.T.Errorf("%s: %s shows %q", text, page.UID, page.Markdown)
		}
		page.Markdown = ""
		a, _ := json.Marshal(page)
		b, _ := json.Marshal(want[page.UID])
		if page.New = false; !bytes.Equal(a, b) {
			e.T.Errorf("%s: %s, not %s", text, a, b)
		}
	}
}

func TestRecentChanges(t *testing.T) {
	e := newEditors(t, 2)
	c := e.Connect(profiletest.Ways()[0])
	e.Clock.Advance(48 * time.Hour)
	e.person("data.block.create", map[string]any{"location": map[string]any{"parent-uid": "grace0001", "order": "last"}, "block": map[string]any{"string": strings.Repeat("long ", 50), "uid": "long00001"}})
	e.person("data.block.create", map[string]any{"location": map[string]any{"parent-uid": "ada000001", "order": "last"}, "block": map[string]any{"string": "ahead", "uid": "ahead0001"}})
	e.Clock.Advance(-3 * time.Hour) // to the time of a device whose clock is right
	for name, each := range map[string]struct {
		arguments    string
		wants, lacks []string
	}{
		"cuts a long text and says so":              {`{"page":"Grace"}`, []string{`truncated=\"50\"`}, nil},
		"shows no time that is still to come":       {`{"page":"Ada","since":"1h"}`, []string{`"lastAt":"` + e.Clock.Now().UTC().Format(time.RFC3339) + `"`, "ahead"}, nil},
		"names the users where nobody is called so": {`{"by":"Eve"}`, []string{`"total":0`, `Nobody is called \"Eve\". Who has written here: \"Sandbox user\"`}, nil},
		"tells of one without a name":               {`{"since":"2024-01-01","until":"2024-01-15","by":"unknown"}`, []string{`"by":["unknown"]`}, []string{"Sandbox"}},
	} {
		t.Run(name, func(t *testing.T) {
			text := c.CallAtOnce(t.Context(), "recent_changes", each.arguments).Text()
			for _, part := range each.wants {
				if !strings.Contains(text, part) {
					t.Errorf("no %s in %s", part, text)
				}
			}
			for _, part := range each.lacks {
				if strings.Contains(text, part) {
					t.Errorf("%s in %s", part, text)
				}
			}
		})
	}
}
