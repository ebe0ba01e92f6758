package wiki_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/profiletest"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/mcpserve"
)

// versionsIn returns the short IDs of a history, newest first.
func versionsIn(r profiletest.Result) []string {
	var ids []string
	for _, match := range regexp.MustCompile(`(?m)^- ([0-9a-f]{7}) \(`).FindAllStringSubmatch(r.Text(), -1) {
		ids = append(ids, match[1])
	}
	return ids
}

// saying returns a function that calls a tool, and fails the test unless the answer is as
// the pattern has it.
func saying(t *testing.T, c *profiletest.Client) func(tool, arguments, want string) profiletest.Result {
	return func(tool, arguments, want string) profiletest.Result {
		t.Helper()
		r := c.Call(tool, arguments)
		if err := profiletest.MatchProse(want, r.Text()); err != nil || r.RPC != nil {
			t.Fatalf("%s %s: %v: %s", tool, arguments, err, r)
		}
		return r
	}
}

// The numbers are those of the examples that the tools were designed by.
func TestHistory(t *testing.T) {
	suite := profiletest.NewSuite(t, profiletest.Options{Profile: "wiki", History: true})
	for _, way := range profiletest.Ways() {
		t.Run(way.String(), func(t *testing.T) { testHistory(t, suite.World(t), way) })
	}
	t.Run(profiletest.OldBuild, func(t *testing.T) {
		w := profiletest.NewSuite(t, profiletest.ForOldBuild(profiletest.Options{Profile: "wiki", History: true})).World(t)
		w.Switch(profiletest.OldBuild)
		testHistory(t, w, profiletest.Ways()[0])
	})
}

func testHistory(t *testing.T, w *profiletest.World, way profiletest.Way) {
	says := saying(t, w.Connect(way))
	t.Run("15 what is written is kept, and a diff says what changed", func(t *testing.T) { writtenIsKept(t, says) })
	t.Run("16 what changes in Roam between two reads is a version", func(t *testing.T) {
		says("get_note", `{"path":"Ada"}`, "# Ada\n<more>")
		w.AddBlock("ada000001", "Writes programs")
		says("get_note", `{"path":"Ada"}`, "# Ada\n<more>Writes programs")
		says("get_note", `{"path":"Ada"}`, "# Ada\n<more>Writes programs")
		says("get_note_history", `{"path":"Ada"}`, "Version history for Ada:\n\n- <any> (2024-01-16T<any>Z)<any>\n  Changed in Roam: Ada\n\n- <any> (2024-01-13T<any>Z)<any>\n  First seen: Ada")
	})
	t.Run("18 a version that is not there is an error that lists versions", func(t *testing.T) {
		ids := versionsIn(says("get_note_history", `{"path":"Grace"}`, "<more>"))
		says("get_note_version", `{"path":"Grace","version":"0000"}`, "Error: <more>"+ids[0]+"<more>"+ids[2]+"<more>")
		says("diff_note_versions", `{"path":"Grace","from_version":"`+ids[0]+`","to_version":"12"}`, "Error: <more>"+ids[0]+"<more>")
	})
	t.Run("history follows a move, and a path that is gone finds it", func(t *testing.T) {
		says("update_note", `{"path":"Grace","new_path":"People/Grace"}`, "Moved note from Grace to People/Grace<more>")
		says("get_note_history", `{"path":"People/Grace","limit":1}`, "Version history for People/Grace:\n\n- <any>\n  Move note: Grace → People/Grace")
		movedAway(t, says)
		says("delete_note", `{"path":"Orphan"}`, "Deleted note at Orphan\n\nPage: \"Orphan\", uid orphan001")
		says("get_note_history", `{"path":"Orphan"}`, "Version history for Orphan:\n\n- <any>\n  Delete note: Orphan\n\n- <any>\n  First seen: Orphan")
	})
}

// movedAway asks for Grace, which is at People/Grace by now.
func movedAway(t *testing.T, says func(tool, arguments, want string) profiletest.Result) {
	const moved = "Error: There is no note at Grace.\nIt was moved to People/Grace."
	ids := versionsIn(says("get_note_history", `{"path":"Grace"}`, "Version history for People/Grace:\n\n- <any>\n  Move note: Grace → People/Grace<more>"))
	first := ids[len(ids)-1]
	for _, call := range [][3]string{
		{"get_note", `{"path":"Grace"}`, moved},
		{"get_note", `{"path":"[[Grace]]"}`, "Error: There is no note at [[Grace]].\nIt was moved to People/Grace."},
		{"update_note", `{"path":"Grace","title":"x"}`, moved},
		{"delete_note", `{"path":"Grace"}`, moved},
		{"get_backlinks", `{"path":"Grace"}`, "Note Grace does not exist.\nIt was moved to People/Grace."},
		{"get_note_version", `{"path":"Grace","version":"` + first + `"}`, "# Grace (version " + first + ")\n\n**Path:** Grace\n<more>"},
		{"diff_note_versions", `{"path":"Grace","from_version":"` + first + `","to_version":"current"}`, "Diff for People/Grace (" + first + " → current):\n\n<more>"},
		{"restore_note_version", `{"path":"Grace","version":"` + first + `"}`, "Restored note 'People/Grace' to version " + first},
	} {
		if r := says(call[0], call[1], call[2]); r.IsError != strings.HasPrefix(call[2], "Error: ") {
			t.Errorf("%s: %s", call[0], r)
		}
	}
}

func writtenIsKept(t *testing.T, says func(tool, arguments, want string) profiletest.Result) {
	says("get_note_history", `{"path":"Grace"}`, "Version history for Grace:\n\n- <any> (2024-01-12T<any>Z)<any>\n  First seen: Grace")
	says("get_note", `{"path":"Grace"}`, "# Grace<more>")
	says("update_note", `{"path":"Grace","content":"Compilers #computing\n\nand subroutines"}`, "Updated note at Grace")
	says("update_note", `{"path":"Grace","content":"Compilers #computing\n\nand subroutines\n\nand COBOL"}`, "Updated note at Grace")
	ids := versionsIn(says("get_note_history", `{"path":"Grace"}`, "Version history for Grace:\n\n- <any> (2024-01-16T<any>Z)<any>\n  Update note: Grace\n\n"+
		"- <any> (2024-01-16T<any>Z)<any>\n  Update note: Grace\n\n- <any> (2024-01-12T<any>Z)<any>\n  First seen: Grace"))
	diff := says("diff_note_versions", `{"path":"Grace","from_version":"`+ids[2]+`","to_version":"`+ids[0]+`"}`, "Diff for Grace ("+ids[2]+" → "+ids[0]+"):\n\n"+
		"+4 additions, -0 deletions\n\n--- a/Grace.md\n+++ b/Grace.md\n@@ -1 +1,5 @@\n Compilers #computing\n+\n+and subroutines\n+\n+and COBOL")
	first := says("get_note_version", `{"path":"Grace","version":"`+ids[2]+`"}`, "# Grace (version "+ids[2]+")\n\n**Path:** Grace\n**Tags:** computing\n**Version:** "+ids[2]+
		"\n**Created:** <any>\n**Updated:** 2024-01-12T<any>\n\n---\n\nCompilers #computing")
	last := says("get_note_version", `{"path":"Grace","version":"current"}`, "# Grace (version current)<more>\n---\n\nCompilers #computing\n\nand subroutines\n\nand COBOL")
	patches(t, content(first), content(last), diff.Text())
	says("diff_note_versions", `{"path":"Grace","from_version":"`+ids[0]+`","to_version":"current"}`, "Diff for Grace ("+ids[0]+" → current):\n\nNo differences.")
	says("get_note_history", `{"path":"Grace","limit":1}`, "Version history for Grace:\n\n- "+ids[0]+" <any>\n  Update note: Grace")
	says("get_note_history", `{"path":"Grace","offset":2}`, "Version history for Grace:\n\n- "+ids[2]+" <any>\n  First seen: Grace")
}

// content returns what stands below the header of a note, as a file.
func content(r profiletest.Result) string {
	_, content, _ := strings.Cut(r.Text(), "\n---\n\n")
	return content + "\n"
}

// patches checks that the program patch makes after of before by a diff.
func patches(t *testing.T, before, after, diff string) {
	t.Helper()
	program, err := exec.LookPath("patch")
	if err != nil {
		return // there is none on this machine
	}
	old, patched := filepath.Join(t.TempDir(), "old.md"), filepath.Join(t.TempDir(), "new.md")
	require.NoError(t, os.WriteFile(old, []byte(before), 0o600))
	command := exec.Command(program, "--silent", "--output", patched, old)
	command.Stdin = strings.NewReader(diff + "\n")
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("patch: %v: %s", err, out)
	}
	got, err := os.ReadFile(patched)
	require.NoError(t, err)
	if string(got) != after {
		t.Errorf("patch made %q, not %q", got, after)
	}
}

func TestWhereNoVersionsAreKeptTheAnswerSaysWhy(t *testing.T) {
	_, c := connect(t, profiletest.Options{Server: func(o *mcpserve.Options) { o.Journal = nil }})
	r := c.Call("get_note_history", `{"path":"Grace"}`)
	if r.IsError || r.Text() != "No version history available for Grace" || len(r.Texts) != 2 || r.Texts[1] == "" {
		t.Error(r)
	}
	r = c.Call("get_note_version", `{"path":"Grace","version":"abcdef0"}`)
	if !r.IsError || !strings.HasPrefix(r.Text(), "Error: No version history available for Grace.\n") {
		t.Error(r)
	}
}
