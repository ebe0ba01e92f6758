package configstore

import (
	"os"
	"strings"
	"testing"
	"time"

	"roam-mcp/internal/testutil/require"
)

// A file that was read and is looked at alone is read again once it has changed, in the
// tick of its last change as well.
func TestAChangedFileIsReadAgain(t *testing.T) {
	const text = `{"version":1,"graphs":[{"name":"NAME","type":"hosted","token":"TOKEN","nickname":"NAME"}]}`
	named := func(name string) string { return strings.ReplaceAll(text, "NAME", name) }
	for name, age := range map[string]time.Duration{"long after the last change": time.Hour, "in the tick of it": 0} {
		t.Run(name, func(t *testing.T) {
			s := storeWith(t, named("a"))
			modified := time.Now().Add(-age)
			require.NoError(t, os.Chtimes(s.Path(), time.Time{}, modified))
			for _, want := range []string{"a", "a", "b"} {
				if want == "b" {
					writeFile(t, s.Path(), named("b"))
					if age == 0 {
						require.NoError(t, os.Chtimes(s.Path(), time.Time{}, modified))
					}
				}
				if c := mustLoad(t, s); len(c.Entries) != 1 || c.Entries[0].Name != want {
					t.Errorf("%s is %+v", want, c.Entries)
				}
			}
			require.NoError(t, os.Remove(s.Path()))
			if c := mustLoad(t, s); c.Exists {
				t.Error("it is still there")
			}
		})
	}
}
