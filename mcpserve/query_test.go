package mcpserve

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"roam-mcp/internal/textsafe"

	"roam-mcp/internal/testutil/require"
)

func TestAllRowsOfALongResultAreReachedPageByPage(t *testing.T) {
	w := newWorld(t, configText("Work"), func(o *Options) { o.MaxReply = 2 << 10 })
	c := w.connect()
	turn := 0
	w.roam.on("q", func(roamRequest) (int, string) {
		var rows []string
		for i := range 500 { // each time in another order, as Roam may
			rows = append(rows, fmt.Sprintf(`["uid%03d","%s"]`, (i*7+turn*131)%500, strings.Repeat("x", 40)))
		}
		turn++
		return 200, `{"success":true,"result":[` + strings.Join(rows, ",") + `]}`
	})
	seen := map[string]bool{}
	for offset := 0; len(seen) < 500; {
		reply := c.call("datalog_query", fmt.Sprintf(`{"query":"[:find ?u ?s]","offset":%d}`, offset)).ok().has("total", 500.0)
		rows := reply.fields["result"].([]any)
		if textsafe.CountTokens(reply.text) > 2<<10 || len(rows) == 0 {
			t.Fatalf("%d rows in %d bytes", len(rows), len(reply.text))
		}
		for _, row := range rows {
			seen[row.([]any)[0].(string)] = true
		}
		offset += len(rows)
		note, cut := reply.fields["truncated"].(map[string]any)
		if cut != (offset < 500) || cut && note["rest"] != fmt.Sprintf("datalog_query again with the same query and offset %d.", offset) {
			t.Fatalf("after %d rows: %v", offset, note)
		}
	}
	if len(seen) != 500 || turn > 12 {
		t.Errorf("%d rows in %d pages", len(seen), turn)
	}
}

func TestAResultThatIsNoListOfRowsPassesAsItIs(t *testing.T) {
	w := newWorld(t, configText("Work"))
	for _, result := range []string{`7`, `"text"`, `null`, `true`, `[]`, `{"uid":"x"}`, `[["a",1],["b",null]]`} {
		w.roam.result("q", result)
		reply := w.connect().call("datalog_query", `{"query":"[:find ?x]"}`).ok()
		var want any
		require.NoError(t, json.Unmarshal([]byte(result), &want))
		if got := reply.fields["result"]; !reflect.DeepEqual(got, want) {
			t.Errorf("%s became %v", result, got)
		}
	}
}

// Roam counts hidden results, and leaves them out of its pages.
func TestTotalDoesNotContradictWhatIsShown(t *testing.T) {
	for name, tc := range map[string]struct {
		tool, action, args, reply string
		total, next               any
	}{
		"all hidden":                    {"search", "data.ai.search", `{"query":"x"}`, `{"total":3,"results":[]}`, 0.0, nil},
		"some hidden":                   {"search", "data.ai.search", `{"query":"x"}`, `{"total":3,"results":[{"uid":"a","markdown":"- x"}]}`, 1.0, nil},
		"some hidden on the first page": {"search", "data.ai.search", `{"query":"x","limit":2}`, `{"total":5,"results":[{"uid":"a","markdown":"- x"}]}`, 4.0, 2.0},
		"none hidden on the last page":  {"search", "data.ai.search", `{"query":"x","limit":2,"offset":4}`, `{"total":5,"results":[{"uid":"a","markdown":"- x"}]}`, 5.0, nil},
		"behind the end":                {"search", "data.ai.search", `{"query":"x","offset":9}`, `{"total":5,"results":[]}`, 5.0, nil},
		"of a query":                    {"roam_query", "data.ai.roamQuery", `{"query":"{and: [[x]]}"}`, `{"total":2,"results":[]}`, 0.0, nil},
		"of backlinks":                  {"get_backlinks", "data.ai.getBacklinks", `{"uid":"x"}`, `{"total":2,"shown":1,"results":[{"uid":"a","markdown":"- x"}]}`, 1.0, nil},
		"of backlinks with a next page": {"get_backlinks", "data.ai.getBacklinks", `{"uid":"x","limit":2}`, `{"total":4,"shown":1,"nextOffset":2,"results":[{"uid":"a","markdown":"- x"}]}`, 4.0, 2.0},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, configText("Work"))
			w.roam.result(tc.action, tc.reply)
			w.connect().call(tc.tool, tc.args).ok().has("total", tc.total).has("nextOffset", tc.next)
		})
	}
}

func TestMentionsThatCannotBeToldFromWordsAreNotLookedFor(t *testing.T) {
	w := newWorld(t, configText("Work"))
	w.roam.on("q", func(request roamRequest) (int, string) {
		if strings.Contains(string(request.Args), "pull") {
			return 200, `{"success":true,"result":[]}`
		}
		return 200, `{"success":true,"result":[["Work","uid-of-it"]]}`
	})
	reply := w.connect().call("search", `{"query":"unlinked:Work"}`).ok().has("total", 0.0)
	if note, _ := reply.fields["note"].(string); !strings.Contains(note, "a common word") {
		t.Errorf("the note is %q", note)
	}
}

func TestListsWithoutPagesNameTheRestByUid(t *testing.T) {
	var comments, templates []string
	for i := range 60 {
		comments = append(comments, fmt.Sprintf(`{"parentUid":"c%d","markdown":"%s"}`, i, strings.Repeat("x", 300)))
		templates = append(templates, fmt.Sprintf(`{"uid":"t%d","name":"n","content":"%s"}`, i, strings.Repeat("x", 300)))
	}
	w := newWorld(t, configText("Work"), func(o *Options) { o.MaxReply = 2 << 10 })
	w.roam.result("data.ai.getComments", `{"total":60,"comments":[`+strings.Join(comments, ",")+`]}`)
	w.roam.result("data.ai.searchTemplates", `[`+strings.Join(templates, ",")+`]`)
	for tool, arguments := range map[string]string{"get_comments": `{"blockUid":"b"}`, "search_templates": `{}`} {
		reply := w.connect().call(tool, arguments).ok()
		note, _ := reply.fields["truncated"].(map[string]any)
		shown, left := note["resultsShown"].(float64), note["resultsLeft"].(float64)
		uids, _ := note["uids"].([]any)
		if shown == 0 || shown+left != 60 || len(uids) != int(left) || !strings.HasSuffix(uids[0].(string), fmt.Sprint(int(shown))) {
			t.Errorf("%s: %v", tool, note)
		}
	}
}

func TestBlanksBetweenValuesOfRoamAreNotPassedOn(t *testing.T) {
	w := newWorld(t, configText("Work"))
	blanks := strings.Repeat(" \n", 100_000)
	w.roam.result("q", `[`+blanks+`["a  b",`+blanks+`7]`+blanks+`]`)
	w.roam.result("data.ai.getPage", `{"uid":"p","markdown":"# A <roam uid=\"p\"/>\n",`+blanks+`"more":[1,`+blanks+`2]}`)
	c := w.connect()
	for tool, want := range map[string]string{"datalog_query": `"result":[["a  b",7]]`, "get_page": `"more":[1,2]`} {
		args := `{"title":"A"}`
		if tool == "datalog_query" {
			args = `{"query":"[:find ?a ?b]"}`
		}
		if reply := c.call(tool, args).ok(); !strings.Contains(reply.text, want) || len(reply.text) > 1000 {
			t.Errorf("%s: %d bytes: %.300s", tool, len(reply.text), reply.text)
		}
	}
}
