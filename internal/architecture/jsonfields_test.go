package architecture

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"roam-mcp/internal/testutil/golden"
	"roam-mcp/internal/testutil/require"
)

// TestFieldsOfJSON compares the fields that docs/dev/JOURNAL.md has of JSON with those of
// the types that are written, and their comments; -update writes them anew.
func TestFieldsOfJSON(t *testing.T) {
	const export, view = "../journal/history/export.go", "../../tui/historyview/json.go"
	var rows strings.Builder
	rows.WriteString("| of | fields |\n|---|---|\n")
	for _, each := range []struct{ of, file, name string }{
		{"a call that is exported", export, "exportedCall"},
		{"one of its `changes`", export, "exportedChange"},
		{"one of its `touches`", export, "exportedTouch"},
		{"a version that is exported", export, "exportedVersion"},
		{"`history --json`", view, "ListJSON"},
		{"one of `calls`", view, "CallJSON"},
		{"one of `sessions`", view, "SessionJSON"},
		{"a call of `diff --json`", view, "DiffJSON"},
		{"one of its `parts`", view, "PartJSON"},
		{"one of its `sections`", view, "SectionJSON"},
		{"one of their `lines`", view, "LineJSON"},
		{"`undo --json`, `redo --json`", "../../tui/historyview/undotext.go", "UndoJSON"},
		{"one of what is `left`", "../journal/undo/plan_steps.go", "Left"},
	} {
		fields, err := jsonFields(each.file, each.name)
		require.NoError(t, err)
		fmt.Fprintf(&rows, "| %s | %s |\n", each.of, strings.Join(fields, ", "))
	}
	golden.Section(t, "../../docs/dev/JOURNAL.md", "<!-- fields -->\n", "<!-- /fields -->", rows.String())
}

// jsonFields returns the names that the fields of a struct have in JSON, with their comments.
func jsonFields(file, name string) (fields []string, err error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	ast.Inspect(parsed, func(node ast.Node) bool {
		spec, is := node.(*ast.TypeSpec)
		if !is || spec.Name.Name != name {
			return true
		}
		for _, field := range spec.Type.(*ast.StructType).Fields.List {
			if field.Tag == nil {
				fields = append(fields, "what a call has")
				continue
			}
			tag, _ := strconv.Unquote(field.Tag.Value) // it was parsed
			key, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
			if key == "-" {
				continue
			}
			text := "`" + key + "`"
			if about := strings.TrimSpace(field.Comment.Text()); about != "" {
				text += " (" + about + ")"
			}
			fields = append(fields, text)
		}
		return false
	})
	if len(fields) == 0 {
		return nil, fmt.Errorf("%s has no type %s", file, name)
	}
	return fields, nil
}
