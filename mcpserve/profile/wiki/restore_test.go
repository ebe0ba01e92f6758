package wiki_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/internal/testutil/require"
)

// ask calls a tool, and fails the test where that fails.
func ask(t testing.TB, c *profiletest.Client, tool, arguments string) string {
	t.Helper()
	r := c.Call(tool, arguments)
	if r.IsError || r.RPC != nil {
		t.Fatalf("%s %s: %s", tool, arguments, r)
	}
	return r.Text()
}

// versionsOf returns the versions of a note, newest first.
func versionsOf(t testing.TB, c *profiletest.Client, path string) (ids []string) {
	t.Helper()
	text := ask(t, c, "get_note_history", fmt.Sprintf(`{"path":%q}`, path))
	for _, match := range regexp.MustCompile(`(?m)^- ([0-9a-f]{7}) `).FindAllStringSubmatch(text, -1) {
		ids = append(ids, match[1])
	}
	return ids
}

// messages returns what the history of a note says of its versions, newest first.
func messages(t testing.TB, c *profiletest.Client, path string) string {
	t.Helper()
	var lines []string
	for line := range strings.Lines(ask(t, c, "get_note_history", fmt.Sprintf(`{"path":%q}`, path))) {
		if message, ok := strings.CutPrefix(line, "  "); ok {
			lines = append(lines, strings.TrimSpace(message))
		}
	}
	return strings.Join(lines, "; ")
}

// contentOf returns what stands below the header of a note.
func contentOf(text string) string {
	_, text, _ = strings.Cut(text, "\n---\n\n")
	return text
}

func TestVersions(t *testing.T) {
	suite := profiletest.NewSuite(t, journaled(t, profiletest.Options{}))
	for name, run := range map[string]func(t *testing.T, w *profiletest.World, c *profiletest.Client){
		"11: the history of a note follows a move": func(t *testing.T, w *profiletest.World, c *profiletest.Client) {
			ask(t, c, "update_note", `{"path":"Projects/Apollo","add_tags":["moon"],"new_path":"Archive/Apollo"}`)
			const want = "Move note: Projects/Apollo → Archive/Apollo; Update note: Projects/Apollo; First seen: Projects/Apollo"
			for _, path := range []string{"Archive/Apollo", "Projects/Apollo"} {
				if got := messages(t, c, path); got != want {
					t.Errorf("%s: %s", path, got)
				}
			}
		},
		"11: and one to a path that was only linked to": func(t *testing.T, w *profiletest.World, c *profiletest.Client) {
			ask(t, c, "update_note", `{"path":"Shopping","new_path":"tea"}`)
			if got := messages(t, c, "tea"); got != "Move note: Shopping → tea; First seen: Shopping" {
				t.Error(got)
			}
		},
		"13: a note that was deleted comes back, and its links are whole": func(t *testing.T, w *profiletest.World, c *profiletest.Client) {
			for _, path := range []string{"Ada", "Shopping"} { // the page of Shopping goes
				before, page := tree(w, w.PageUID(path)), w.PageUID(path)
				ask(t, c, "delete_note", fmt.Sprintf(`{"path":%q}`, path))
				versions := versionsOf(t, c, path)
				if got := messages(t, c, path); got != "Delete note: "+path+"; First seen: "+path {
					t.Error(got)
				}
				if got := ask(t, c, "restore_note_version", fmt.Sprintf(`{"path":%q,"version":%q}`, path, versions[1])); got != fmt.Sprintf("Restored note '%s' to version %s", path, versions[1]) {
					t.Error(got)
				}
				if after := tree(w, page); after != before || w.PageUID(path) != page {
					t.Errorf("%s is\n%s\nwas\n%s", path, after, before)
				}
				if got := messages(t, c, path); got != "Restore note: "+path+" to version "+versions[1]+"; Delete note: "+path+"; First seen: "+path {
					t.Error(got)
				}
			}
			if text, _ := w.Text("gl0000002"); text != "[[Ada]]: an engineer" {
				t.Error(text)
			}
		},
		"13: the page of a note that was linked to since it went": func(t *testing.T, w *profiletest.World, c *profiletest.Client) {
			before := tree(w, "shop00001")
			ask(t, c, "delete_note", `{"path":"Shopping"}`)
			w.AddBlock("grace0001", "Go [[Shopping]]")
			versions := versionsOf(t, c, "Shopping")
			ask(t, c, "restore_note_version", fmt.Sprintf(`{"path":"Shopping","version":%q}`, versions[1]))
			if after := tree(w, "shop00001"); after != before || w.PageUID("Shopping") != "shop00001" || !strings.Contains(texts(w, "grace0001"), "Go [[Shopping]]\n") {
				t.Errorf("Shopping is\n%s\nwas\n%s\nGrace is\n%s", after, before, texts(w, "grace0001"))
			}
		},
		"14: a note at the path of one that went goes on with its history": func(t *testing.T, w *profiletest.World, c *profiletest.Client) {
			ask(t, c, "delete_note", `{"path":"Shopping"}`)
			ask(t, c, "create_note", `{"path":"Shopping","title":"Shopping","content":"bread"}`)
			if got := messages(t, c, "Shopping"); got != "Create note: Shopping; Delete note: Shopping; First seen: Shopping" || w.PageUID("Shopping") != "shop00001" {
				t.Error(got, w.PageUID("Shopping"))
			}
		},
		"15: two updates make three versions, and their difference is a patch": func(t *testing.T, w *profiletest.World, c *profiletest.Client) {
			first := contentOf(ask(t, c, "get_note", `{"path":"Saturn V"}`))
			ask(t, c, "update_note", `{"path":"Saturn V","content":"The F-1 engine burns kerosene\n\nBuilt by many"}`)
			ask(t, c, "update_note", `{"path":"Saturn V","content":"The J-2 engine burns hydrogen\n\nBuilt by many\n\nIt flew"}`)
			last := contentOf(ask(t, c, "get_note", `{"path":"Saturn V"}`))
			if got := messages(t, c, "Saturn V"); got != "Update note: Saturn V; Update note: Saturn V; First seen: Saturn V" {
				t.Error(got)
			}
			versions := versionsOf(t, c, "Saturn V")
			diff := ask(t, c, "diff_note_versions", fmt.Sprintf(`{"path":"Saturn V","from_version":%q,"to_version":%q}`, versions[2], versions[0]))
			if want := fmt.Sprintf("Diff for Saturn V (%s → %s):\n\n+4 additions, -2 deletions\n\n--- a/Saturn V.md\n+++ b/Saturn V.md\n", versions[2], versions[0]); !strings.HasPrefix(diff, want) {
				t.Errorf("%s\nnot\n%s", diff, want)
			}
			if _, err := exec.LookPath("patch"); err != nil {
				t.Skip("there is no patch")
			}
			file := filepath.Join(t.TempDir(), "note.md")
			require.NoError(t, os.WriteFile(file, []byte(first+"\n"), 0o600))
			_, patch, _ := strings.Cut(diff, "deletions\n\n")
			apply := exec.Command("patch", "-s", file)
			apply.Stdin = strings.NewReader(patch + "\n")
			if out, err := apply.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			if got, err := os.ReadFile(file); err != nil || string(got) != last+"\n" {
				t.Errorf("%q, not %q (%v)", got, last, err)
			}
		},
		"16: a change by hand in Roam is a version": func(t *testing.T, w *profiletest.World, c *profiletest.Client) {
			ask(t, c, "get_note", `{"path":"Ada"}`)
			w.Roam("data.block.update", map[string]any{"block": map[string]any{"uid": "ad0000002", "string": "Likes coffee"}})
			ask(t, c, "get_note", `{"path":"Ada"}`)
			history := ask(t, c, "get_note_history", `{"path":"Ada"}`)
			if !regexp.MustCompile(`^Version history for Ada:\n\n- [0-9a-f]{7} \(2024-\S+Z\) by \S[^\n]*\n  Changed in Roam: Ada\n\n- `).MatchString(history) {
				t.Error(history)
			}
		},
		"what can't be restored is an error, and sends nothing": func(t *testing.T, w *profiletest.World, c *profiletest.Client) {
			ask(t, c, "delete_note", `{"path":"Ada"}`)
			for arguments, want := range map[string]string{
				`{"path":"Ada","version":"` + versionsOf(t, c, "Ada")[0] + `"}`: "Error: <more>is the deletion of the note<more>",
				`{"path":"Ada","version":"0000"}`:                               "Error: There is no version 0000. The newest: <any>, <any>.",
				`{"path":"Grace","version":"current"}`:                          "Error: <more>nothing to restore<more>",
				`{"path":"Nobody","version":"0000"}`:                            "Error: There is no note at Nobody.<more>",
			} {
				w.ResetCalls()
				r := c.Call("restore_note_version", arguments)
				if err := profiletest.MatchProse(want, r.Text()); err != nil || !r.IsError {
					t.Errorf("%s: %v", arguments, err)
				}
				nothingSent(t, w, r)
			}
		},
		"hidden blocks are in no version, and survive a restore": func(t *testing.T, w *profiletest.World, c *profiletest.Client) {
			ask(t, c, "get_note", `{"path":"daily/2024-01-15"}`)
			ask(t, c, "update_note", `{"path":"daily/2024-01-15","content":"Rewritten"}`)
			versions := versionsOf(t, c, "daily/2024-01-15")
			ask(t, c, "restore_note_version", fmt.Sprintf(`{"path":"daily/2024-01-15","version":%q}`, versions[1]))
			if got := tree(w, "01-15-2024"); !strings.Contains(got, "da0000002 private thing") || !strings.Contains(got, "  da0000004 call the bank") {
				t.Error(got)
			}
			for _, id := range versionsOf(t, c, "daily/2024-01-15") {
				if text := ask(t, c, "get_note_version", fmt.Sprintf(`{"path":"daily/2024-01-15","version":%q}`, id)); strings.Contains(text, "private") {
					t.Error(text)
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := suite.World(t)
			run(t, w, w.Connect(profiletest.Ways()[0]))
		})
	}
}
