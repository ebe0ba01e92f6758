package alltest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/mcpserve"
)

// shortened matches an address as replies have it.
var shortened = regexp.MustCompile(`data:image/png;base64,…([0-9]+) bytes [0-9a-f]{16}`)

// drawn is the address of a picture that is in a block.
func drawn(size int) string {
	return "data:image/png;base64," + strings.Repeat("iVBORw0KGgo/+8AA", size/16) + "Jggg=="
}

// pictures has a page with pictures among words, beside one that links it.
func pictures(block string) string {
	export, _ := json.Marshal([]map[string]any{
		{"title": "Drawn", "uid": "drawn0001", "children": []map[string]any{
			{"string": "before", "uid": "before001"}, {"string": block, "uid": "picture01"}, {"string": "after", "uid": "after0001"},
		}},
		{"title": "Other", "uid": "other0001", "children": []map[string]any{{"string": "one [[Drawn]] ((picture01))", "uid": "one000001"}}},
	})
	return string(export)
}

// In every profile a data: address is shown by its type and its size, and what is sent back
// of it is the whole.
func TestPicturesInDataAddressesAreShortenedAndStay(t *testing.T) {
	block := "a ![map](" + drawn(28000) + ") of sea"
	for profile, calls := range textCalls {
		t.Run(profile, func(t *testing.T) {
			w, c := profiletest.Connect(t, profiletest.Options{Profile: profile, Export: pictures(block), History: true})
			page := `"drawn0001"`
			if profile == "wiki" {
				page = `"Drawn"`
			}
			if calls.named != "" {
				page = `"Drawn"`
			}
			read := calls.read
			if calls.named != "" {
				read = calls.named
			}
			reply := answered(t, c, fmt.Sprintf(read, page))
			size := shortened.FindStringSubmatch(reply)
			if size == nil || size[1] != "21003" || strings.Contains(reply, "iVBORw0K") || !strings.Contains(reply, "after") || len(reply) > 2000 {
				t.Fatalf("it shows %.3000s", reply)
			}
			content := func(picture string) string { return picture }
			if !strings.Contains(calls.write, "%[2]s") { // a note of three blocks
				content = func(picture string) string { return "before\n\n" + picture + "\n\nafter" }
			}
			send := func(picture string) profiletest.Result {
				tool, arguments, _ := strings.Cut(fmt.Sprintf(calls.write, page, `"picture01"`, quoted(content(picture))), " ")
				return c.Call(tool, arguments)
			}
			if r := send("a ![map](" + size[0] + ") of the sea"); r.IsError || r.RPC != nil || strings.Contains(r.Text(), "iVBORw0K") {
				t.Fatalf("%.3000s", r.Text())
			}
			want := strings.Replace(block, "sea", "the sea", 1)
			if got, _ := w.Text("picture01"); got != want {
				t.Fatalf("the block is %.200s", got)
			}
			for _, unknown := range []string{size[0][:len(size[0])-1] + "g", strings.Replace(size[0], "…", "… ", 1), "data:image/png;base64,…", strings.Replace(size[0], size[0][len(size[0])-16:], "0123456789abcdef", 1)} {
				if r := send("a ![map](" + unknown + ")"); !r.IsError && r.RPC == nil {
					t.Errorf("%s is written", unknown)
				}
			}
			if got, _ := w.Text("picture01"); got != want {
				t.Errorf("the block is %.200s", got)
			}
		})
	}
}

// answered returns the text of a reply that is no error.
func answered(t *testing.T, c *profiletest.Client, call string) string {
	t.Helper()
	tool, arguments, _ := strings.Cut(call, " ")
	r := c.Call(tool, arguments)
	if r.IsError || r.RPC != nil {
		t.Fatalf("%s: %s", call, r)
	}
	return r.Text()
}

func TestNoReadShowsTheDataOfAPicture(t *testing.T) {
	for profile, reads := range map[string][]string{
		"roam": {
			`get_page {"title":"Drawn"}`, `get_page {"title":"Drawn","plain":true}`, `get_page {"title":"Other"}`, `get_block {"uid":"picture01"}`, `search {"query":"map"}`, `recent_changes {}`,
			`datalog_query {"query":"[:find ?s :where [_ :block/string ?s]]"}`, `get_backlinks {"title":"Drawn"}`,
		},
		"graph":   {`get_node {"id":"drawn0001"}`, `get_neighbors {"id":"other0001"}`, `search {"query":"map"}`, `search {"query":"after"}`},
		"notes":   {`get_note {"id":"drawn0001"}`, `get_notes {}`, `search_notes {"query":"map"}`},
		"outline": {`get_page_content {"page_name":"Drawn"}`, `get_page_content {"page_name":"Drawn","format":"json"}`, `get_block {"block_uuid":"picture01"}`, `search {"query":"map"}`, `datascript_query {"query":"[:find (pull ?b [*]) :where [?b :block/content ?s]]"}`},
		"wiki":    {`get_note {"path":"Drawn"}`, `search_notes {"query":"map"}`, `get_backlinks {"path":"Drawn"}`},
	} {
		t.Run(profile, func(t *testing.T) {
			_, c := profiletest.Connect(t, profiletest.Options{Profile: profile, Export: pictures("a ![map](" + drawn(400_000) + ") of sea"), History: true})
			shows := 0
			for _, call := range reads {
				tool, arguments, _ := strings.Cut(call, " ")
				r := c.Call(tool, arguments)
				if r.RPC != nil || r.IsError {
					t.Logf("%s: %.300s", call, r.Text())
					continue
				}
				if strings.Contains(r.Text(), "iVBORw0KGgo/+8AAiVBORw0KGgo/+8AAiVBORw0KGgo/+8AA") {
					t.Errorf("%s shows %.300s", call, r.Text())
				}
				if strings.Contains(r.Text(), "data:image/png;base64,…") {
					shows++
				}
			}
			if shows == 0 {
				t.Error("no read shows the picture")
			}
			t.Logf("%d of %d reads show that there is one", shows, len(reads))
		})
	}
}

// photo returns the address of a picture that has a format.
func photo(t *testing.T) string {
	t.Helper()
	random, drawn := rand.New(rand.NewPCG(1, 39)), image.NewGray(image.Rect(0, 0, 30, 30))
	for x := range 30 {
		for y := range 30 {
			drawn.SetGray(x, y, color.Gray{Y: uint8(random.IntN(256))})
		}
	}
	var out bytes.Buffer
	if err := png.Encode(&out, drawn); err != nil {
		t.Fatal(err)
	}
	return "data:image/png;base64," + base64.StdEncoding.EncodeToString(out.Bytes())
}

func TestAPictureInADataAddressIsShownWhole(t *testing.T) {
	block := "![map](" + photo(t) + ")"
	for profile, read := range map[string]string{"roam": `file_get {"url":%s}`, "notes": `get_note {"id":"drawn0001"}`} {
		t.Run(profile, func(t *testing.T) {
			_, c := profiletest.Connect(t, profiletest.Options{Profile: profile, Export: pictures(block), Server: func(o *mcpserve.Options) {
				if profile == "roam" {
					o.Toolsets = []string{"all"}
				}
			}})
			page := fmt.Sprintf(textCalls[profile].read, `"drawn0001"`)
			short := shortened.FindString(answered(t, c, page))
			tool, arguments, _ := strings.Cut(strings.Replace(read, "%s", quoted(short), 1), " ")
			if r := c.Call(tool, arguments); len(r.Images) != 1 || r.Images[0].MIMEType != "image/png" {
				t.Errorf("%s", r)
			}
		})
	}
}

// What is sent in other shapes than one text: lists, JSON, and another block.
func TestAShortenedAddressIsWholeWhereverItIsSent(t *testing.T) {
	block := "![map](" + photo(t) + ")"
	for name, tc := range map[string]struct {
		profile, call, query string
		want                 string
	}{
		"in a new block":          {"roam", `create_block {"parentUid":"after0001","markdown":"a %s"}`, `[:find [?s ...] :where [?p :block/uid "after0001"] [?p :block/children ?e] [?e :block/string ?s]]`, "a " + block},
		"in a list of changes":    {"roam", `update_blocks {"updates":[{"uid":"after0001","string":"b %s"}]}`, `[:find [?s ...] :where [?e :block/uid "after0001"] [?e :block/string ?s]]`, "b " + block},
		"in a note that is new":   {"graph", `create_node {"title":"Copy","content":"c %s"}`, `[:find [?s ...] :where [?p :node/title "Copy"] [?p :block/children ?e] [?e :block/string ?s]]`, "c " + block},
		"in a list of pictures":   {"notes", `update_note {"id":"drawn0001","content":"before\n\n%[1]s\n\nafter","images":["%[2]s"]}`, `[:find [?s ...] :where [?e :block/uid "picture01"] [?e :block/string ?s]]`, block},
		"in an item of a list":    {"notes", `create_note {"title":"Copy","content":"","checkItems":[{"text":"%s"}]}`, `[:find [?s ...] :where [?p :node/title "Copy"] [?p :block/children ?e] [?e :block/string ?s]]`, "{{[[TODO]]}} " + block},
		"in a block with another": {"outline", `update_block {"block_uuid":"after0001","content":"%s %[1]s"}`, `[:find [?s ...] :where [?e :block/uid "after0001"] [?e :block/string ?s]]`, block + " " + block},
	} {
		t.Run(name, func(t *testing.T) {
			w, c := profiletest.Connect(t, profiletest.Options{Profile: tc.profile, Export: pictures(block)})
			for _, page := range []string{`"drawn0001"`, `"Drawn"`} {
				read := textCalls[tc.profile].read
				tool, arguments, _ := strings.Cut(fmt.Sprintf(read, page), " ")
				if short := shortened.FindString(c.Call(tool, arguments).Text()); short != "" {
					answered(t, c, strings.NewReplacer("%[1]s", "![map]("+short+")", "%[2]s", short, "%s", "![map]("+short+")").Replace(tc.call))
					break
				}
			}
			var stored []string
			if w.Query(&stored, tc.query); len(stored) != 1 || stored[0] != tc.want {
				t.Errorf("%.400q", stored)
			}
		})
	}
}
