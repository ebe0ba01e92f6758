package kit

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

func TestCommand(t *testing.T) {
	for _, test := range []struct {
		name, command string
		width         int
		want          []string
	}{
		{"leaves a short one in a line", "claude mcp add roam -- roam-mcp serve", 60, []string{"claude mcp add roam -- roam-mcp serve"}},
		{"breaks between arguments", "claude mcp add roam -- /usr/local/bin/roam-mcp serve", 30, []string{`claude mcp add roam -- \`, `  /usr/local/bin/roam-mcp \`, "  serve"}},
		{"keeps a flag and its value together", "claude mcp add --scope user roam", 24, []string{`claude mcp add \`, `  --scope user roam`}},
		{"keeps what is quoted whole", `a 'b c d e f' "k l \" m"`, 18, []string{`a 'b c d e f' \`, `  "k l \" m"`}},
		{"shows all of what is wider than a line", `a 'bcdefghij'`, 8, []string{`a \`, `  'bcdef`, `ghij'`}},
		{"keeps a space behind a backslash", `open /a\ b c`, 12, []string{`open /a\ b \`, "  c"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := Command(test.command, test.width); !slices.Equal(got, test.want) {
				t.Errorf("the lines are %q, want %q", got, test.want)
			}
		})
	}
	t.Run("means the same to a shell", func(t *testing.T) {
		sh, err := exec.LookPath("sh")
		if err != nil {
			t.Skip("there is no sh")
		}
		command := `printf '%s|' --scope user 'a  b' "c \" d" e\ f '{"type":"http"}' g`
		want, err := exec.Command(sh, "-c", command).Output()
		if err != nil {
			t.Fatal(err)
		}
		for width := 24; width < 80; width++ {
			got, err := exec.Command(sh, "-c", strings.Join(Command(command, width), "\n")).Output()
			if err != nil || string(got) != string(want) {
				t.Fatalf("%d wide it prints %q, %v; want %q", width, got, err, want)
			}
		}
	})
}
