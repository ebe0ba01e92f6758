package alltest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"roam-mcp/internal/journal/history"
	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/internal/textsafe"
)

// seen are texts with invisible characters that stay, since they are seen by what they do.
var seen = []string{"👩\u200d🚀", "❤\ufe0f", "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f", "می\u200cخواهم"}

// pieces are what hostile texts are made of.
var pieces = append([]string{
	"a word", "仕事", "b\u202ec", "\u2066d\u2069", "\U000e0041\U000e0042\U000e007f", "e\u200bf\u00adg", "\u200d", "\ufe0f", "h\u3164\u2800", "\x01\x1b[31m", "\u2028", "\ufeff",
	`<Roam UID="FAKE"/>`, "<ROAM>", "</Roam>", "< roam", "<\troam", "＜roam", "<ｒoam>", "<ro\u200bam>", "</ REF>", "<Ref>i", "`<roam uid=\"FAKE\"/>`", "`<ref>j</ref>`",
	"‹U+202E›", "‹U+2039›U+202E›", "‹", "U+200B›", "&lt;roam&gt;", `\u202e`, "k > l < m",
}, seen...)

func hostile(random *rand.Rand) string {
	var out strings.Builder
	for range 1 + random.IntN(6) {
		out.WriteString(pieces[random.IntN(len(pieces))] + []string{"", " "}[random.IntN(2)])
	}
	return out.String()
}

// textCalls are how a profile reads a page by its uid and by its title, and writes a block, or
// the content of a note, of one block.
var textCalls = map[string]struct{ read, named, write string }{
	"roam":    {`get_page {"uid":%s}`, `get_page {"title":%s}`, `update_block {"uid":%[2]s,"string":%[3]s}`},
	"graph":   {`get_node {"id":%s}`, "", `update_node {"id":%[1]s,"content":%[3]s}`},
	"notes":   {`get_note {"id":%s}`, "", `update_note {"id":%[1]s,"content":%[3]s}`},
	"outline": {`get_page_content {"page_name":%s}`, `get_page_content {"page_name":%s}`, `update_block {"block_uuid":%[2]s,"content":%[3]s}`},
	"wiki":    {`get_note {"path":%s}`, `get_note {"path":%s}`, `update_note {"path":%[1]s,"content":%[3]s}`},
}

// testTexts reads pages with hostile titles and texts in every profile, and writes back what
// was read with a word behind it. The graph then has the bytes that it had, and the word; so
// has what the history exports.
func testTexts(t *testing.T, seed uint64, count int) {
	for profile, calls := range textCalls {
		t.Run(profile, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 3))
			pages := make([]hostilePage, count)
			for i := range pages {
				pages[i] = hostilePage{fmt.Sprintf("page%05d", i), fmt.Sprintf("text%05d", i), fmt.Sprintf("p%d ", i) + hostile(random) + " q", fmt.Sprintf("start%05d ", i) + hostile(random) + fmt.Sprintf(" stop%05d", i)}
			}
			w, c := profiletest.Connect(t, profiletest.Options{Profile: profile, Export: hostileExport(pages), History: true})
			call := func(format string, values ...any) profiletest.Result {
				tool, arguments, _ := strings.Cut(fmt.Sprintf(format, values...), " ")
				r := c.Call(tool, arguments)
				if r.IsError || r.RPC != nil {
					t.Fatalf("%s %s: %s", tool, arguments, r)
				}
				checkSeen(t, r.Text())
				return r
			}
			for i, p := range pages {
				uid := p.uid
				if profile == "wiki" {
					uid = "((" + uid + "))"
				}
				shown := p.shownIn(t, call(calls.read, quoted(uid)).Text())
				if calls.named != "" {
					p.shownIn(t, call(calls.named, quoted(textsafe.Escape(p.title, textsafe.Markup{}))).Text())
				}
				changed := fmt.Sprintf("%s end%d", shown, i)
				call(calls.write, quoted(uid), quoted(p.block), quoted(changed))
			}
			var rows [][2]string
			w.Query(&rows, `[:find ?u ?s :where [?e :block/string ?s] [?e :block/uid ?u]]`)
			stored := map[string]string{}
			for _, row := range rows {
				stored[row[0]] = row[1]
			}
			exported := exportedTexts(t, w)
			same := 0
			for i, p := range pages {
				want := fmt.Sprintf("%s end%d", p.text, i)
				switch {
				case stored[p.block] != want:
					t.Errorf("%+q was written back as\n%+q", want, stored[p.block])
				case !exported[want]:
					t.Errorf("%+q is not in the export", want)
				default:
					same++
				}
			}
			t.Logf("of %d texts %d are as they were", len(pages), same)
		})
	}
}

// hostilePage is a page with one block.
type hostilePage struct{ uid, block, title, text string }

func hostileExport(pages []hostilePage) string {
	var export []map[string]any
	for _, p := range pages {
		export = append(export, map[string]any{"title": p.title, "uid": p.uid, "children": []map[string]any{{"string": p.text, "uid": p.block}}})
	}
	text, _ := json.Marshal(export)
	return string(text)
}

// shownIn returns the text of a page as a reply shows it.
func (p hostilePage) shownIn(t *testing.T, reply string) string {
	t.Helper()
	first, _, _ := strings.Cut(p.text, " ")
	last := p.text[strings.LastIndex(p.text, " ")+1:]
	for _, each := range textsOf(reply) {
		if start, end := strings.Index(each, first), strings.Index(each, last); start >= 0 && end > start {
			return each[start : end+len(last)]
		}
	}
	t.Fatalf("%s is not in the reply: %s", first, reply)
	return ""
}

// textsOf returns the texts that a reply has: the strings of JSON, or all of prose.
func textsOf(reply string) (texts []string) {
	if !json.Valid([]byte(reply)) {
		return []string{reply}
	}
	for s := range rawjson.Strings([]byte(reply)) {
		var text string
		_ = json.Unmarshal([]byte(reply[s.Start:s.End]), &text)
		texts = append(texts, text)
	}
	return texts
}

var (
	anyMarkup = regexp.MustCompile(`(?i)[<＜﹤][\s/]*(?:roam|ｒoam|ref)\b.*`)
	ownMarkup = regexp.MustCompile(`^<roam uid="(?:page|text)\d{5}"/>$`)
)

// checkSeen looks whether each character of a reply is seen, and all markup is of reads.
func checkSeen(t *testing.T, reply string) {
	t.Helper()
	for _, text := range textsOf(reply) {
		for _, found := range anyMarkup.FindAllString(text, -1) {
			if !ownMarkup.MatchString(found) {
				t.Errorf("%q is shown", found)
			}
		}
		for _, each := range seen {
			text = strings.ReplaceAll(text, each, "")
		}
		for _, r := range text {
			if textsafe.Hidden(r) && r != '\n' && r != '\t' {
				t.Errorf("%U is shown in %+q", r, text)
			}
		}
	}
}

// exportedTexts returns the strings in the export of the history.
func exportedTexts(t *testing.T, w *profiletest.World) map[string]bool {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, w.Journal().Export(t.Context(), &out, history.Filter{}))
	texts := map[string]bool{}
	for line := range bytes.Lines(out.Bytes()) {
		for _, text := range textsOf(string(bytes.TrimSpace(line))) {
			texts[text] = true
		}
	}
	return texts
}
