package conformance

import (
	"encoding/json"
	"testing"

	"roam-mcp/internal/observed"
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
		file := observed.File{Probe: "profile " + name, APIVersion: "1.1.5", GraphType: "offline", System: "none", Cleaned: true}
		if findings["encrypted-form"] == "" {
			file.Encrypted = new(bool)
		}
		for _, belief := range observed.Beliefs() {
			check := observed.Check{ID: belief.ID, Expected: belief.Expected, Found: belief.Expected, Verdict: observed.Same}
			if found, differs := findings[belief.ID]; differs {
				finding, playable := belief.Parse(found)
				if !playable || finding == belief.Expected {
					t.Errorf("%s: %s is nothing that the sandbox plays of %s", name, found, belief.ID)
				}
				check.Found, check.Verdict = finding, observed.Differ
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
