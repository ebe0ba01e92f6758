package mcpserve

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/graph/outline"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/testutil/race"
	"roam-mcp/internal/textsafe"
)

// part is what one call shows of a page or block.
type part struct {
	blocks []outline.RenderedBlock
	text   string
	next   string
}

// readParts reads a page or block to its end, part by part.
func readParts(t *testing.T, c *client, tool, arguments string, most int) []part {
	t.Helper()
	var parts []part
	args := rawjson.Parse([]byte(arguments))
	for after := ""; len(parts) < 1000; {
		if after != "" {
			args = args.With("after", after)
		}
		reply := c.call(tool, string(args.JSON())).ok()
		if n := textsafe.CountTokens(reply.text); n > most {
			t.Errorf("a part of %d tokens: %.200s", n, reply.text)
		}
		next, _ := reply.fields["next"].(string)
		text := reply.field("markdown")
		parts = append(parts, part{outline.RenderedBlocks(text), text, next})
		if next == "" {
			return parts
		}
		if next == after {
			t.Fatalf("next stays %q", next)
		}
		after = next
	}
	t.Fatal("the parts have no end")
	return nil
}

// deepPage has blocks in a tree of random shape, some of them wide, deep or long.
func deepPage(random *rand.Rand, size int) (markdown string, uids []string) {
	var b strings.Builder
	b.WriteString("# Deep <roam uid=\"page\"/>\n\n")
	depth := 0
	for i := range size {
		if i > 0 {
			depth = max(0, min(depth+1, 12, depth+random.IntN(4)-1))
		}
		text := strings.Repeat("some words ", random.IntN(12))
		switch random.IntN(20) {
		case 0:
			text += "\nin two lines"
		case 1:
			text = strings.Repeat("很长的一段文字。", 60)
		}
		uid := fmt.Sprintf("uid%06d", i)
		uids = append(uids, uid)
		fmt.Fprintf(&b, "%s- %d %s<roam uid=%q/>\n", strings.Repeat("  ", depth), i, text, uid)
	}
	return b.String(), uids
}

func TestALongPageIsReadInPartsToItsLastBlock(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	tops, nested, rows := 700, 800, 3000
	if race.Enabled {
		tops, nested, rows = 150, 150, 400
	}
	wide, wideUIDs := longPage(tops)
	deep, deepUIDs := deepPage(random, nested)
	flat := "# Flat <roam uid=\"page\"/>\n\n"
	var flatUIDs []string
	for i := range rows {
		flatUIDs = append(flatUIDs, fmt.Sprintf("flat%05d", i))
		flat += fmt.Sprintf("- row %d <roam uid=\"flat%05d\"/>\n", i, i)
	}
	for i := range wideUIDs {
		wideUIDs[i] = fmt.Sprintf("top%06d", i)
	}
	for name, tc := range map[string]struct {
		markdown string
		uids     []string
	}{"wide": {wide, wideUIDs}, "deep": {deep, deepUIDs}, "flat": {flat, flatUIDs}} {
		t.Run(name, func(t *testing.T) {
			const most = 2 << 10
			w := newWorld(t, configText("Work"), func(o *Options) { o.MaxReply = most })
			w.roam.result("data.ai.getPage", fmt.Sprintf(`{"uid":"page","markdown":%s}`, rawjson.Encode(tc.markdown)))
			parts := readParts(t, w.connect(), "get_page", `{"title":"x"}`, most)
			var seen []string
			together := ""
			parents := map[string]string{}
			for _, each := range parts {
				var path []outline.RenderedBlock
				for _, b := range each.blocks {
					for len(path) > 0 && path[len(path)-1].Depth >= b.Depth && !b.Header {
						path = path[:len(path)-1]
					}
					if !b.Header && len(path) > 0 {
						if was, known := parents[b.UID]; known && was != path[len(path)-1].UID {
							t.Errorf("%s stands below %s and below %s", b.UID, was, path[len(path)-1].UID)
						}
						parents[b.UID] = path[len(path)-1].UID
					}
					if !b.Header {
						path = append(path, b)
					}
					if !b.Header && !b.Repeated {
						seen = append(seen, b.UID)
						together += b.Source
					}
				}
			}
			seen = slices.DeleteFunc(seen, func(uid string) bool { return strings.HasPrefix(uid, "kid") })
			if !slices.Equal(seen, tc.uids) {
				t.Errorf("%d of %d blocks in %d parts", len(seen), len(tc.uids), len(parts))
			}
			if _, body, _ := strings.Cut(tc.markdown, "\n\n"); together != body {
				t.Error("the parts together are not the page")
			}
			if whole := textsafe.CountTokens(rawjson.Encode(tc.markdown)); len(parts) > whole*16/10/most+2 {
				t.Errorf("%d parts for %d tokens", len(parts), whole)
			}
		})
	}
}

func TestABlockThatIsLongerThanAReplyIsReadInParts(t *testing.T) {
	text := strings.Repeat("Lorem ipsum dolor sit amet. 你好。 ", 800)
	const most = 2 << 10
	for name, tc := range map[string]struct{ tool, action, markdown string }{
		"a block": {"get_block", "data.ai.getBlock", "- " + text + " <roam uid=\"long\"/>\n  - below <roam uid=\"below\"/>\n"},
		"a page":  {"get_page", "data.ai.getPage", "# Page <roam uid=\"page\"/>\n\n- first <roam uid=\"first\"/>\n  - " + text + "<roam uid=\"long\"/>\n- last <roam uid=\"last\"/>\n"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, configText("Work"), func(o *Options) { o.MaxReply = most })
			w.roam.result(tc.action, fmt.Sprintf(`{"uid":"x","markdown":%s}`, rawjson.Encode(tc.markdown)))
			got, uids := "", []string{}
			for _, each := range readParts(t, w.connect(), tc.tool, `{"uid":"x"}`, most) {
				for _, b := range each.blocks {
					if b.UID == "long" {
						got += strings.Trim(b.Text(), "…")
						if tagged := strings.Contains(b.Source, "truncated="); !tagged {
							t.Error("a piece of a text does not say that it is one, and could be written back")
						}
					}
					if !b.Header && !b.Repeated && (len(uids) == 0 || uids[len(uids)-1] != b.UID) {
						uids = append(uids, b.UID)
					}
				}
			}
			if strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(text, " ", "") {
				t.Errorf("%d characters of %d came back", len(got), len(text))
			}
			if last := uids[len(uids)-1]; last != "below" && last != "last" {
				t.Errorf("what is behind it is not reached: %v", uids)
			}
		})
	}
}

func TestACursorThatIsGoneIsToldAsThat(t *testing.T) {
	w := newWorld(t, configText("Work"))
	w.roam.result("data.ai.getPage", `{"uid":"page","markdown":"# Page <roam uid=\"page\"/>\n\n- one <roam uid=\"one\"/>\n"}`)
	c := w.connect()
	for _, after := range []string{"gone", "#7", "one@x", "@5"} {
		refused := c.call("get_page", fmt.Sprintf(`{"title":"Page","after":%q}`, after)).fails("INVALID_PARAMS")
		if !strings.Contains(refused.text, "without after") {
			t.Errorf("%s: %s", after, refused.text)
		}
	}
	if reply := c.call("get_page", `{"title":"Page","after":"one"}`).ok(); reply.fields["next"] != nil || reply.fields["markdown"] != "" {
		t.Errorf("behind the last block: %s", reply.text)
	}
}

func TestPartsOfABuildWithoutUids(t *testing.T) {
	var b strings.Builder
	for i := range 500 {
		fmt.Fprintf(&b, "- row %d of the old form\n  - with a child\n", i)
	}
	const most = 2 << 10
	w := newWorld(t, configText("Work"), func(o *Options) { o.MaxReply = most })
	w.roam.result("data.ai.getPage", fmt.Sprintf(`{"uid":"page","markdown":%s}`, rawjson.Encode(b.String())))
	together := ""
	for _, each := range readParts(t, w.connect(), "get_page", `{"title":"x"}`, most) {
		together += each.text
	}
	if together != b.String() {
		t.Errorf("%d bytes of %d", len(together), b.Len())
	}
}

func TestSeveralPagesAreReadAtOnce(t *testing.T) {
	w := newWorld(t, configText("Work"), func(o *Options) { o.MaxReply = 2 << 10 })
	long := strings.Repeat("- a row of a page <roam uid=\\\"uid\\\"/>\\n", 60)
	w.roam.result("data.ai.getPage", `{"uid":"page","markdown":"`+long+`","linkedReferences":{"total":0,"results":[]}}`)
	w.roam.result("q", `[]`)
	c := w.connect()
	reply := c.call("get_page", `{"pages":["A","[[B]]","C","D"]}`).ok()
	pages, _ := reply.fields["pages"].([]any)
	left, _ := reply.fields["notRead"].([]any)
	if len(pages)+len(left) != 4 || len(pages) == 0 || len(left) == 0 || textsafe.CountTokens(reply.text) > 2<<10 {
		t.Errorf("%d read, %d left: %s", len(pages), len(left), reply.text)
	}
	for i, page := range pages {
		fields, isObject := page.(map[string]any)
		if markdown, _ := fields["markdown"].(string); !isObject || fields["asked"] != []string{"A", "[[B]]", "C"}[i] || fields["uid"] != "page" || !strings.HasPrefix(markdown, "- a row") {
			t.Errorf("page %d is %v", i, page)
		}
	}
	if n := len(w.roam.requests("data.ai.getPage")); n != len(pages)+1 {
		t.Errorf("%d requests for %d pages", n, len(pages))
	}
	var sent []struct{ Title string }
	if err := json.Unmarshal(w.roam.requests("data.ai.getPage")[1].Args, &sent); err != nil || sent[0].Title != "B" {
		t.Errorf("%v: %v", err, sent)
	}
	for args, want := range map[string]string{
		`{"pages":["A"],"title":"B"}`:                       "only one of",
		`{"pages":["A"],"uid":"b"}`:                         "only one of",
		`{"pages":["A"],"after":"x"}`:                       "one page",
		`{"pages":[` + strings.Repeat(`"x",`, 30) + `"y"]}`: "up to 25",
	} {
		if refused := c.call("get_page", args).fails("INVALID_PARAMS"); !strings.Contains(refused.text, want) {
			t.Errorf("%s: %s", args, refused.text)
		}
	}
}

func TestPlainTextIsReadInPartsToItsLastBlock(t *testing.T) {
	const most = 2 << 10
	markdown, uids := deepPage(rand.New(rand.NewPCG(3, 4)), 300)
	w := newWorld(t, configText("Work"), func(o *Options) { o.MaxReply = most })
	w.roam.result("data.ai.getPage", fmt.Sprintf(`{"uid":"page","markdown":%s}`, rawjson.Encode(markdown)))
	c := w.connect()
	lines, after := 0, ""
	for {
		reply := c.call("get_page", fmt.Sprintf(`{"title":"x","plain":true,"after":%q}`, after)).ok()
		text, next := reply.field("text"), reply.fields["next"]
		if textsafe.CountTokens(reply.text) > most || strings.Contains(text, "<roam") || reply.fields["markdown"] != nil {
			t.Fatalf("a part of %d tokens: %.200s", textsafe.CountTokens(reply.text), reply.text)
		}
		for line := range strings.Lines(text) {
			if strings.HasPrefix(strings.TrimLeft(line, " "), "- ") {
				lines++
			}
		}
		if after == "" && !strings.HasSuffix(text, fmt.Sprintf("… %d more blocks\n", len(uids)-lines)) {
			t.Errorf("it ends in %q", text[len(text)-40:])
		}
		if next == nil {
			break
		}
		if next == after {
			t.Fatalf("next stays %v", next)
		}
		after, _ = next.(string)
	}
	if lines != len(uids) {
		t.Errorf("%d blocks of %d", lines, len(uids))
	}
}

func TestAReadingCallMayAskForLess(t *testing.T) {
	markdown, _ := longPage(400)
	w := newWorld(t, configText("Work"))
	w.roam.result("data.ai.getPage", fmt.Sprintf(`{"uid":"page","markdown":%s}`, rawjson.Encode(markdown)))
	c := w.connect()
	whole := textsafe.CountTokens(c.call("get_page", `{"title":"x"}`).ok().text)
	for asked, most := range map[int]int{4000: 4000, 1: SmallestReply, 1 << 30: defaultMaxReply} {
		n := textsafe.CountTokens(c.call("get_page", fmt.Sprintf(`{"title":"x","maxTokens":%d}`, asked)).ok().text)
		if n > most || n < min(most, whole)*8/10 {
			t.Errorf("%d tokens where %d were asked for", n, asked)
		}
	}
}
