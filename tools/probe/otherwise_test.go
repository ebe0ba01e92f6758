package main

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
	"roam-mcp/internal/testutil/require"
)

func TestWhatIsOtherwiseIsTold(t *testing.T) {
	for fault, want := range map[string]string{
		"no-move-stamp":       "edit-time=move",
		"uids=refused":        "uid-reuse=refused",
		"uids=other":          "uid-reuse=other-uid",
		"uids=all-other":      "uid-honoured=other-uid",
		"plain":               "create-looks=heading,folding,align,children-view,block-view",
		"trimmed":             "literal=blanks",
		"silent":              "silent=create,update,move,reorder",
		"batch-form=count":    "batch-form=count",
		"encrypted-form=text": "encrypted-form=text",
		"as=ignored":          "as=ignored",
		"limit-nil=cut":       "limit-nil=cut",
		"tag-form=none":       "tag-form=none",
	} {
		t.Run(fault, func(t *testing.T) {
			b := newQuickBench(t)
			require.NoError(t, b.Turn(fault))
			id, _, _ := strings.Cut(want, "=")
			b.options.Only = []string{id}
			if report := b.probe(t, nil); !slices.Contains(differences(report), want) || len(report.Left) > 0 {
				t.Errorf("%v, left %v", differences(report), report.Left)
			}
		})
	}
}

// TestTheCommand runs the command on a sandbox.
func TestTheCommand(t *testing.T) {
	b := newQuickBench(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	store := configstore.New(filepath.Join(b.home, ".roam-mcp.json"))
	require.NoError(t, store.Save(t.Context(), configstore.Entry{Name: testGraph.Name, Type: testGraph.Type, Nickname: "Lab", Token: b.token(t, localapi.Full), AccessLevel: localapi.Full}))
	run := func(f flags, nickname, typed string) (int, string) {
		var out bytes.Buffer
		f.home = b.home
		code, err := terminal{bufio.NewReader(strings.NewReader(typed)), &out}.probe(t.Context(), f, nickname)
		if err != nil {
			out.WriteString(explained(err))
		}
		return code, out.String()
	}
	file := filepath.Join(t.TempDir(), "roam.json")
	for name, tc := range map[string]struct {
		f               flags
		nickname, typed string
		fault           string
		code            int
		says            string
	}{
		"asks before":                   {flags{}, "Lab", "n\n", "", exitFailed, "nothing was made"},
		"knows its questions":           {flags{only: "nothing"}, "Lab", "", "", exitFailed, "no belief"},
		"knows the graphs":              {flags{}, "Nowhere", "", "", exitFailed, "no graph is connected"},
		"tells what is as expected":     {flags{only: "taken-title,error-token", out: file}, "Lab", "y\n", "", 0, "2 as expected, 0 otherwise, 0 not tried"},
		"tells what is otherwise":       {flags{only: "tag-form", yes: true}, "Lab", "", "tag-form=none", exitOtherwise, "tag-form: Agents do not see"},
		"tells what can not be removed": {flags{only: "tag-form", yes: true}, "Lab", "", "fail=data.page.delete:not today", exitNotCleaned, "Still there: roam-mcp probe"},
	} {
		t.Run(name, func(t *testing.T) {
			defer b.Clear()
			if tc.fault != "" {
				require.NoError(t, b.Turn(tc.fault))
			}
			if code, said := run(tc.f, tc.nickname, tc.typed); code != tc.code || !strings.Contains(said, tc.says) {
				t.Errorf("%d %s", code, said)
			}
		})
	}
	if code, said := run(flags{clean: true}, "Lab", ""); code != 0 {
		t.Errorf("cleaning: %d %s", code, said)
	}
	data, err := os.ReadFile(file)
	if err != nil || !bytes.Contains(data, []byte(`"graphType": "offline"`)) || bytes.Contains(data, []byte(testGraph.Name)) {
		t.Errorf("%s %v", data, err)
	}
}
