package surface

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/graph/note"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/problem"
)

// namingTool takes all that can name a page or a block.
func namingTool(withTitle bool) *Tool {
	params := []Param{
		{Name: "uid", Kind: String, UID: true},
		{Name: "pageUid", Kind: String, UID: true, Page: true},
		{Name: "uids", Kind: Strings, UID: true, Page: true},
		{Name: "titles", Kind: Strings, Page: true},
		{Name: "updates", Kind: Objects, Fields: []Param{{Name: "uid", Kind: String, UID: true}}},
		{Name: "newTitle", Kind: String, Title: true},
		{Name: "tags", Kind: Strings, Tags: true},
	}
	if withTitle {
		params = append(params, Param{Name: "title", Kind: String, Title: true, Page: true})
	}
	return &Tool{Name: "tool", Params: params}
}

func resolve(t *testing.T, tool *Tool, raw string) (Arguments, error) {
	t.Helper()
	args, err := tool.Parse(json.RawMessage(raw), ChooseAtWill)
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	err = tool.Resolve(args, Naming{
		Graph: "work notes", Now: time.Date(2026, time.November, 22, 23, 0, 0, 0, time.UTC),
		Pages: func([]note.Name) ([]note.Page, error) {
			if asked++; asked > 1 {
				t.Error("Roam is asked twice")
			}
			return []note.Page{{UID: "page-home", Title: "Home"}, {UID: "page-toda", Title: "Today"}, {UID: "page-pair", Title: "Salt, Pepper"}}, nil
		},
	})
	return args, err
}

func TestPagesAndBlocksAreNamedInManyWays(t *testing.T) {
	const base = "https://roamresearch.com/#/app/work%20notes/page/"
	for name, tc := range map[string]struct{ raw, want string }{
		"a uid":                            {`{"uid":"abc-_1234"}`, `{"uid":"abc-_1234"}`},
		"a uid with space around it":       {`{"uid":" abc "}`, `{"uid":"abc"}`},
		"a reference":                      {`{"uid":"((abc))"}`, `{"uid":"abc"}`},
		"a reference with space within":    {`{"uid":" (( abc )) "}`, `{"uid":"abc"}`},
		"the tag of a read":                {`{"uid":"<roam uid=\"abc\" refs=\"2\"/>"}`, `{"uid":"abc"}`},
		"a line of a read":                 {`{"uid":"  - text <roam heading=\"2\" uid=\"abc\"/>"}`, `{"uid":"abc"}`},
		"an address":                       {`{"uid":"` + base + `abc"}`, `{"uid":"abc"}`},
		"an address with more behind":      {`{"uid":"` + base + `abc?version=2"}`, `{"uid":"abc"}`},
		"an address of the desktop":        {`{"uid":"roam://#/app/work notes/page/abc"}`, `{"uid":"roam://#/app/work notes/page/abc"}`},
		"an escaped one of the desktop":    {`{"uid":"roam://#/app/work%20notes/page/abc"}`, `{"uid":"abc"}`},
		"an address of a local-only graph": {`{"uid":"https://roamresearch.com/#/offline/work%20notes/page/abc"}`, `{"uid":"abc"}`},
		"a list":                           {`{"uids":["((a))"," b ","[[Home]]","` + base + `c","yesterday"]}`, `{"uids":["a","b","page-home","c","11-21-2026"]}`},
		"fields of a list of objects":      {`{"updates":[{"uid":"((a))"},{"uid":"` + base + `b"}]}`, `{"updates":[{"uid":"a"},{"uid":"b"}]}`},
		"a title for a page's uid":         {`{"pageUid":"[[Home]]"}`, `{"pageUid":"page-home"}`},
		"a title that reads like a day":    {`{"pageUid":"[[Today]]"}`, `{"pageUid":"page-toda"}`},
		"a link to a day for a uid":        {`{"pageUid":"[[November 21st, 2026]]"}`, `{"pageUid":"11-21-2026"}`},
		"a day for a page's uid":           {`{"pageUid":"tomorrow"}`, `{"pageUid":"11-23-2026"}`},
		"an ISO date for a page's uid":     {`{"pageUid":"2026-02-03"}`, `{"pageUid":"02-03-2026"}`},
		"a daily note for a page's uid":    {`{"pageUid":"November 2nd, 2026"}`, `{"pageUid":"11-02-2026"}`},
		"a day is no block":                {`{"uid":"today"}`, `{"uid":"today"}`},
		"days and links for titles, a title in another case first": {`{"titles":["today","[[Today]]","2026-11-01","11-03-2026","November 11th, 2026","Home"]}`, `{"titles":["Today","Today","November 1st, 2026","November 3rd, 2026","November 11th, 2026","Home"]}`},
		"a new title stays":                            {`{"newTitle":"today"}`, `{"newTitle":"today"}`},
		"tags in one text":                             {`{"tags":"a, b c"}`, `{"tags":["a","b c"]}`},
		"tags in one text, each with #":                {`{"tags":"#a #[[b c]]"}`, `{"tags":["a","b c"]}`},
		"tags in one text, in brackets":                {`{"tags":"[x, 'y z']"}`, `{"tags":["x","y z"]}`},
		"one tag in brackets":                          {`{"tags":"[x]"}`, `{"tags":["x"]}`},
		"tags in an element of a list":                 {`{"tags":["a, b","#c #d","e"]}`, `{"tags":["a","b","c","d","e"]}`},
		"a tag of two words":                           {`{"tags":["two words","#two words"]}`, `{"tags":["two words","#two words"]}`},
		"a tag that is the title of a page with comma": {`{"tags":["salt, pepper","a, b"]}`, `{"tags":["salt, pepper","a","b"]}`},
		"a link to a page with a comma":                {`{"tags":"[[a, b]], #[[c, d]]"}`, `{"tags":["a, b","c, d"]}`},
		"no tags":                                      {`{"tags":[]}`, `{"tags":[]}`},
		"a comma is no tag":                            {`{"tags":[","]}`, `{"tags":[","]}`},
		"texts that are no tags stay":                  {`{"titles":["a, b"]}`, `{"titles":["a, b"]}`},
		"nothing":                                      {`{"uid":""}`, `{"uid":""}`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := resolve(t, namingTool(false), tc.raw)
			var want, have any
			_ = json.Unmarshal([]byte(tc.want), &want)
			text, _ := json.Marshal(got)
			_ = json.Unmarshal(text, &have)
			if err != nil || !reflect.DeepEqual(have, want) {
				t.Errorf("got %s, %v; want %s", text, err, tc.want)
			}
		})
	}
	t.Run("a title goes where the tool takes titles", func(t *testing.T) {
		got, err := resolve(t, namingTool(true), `{"pageUid":"[[Nowhere]]"}`)
		if err != nil || got.Has("pageUid") || got.Text("title") != "Nowhere" {
			t.Errorf("got %v, %v", got, err)
		}
	})
}

func TestWhatNamesNothingIsRefused(t *testing.T) {
	for name, tc := range map[string]struct {
		raw, want string
		code      problem.Code
	}{
		"an address of another graph": {`{"uid":"https://roamresearch.com/#/app/home/page/abc"}`, `uid is an address of the graph "home", and this call is for "work notes"`, CodeInvalidParams},
		"an address of no page":       {`{"pageUid":"https://roamresearch.com/#/app/work%20notes"}`, `the uid of a page or block, or [[Title]]`, CodeInvalidParams},
		"a title for a block":         {`{"updates":[{"uid":"[[Home]]"}]}`, `the uid of a block, which is no title`, CodeInvalidParams},
		"an empty reference":          {`{"uid":"(( ))"}`, `the uid of a block`, CodeInvalidParams},
		"a page that is not there":    {`{"uids":["a","[[Nowhere]]"]}`, `There is no page "Nowhere"`, localapi.CodeNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := resolve(t, namingTool(false), tc.raw)
			if problem.CodeOf(err) != tc.code || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want %q in it", err, tc.want)
			}
		})
	}
}

func FuzzNaming(f *testing.F) {
	for _, text := range []string{"((a))", "<roam uid=\"a\"/>", "[[Home]]", "https://roamresearch.com/#/app/g%20/page/x", "roam://#/offline/g", "November 22nd, 2026"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		raw, _ := json.Marshal(map[string]any{"uid": text, "pageUid": text})
		args, err := namingTool(true).Parse(raw, ChooseAtWill)
		if err != nil {
			return
		}
		if err := namingTool(true).Resolve(args, Naming{Graph: "g", Pages: func([]note.Name) ([]note.Page, error) { return nil, nil }}); err != nil && (problem.CodeOf(err) != CodeInvalidParams || len(err.Error()) > 2000) {
			t.Errorf("unfit error %q", err)
		}
	})
}
