package configstore

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/require"
)

// TestTheFilesPageHasTheFields holds the table and the example of docs/FILES.md against the
// fields that are declared, and the example against those that are read.
func TestTheFilesPageHasTheFields(t *testing.T) {
	page, err := os.ReadFile("../docs/FILES.md")
	require.NoError(t, err)
	_, section, _ := strings.Cut(string(page), "<!-- config -->")
	section, _, found := strings.Cut(section, "<!-- /config -->")
	if !found {
		t.Fatal("docs/FILES.md has no section between <!-- config --> and <!-- /config -->")
	}

	var declared []string
	for _, member := range newDocument().root {
		declared = append(declared, member.Key)
	}
	fields := reflect.VisibleFields(reflect.TypeFor[Entry]())
	for _, field := range fields {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		declared = append(declared, name)
	}
	declared = append(declared, "history")
	for field := range reflect.TypeFor[History]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		declared = append(declared, name)
	}
	for what, pattern := range map[string]string{"table": "(?m)^\\| `([A-Za-z]+)`", "example": `(?m)^ *"([A-Za-z]+)":`} {
		var named []string
		for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(section, -1) {
			named = append(named, match[1])
		}
		if !slices.Equal(named, declared) {
			t.Errorf("the %s of docs/FILES.md has the fields %q, the file has %q", what, named, declared)
		}
	}

	_, example, _ := strings.Cut(section, "```json\n")
	example, _, _ = strings.Cut(example, "```")
	config := mustLoad(t, storeWith(t, example))
	if len(config.Entries) != 1 || len(config.Problems) != 0 {
		t.Fatalf("the example is read as %+v", config)
	}
	if h := config.History; h.OrDefault() != h {
		t.Errorf("the history is declared, and read from the example as %+v", h)
	}
	for _, field := range fields {
		if reflect.ValueOf(config.Entries[0]).FieldByIndex(field.Index).IsZero() {
			t.Errorf("%s is declared, and not read from the example", field.Name)
		}
	}
}
