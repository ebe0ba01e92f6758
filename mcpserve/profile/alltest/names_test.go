package alltest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/testutil/hardtitles"
	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/mcpserve"
)

func TestPagesWithHardTitlesAreHitByWhatIsPrinted(t *testing.T) { testHardTitles(t, 1, 80, 20) }

// testHardTitles reads, changes and deletes pages by what lists print for them, in every
// profile. Each call has to hit its page and no other one; every says after how many the
// whole graph is looked at.
func testHardTitles(t *testing.T, seed uint64, n, every int) {
	now := time.Date(2024, time.January, 16, 12, 0, 0, 0, time.UTC) // as the clock of a world
	pages := hardtitles.Make(seed, n, now)
	for name, hard := range hardProfiles() {
		t.Run(name, func(t *testing.T) {
			h := &hardTest{T: t, hardProfile: hard, pages: pages, every: every}
			profile, _, _ := strings.Cut(name, " ")
			h.w, h.c = profiletest.Connect(t, profiletest.Options{Profile: profile, Export: h.export(), Server: func(o *mcpserve.Options) {
				o.MaxReply, o.Toolsets = 4_000_000, hard.toolsets
			}})
			h.run(seed)
		})
	}
}

// hardProfile is how a profile names pages.
type hardProfile struct {
	toolsets []string
	// list returns what is printed for each page, by uid.
	list func(h *hardTest) map[string]string
	// read, change and remove are calls, with %s for what was printed and, of a change, %q
	// for a text.
	read, change, remove string
}

func hardProfiles() map[string]hardProfile {
	rows := func(field int) func(h *hardTest) map[string]string {
		return func(h *hardTest) map[string]string {
			var reply struct{ Result [][2]string }
			h.c.Call("datalog_query", `{"query":"[:find ?t ?u :where [?p :node/title ?t] [?p :block/uid ?u]]"}`).Decode(h.T, &reply)
			printed := map[string]string{}
			for _, row := range reply.Result {
				printed[row[1]] = row[field]
			}
			return printed
		}
	}
	return map[string]hardProfile{
		"roam by title": {list: rows(0), read: `get_page {"title":%s}`, change: `create_block {"pageTitle":%s,"markdown":%q}`},
		"roam by uid":   {list: rows(1), read: `get_page {"uid":%s}`, change: `create_block {"parentUid":%s,"markdown":%q}`, remove: `delete_page {"uid":%s}`},
		"graph": {
			toolsets: []string{"core", "more"}, list: listNodes,
			read: `get_node {"id":%s}`, change: `update_node {"id":%s,"content":%q}`, remove: `delete_node {"id":%s}`,
		},
		"notes": {
			read: `get_note {"id":%s}`, change: `update_note {"id":%s,"content":%q}`, remove: `delete_note {"id":%s}`,
			list: func(h *hardTest) map[string]string {
				var notes []struct{ ID string }
				h.c.Call("get_notes", `{}`).Decode(h.T, &notes)
				printed := map[string]string{}
				for _, each := range notes {
					printed[each.ID] = each.ID
				}
				return printed
			},
		},
		"wiki": {list: listPaths, read: `get_note {"path":%s}`, change: `update_note {"path":%s,"content":%q}`, remove: `delete_note {"path":%s}`},
		"outline": {
			read: `get_page_content {"page_name":%s}`, change: `update_page {"page_name":%s,"content_append":%q}`, remove: `delete_page {"page_name":%s,"force":true}`,
			list: func(h *hardTest) map[string]string {
				var list struct {
					Pages []struct {
						Name string `json:"page_name"`
						UID  string `json:"page_uuid"`
					}
				}
				h.c.Call("list_pages", `{"include_journals":true}`).Decode(h.T, &list)
				printed := map[string]string{}
				for _, page := range list.Pages {
					printed[page.UID] = page.Name
				}
				return printed
			},
		},
	}
}

func listNodes(h *hardTest) map[string]string {
	printed := map[string]string{}
	for offset, total := 0, 1; offset < total; offset += 1000 {
		var reply struct {
			Nodes []struct{ ID string }
			Total int
		}
		h.c.Call("list_nodes", fmt.Sprintf(`{"limit":1000,"offset":%d}`, offset)).Decode(h.T, &reply)
		for _, node := range reply.Nodes {
			printed[node.ID] = node.ID
		}
		total = reply.Total
	}
	return printed
}

// listPaths lists the paths of all notes, which have titles for people that are no part of
// them.
func listPaths(h *hardTest) map[string]string {
	printed := map[string]string{}
	for offset := 0; offset < len(h.pages); offset += 100 {
		text := h.c.Call("recent_notes", fmt.Sprintf(`{"limit":100,"offset":%d}`, offset)).Text()
		for _, entry := range regexp.MustCompile(`(?m)^- \*\*called(\d{5})\*\* \((.*)\)$`).FindAllStringSubmatch(text, -1) {
			i, _ := strconv.Atoi(entry[1])
			printed[h.pages[i].UID] = entry[2]
		}
	}
	return printed
}

func quoted(text string) string {
	raw, _ := json.Marshal(text)
	return string(raw)
}

// export has two blocks on each page: a title for people, and a text that is on no other.
func (h *hardTest) export() string {
	var export []map[string]any
	for i, p := range h.pages {
		block := func(kind string, text string) map[string]any {
			return map[string]any{"string": text, "uid": fmt.Sprintf("%s%05d", kind, i), "create-time": 1705276800000, "edit-time": 1705276800000 + i}
		}
		export = append(export, map[string]any{"title": p.Title, "uid": p.UID, "create-time": 1705276800000, "edit-time": 1705276800000 + i, "children": []map[string]any{
			block("name", fmt.Sprintf("Title:: called%05d", i)), block("text", fmt.Sprintf("mark%05d", i)),
		}})
	}
	text, _ := json.Marshal(export)
	return string(text)
}

var mark = regexp.MustCompile(`mark\d{5}`)

type hardTest struct {
	*testing.T
	hardProfile
	w       *profiletest.World
	c       *profiletest.Client
	pages   []hardtitles.Page
	printed map[string]string
	before  map[string]string // texts of each page, by uid
	touched map[string]bool
	every   int // so many calls between two looks at the graph
}

func (h *hardTest) run(seed uint64) {
	h.printed, h.before, h.touched = h.list(h), h.snapshot(), map[string]bool{}
	order := rand.New(rand.NewPCG(seed, 2)).Perm(len(h.pages))
	wrong, forms := 0, map[string]string{}
	for _, i := range order {
		p := h.pages[i]
		form, listed := h.printed[p.UID]
		if other, twice := forms[form]; !listed || twice {
			h.Fatalf("%q (%s) is listed: %t, as %q; so is %s", p.Title, p.UID, listed, form, other)
		}
		forms[form] = p.UID
		if r := h.call(h.read, p, ""); r.IsError || !slices.Equal(mark.FindAllString(r.Text(), -1), []string{fmt.Sprintf("mark%05d", i)}) {
			h.Errorf("read %q (%s) by %q: %s", p.Title, p.UID, form, r)
			if wrong++; wrong > 20 {
				h.FailNow()
			}
		}
	}
	for at, i := range order {
		h.call(h.read, h.pages[i], "") // the connection does not remember all of them
		h.write(h.change, h.pages[i], fmt.Sprintf("changed%05d", i), at)
	}
	h.look()
	h.printed = h.list(h)
	deleted := map[int]bool{}
	for at, i := range order[:len(order)/2] {
		if h.remove != "" && !h.isLinked(h.pages[i]) {
			h.write(h.remove, h.pages[i], "", at)
			deleted[i] = true
		}
	}
	h.look()
	if h.remove != "" && len(deleted) < len(order)/4 {
		h.Errorf("%d pages were deleted", len(deleted))
	}
	for _, i := range order {
		p := h.pages[i]
		switch texts := h.before[p.UID]; {
		case deleted[i]:
			if texts != "" {
				h.Errorf("%q was deleted, and has %q", p.Title, texts)
			}
		case strings.Count(texts, fmt.Sprintf("changed%05d", i)) != 1 || strings.Count(texts, "changed") != 1:
			h.Errorf("%q was changed, and has %q", p.Title, texts)
		}
	}
}

// isLinked reports whether the title of another page links to a page: with this one's
// deletion that title becomes another, and may be taken.
func (h *hardTest) isLinked(p hardtitles.Page) bool {
	return slices.ContainsFunc(h.pages, func(other hardtitles.Page) bool {
		return strings.Contains(other.Title, "[["+p.Title+"]]") || strings.Contains(other.Title, "#"+p.Title) || strings.Contains(other.Title, "(("+p.UID+"))")
	})
}

// write makes a call that has to touch a page, and no other one.
func (h *hardTest) write(call string, p hardtitles.Page, text string, at int) {
	h.Helper()
	if r := h.call(call, p, text); r.IsError || r.RPC != nil {
		h.Fatalf("%s of %q (%s) by %q: %s", call, p.Title, p.UID, h.printed[p.UID], r)
	} else if text == "" && !strings.Contains(r.Text(), p.UID) {
		h.Errorf("the reply to a deletion of %q does not name its uid: %s", p.Title, r)
	}
	if h.touched[p.UID] = true; at%h.every == 0 {
		h.look()
	}
}

// call makes a call with what was printed for a page.
func (h *hardTest) call(call string, p hardtitles.Page, text string) profiletest.Result {
	h.Helper()
	tool, arguments, _ := strings.Cut(call, " ")
	values := []any{quoted(h.printed[p.UID])}
	if text != "" {
		values = append(values, text)
	}
	return h.c.Call(tool, fmt.Sprintf(arguments, values...))
}

// look compares the graph with what it was, page by page.
func (h *hardTest) look() {
	h.Helper()
	now := h.snapshot()
	for _, uid := range slices.Sorted(maps.Keys(h.before)) {
		if differs := now[uid] != h.before[uid]; differs != h.touched[uid] {
			h.Fatalf("the page %s has %q, and had %q; touched: %t, the calls were about %v", uid, now[uid], h.before[uid], h.touched[uid], slices.Sorted(maps.Keys(h.touched)))
		}
	}
	for uid := range now {
		if _, known := h.before[uid]; !known {
			h.Fatalf("there is a page %s with %q", uid, now[uid])
		}
	}
	h.before, h.touched = now, map[string]bool{}
	for uid := range h.before {
		if h.before[uid] == "" {
			delete(h.before, uid)
		}
	}
}

// snapshot returns the texts on each page, by uid.
func (h *hardTest) snapshot() map[string]string {
	var rows [][3]string
	h.w.Query(&rows, `[:find ?u ?b ?s :where [?e :block/string ?s] [?e :block/uid ?b] [?e :block/page ?p] [?p :block/uid ?u]]`)
	slices.SortFunc(rows, func(a, b [3]string) int { return slices.Compare(a[:], b[:]) })
	texts := map[string]string{}
	for _, row := range rows {
		texts[row[0]] += row[2] + "\n"
	}
	return texts
}
