package main

import (
	"encoding/json"
	"io"
	"strings"
	"testing"

	"roam-mcp/internal/clients/doctor"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/tui"
	"roam-mcp/tui/kit"
)

func TestADoctorsCommandIsPrintedAsItIs(t *testing.T) {
	for name, nickname := range map[string]string{
		"with two blanks":              "My  notes",
		"with a no-break space":        "My\u00a0notes",
		"without width":                "My\u200bnotes",
		"that is wider than a line":    strings.Repeat("My notes ", 20),
		"with an escape of a terminal": "a\x1b]52;c;eA==\x07b",
		"that is right to left":        "a\u202eb",
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			hints := problem.World{Shell: problem.Bash}
			command := problem.Run("rename", nickname, "Notes")
			finding := doctor.Finding{Subject: "Nickname", Level: doctor.Warning, Found: "it is\x1b[8m odd", Why: "It matters.", Todo: problem.Say("Give it another: %s. Then go on.", command)}
			_, err := io.WriteString(showing{&out}, strings.Join(tui.FindingLines(finding, hints, kit.Glyphs{}, 60), "\n")+"\n")
			require.NoError(t, err)
			lines := strings.Split(out.String(), "\n")
			for i, line := range lines {
				lines[i] = strings.TrimLeft(line, " ")
			}
			if want := hints.Command(command); !strings.Contains("\n"+strings.Join(lines, "\n")+"\n", "\n"+want+"\n") {
				t.Errorf("there is no line %s in\n%s", want, out.String())
			}
			if strings.ContainsAny(out.String(), "\x1b\x07\x1e\u202e\u200b") {
				t.Errorf("it prints %q", out.String())
			}
		})
	}
}

func TestVisibleJSON(t *testing.T) {
	text := "a\u202e\u200b\U000e0041 \u00e9\U0001f469\u200d\U0001f4bb"
	data, err := json.MarshalIndent([]string{text}, "", "  ")
	require.NoError(t, err)
	visible := visibleJSON(data)
	var got []string
	require.NoError(t, json.Unmarshal([]byte(visible), &got))
	if got[0] != text || visible != shown(visible) {
		t.Errorf("got %q of %s", got, visible)
	}
}
