package outline_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/localapi"
	"roam-mcp/internal/testutil/golden"
	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/mcpserve"
)

// matrixCalls are calls of all tools, in an order in which each finds what it is about.
var matrixCalls = [][2]string{
	{"ping", `{}`},
	{"get_capabilities", `{}`},
	{"list_pages", `{"limit":2}`},
	{"get_page_content", `{"page_name":"ada"}`},
	{"get_block", `{"block_uuid":"ap0000001"}`},
	{"search", `{"query":"engine"}`},
	{"datascript_query", `{"query":"[:find ?t :where [?p :node/title ?t] [?p :log/id]]"}`},
	{"datascript_query", `{"query":"[:find ?u :where [?b :block/marker \"TODO\"] [?b :block/uuid ?u]]"}`},
	{"create_page", `{"title":"Trip","content":"- pack","properties":{"status":"open"}}`},
	{"update_page", `{"page_name":"Ada","content_append":"- new fact","properties":{"Role":"engineer"}}`},
	{"update_page", `{"page_name":"Projects/Apollo","content_append":"- not there","properties":{"tags":["project"]}}`},
	{"create_block", `{"content":"mid","sibling_block_uuid":"ap0000003","position":"before"}`},
	{"update_block", `{"block_uuid":"gr0000001","content":"more","replace_content":false}`},
	{"move_block", `{"block_uuid":"ad0000002","target_page_name":"Grace","position":"last"}`},
	{"delete_block", `{"block_uuid":"ap0000001","recursive":true}`},
	{"delete_page", `{"page_name":"Orphan"}`},
}

// TestCapabilityMatrix holds what each tool answers, with each level of a token, on two
// builds of Roam, where the server may write and where it may not, against one file: by
// call, each answer with the cells of the matrix that have it.
func TestCapabilityMatrix(t *testing.T) {
	cells := map[string][]string{} // by call and answer
	var answers []string
	for _, level := range []localapi.AccessLevel{localapi.Full, localapi.ReadAppend, localapi.ReadOnly} {
		for _, readOnly := range []bool{false, true} {
			suite := profiletest.NewSuite(t, profiletest.Options{Profile: "outline", Level: level, Server: func(o *mcpserve.Options) { o.ReadOnly, o.APIVersion = readOnly, localapi.AnyVersion }})
			for _, build := range []string{"", profiletest.OldBuild} {
				cell := strings.Join(slices.DeleteFunc([]string{string(level), map[bool]string{true: "--read-only"}[readOnly], build}, func(s string) bool { return s == "" }), " ")
				for _, answer := range matrixAnswers(t, suite, build) {
					if cells[answer] == nil {
						answers = append(answers, answer)
					}
					cells[answer] = append(cells[answer], cell)
				}
			}
		}
	}
	slices.SortStableFunc(answers, func(a, b string) int { return matrixPlace(a) - matrixPlace(b) })
	var out strings.Builder
	last := ""
	for _, answer := range answers {
		call, said, _ := strings.Cut(answer, "\n")
		if call != last {
			fmt.Fprintf(&out, "\n%s\n", call)
		}
		last = call
		fmt.Fprintf(&out, "  %s\n    %s\n", strings.Join(cells[answer], ", "), said)
	}
	golden.File(t, "testdata/capabilities.golden", strings.TrimPrefix(out.String(), "\n"))
}

// matrixPlace is the place of an answer's call in matrixCalls, below 0 for tools/list.
func matrixPlace(answer string) int {
	call, _, _ := strings.Cut(answer, "\n")
	return slices.IndexFunc(matrixCalls, func(each [2]string) bool { return call == each[0]+" "+each[1] })
}

// matrixAnswers returns which tools are listed and what each call answers: the call, and
// behind it the answer.
func matrixAnswers(t *testing.T, suite *profiletest.Suite, build string) []string {
	w := suite.World(t)
	if build != "" {
		w.Switch(build)
	}
	c := w.Connect(profiletest.Ways()[0])
	var listed []string
	for _, each := range c.Tools() {
		listed = append(listed, each.Name)
	}
	answers := []string{"tools/list\n" + strings.Join(listed, " ")}
	for _, call := range matrixCalls {
		steady := w.Steady()
		r := c.Call(call[0], call[1])
		if missing := strings.Contains(r.Text(), `"code":"CAPABILITY_MISSING"`); r.RPC != nil || !slices.Contains(listed, call[0]) && !missing {
			t.Errorf("%s: %s", call[0], r)
		}
		answers = append(answers, call[0]+" "+call[1]+"\n"+steady.Text(r.Text()))
	}
	return answers
}
