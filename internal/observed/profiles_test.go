package observed

import (
	"encoding/json"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/golden"
	"roam-mcp/internal/testutil/require"
)

// otherwise are the findings of the profiles that are not as expected, by name and id.
func otherwise() map[string]map[string]string {
	return map[string]map[string]string{
		"as-documented": {},
		"commonmark": {
			"importer": "entities,tags,comments,definitions,quotes,rules,setext,escapes,fences,numbers,tables,emphasis,breaks",
			"literal":  "blanks",
		},
		"adverse": {
			"silent":            "create,update,move,delete,reorder",
			"taken-uid":         "silent",
			"uid-reuse":         "refused",
			"order-same-parent": "down",
			"orders-dense":      "gaps",
			"reorder-partial":   "first",
			"batch-form":        "none",
			"literal":           "blanks,nbsp",
			"delete-block-refs": "kept",
			"rename-forms":      "code",
			"create-time":       "missing",
			"edit-time":         "move,child",
			"page-edit-time":    "missing",
			"limit-nil":         "cut",
			"pull-missing":      "error",
			"missing-page":      "error",
			"timeout-text":      "other",
			"encrypted-form":    "missing",
		},
	}
}

func TestTheProfilesHaveAnAnswerToEveryQuestion(t *testing.T) {
	for name, findings := range otherwise() {
		file := File{Probe: "profile " + name, APIVersion: "1.1.5", GraphType: "offline", System: "none", Cleaned: true}
		if findings["encrypted-form"] == "" {
			file.Encrypted = new(bool)
		}
		for _, belief := range Beliefs() {
			check := Check{ID: belief.ID, Expected: belief.Expected, Found: belief.Expected, Verdict: Same}
			if found, differs := findings[belief.ID]; differs {
				finding, playable := belief.Parse(found)
				if !playable || finding == belief.Expected {
					t.Errorf("%s: %s is nothing that the sandbox plays of %s", name, found, belief.ID)
				}
				check.Found, check.Verdict = finding, Differ
				delete(findings, belief.ID)
			}
			file.Checks = append(file.Checks, check)
		}
		for id := range findings {
			t.Errorf("%s: there is no question %s", name, id)
		}
		text, err := json.MarshalIndent(file, "", " ")
		require.NoError(t, err)
		golden.File(t, "profiles/"+name+".json", string(text)+"\n")
	}
	list, err := Profiles()
	if err != nil || len(list) != len(otherwise()) && !golden.Updating() {
		t.Errorf("%v, %v", list, err)
	}
}

func TestAFindingIsPlayedInOneForm(t *testing.T) {
	for _, belief := range Beliefs() {
		for _, each := range append([]string{belief.Expected}, belief.Otherwise...) {
			if got, playable := belief.Parse(each); got != each || !playable {
				t.Errorf("%s: %q, %v", belief.ID, got, playable)
			}
		}
		if got, playable := belief.Parse("nothing of this kind"); playable {
			t.Errorf("%s: %q", belief.ID, got)
		}
	}
	silent, _ := Find("silent")
	if got, playable := silent.Parse("move,create,move"); got != "create,move" || !playable {
		t.Errorf("%q, %v", got, playable)
	}
	unknown, _ := Find("error-action")
	for text, want := range map[string]bool{"404": true, "200": true, "500 A_B": true, "404 ": false, "99": false, "4040": false, "404 no": false} {
		if _, playable := unknown.Parse(text); playable != want {
			t.Errorf("%q: %v", text, playable)
		}
	}
}

func TestWhatIsNoFileOfAProbeIsRefused(t *testing.T) {
	for _, text := range []string{"", "[]", "{}", `{"checks":[]}`, `{"checks":7}`, strings.Repeat(" ", maxFile+1)} {
		if file, err := Parse([]byte(text)); err == nil {
			t.Errorf("%.20s: %+v", text, file)
		}
	}
	file, err := Parse([]byte(`{"checks":[{"id":"new","found":"x","more":1}],"later":true}`))
	if err != nil || len(file.Checks) != 1 {
		t.Errorf("%+v, %v", file, err)
	}
}

func TestQuirksOfNothingAreNone(t *testing.T) {
	var none Quirks
	if none.Found("silent") != "" || none.Has("silent", "create") || none.Has("silent", "") {
		t.Error("something is found")
	}
	some := Quirks(func(id string) string { return map[string]string{"silent": "create,move"}[id] })
	if !some.Has("silent", "move") || some.Has("silent", "update") || some.Has("as", "") {
		t.Error("what is found is not told")
	}
}
