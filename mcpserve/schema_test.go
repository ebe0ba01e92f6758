package mcpserve

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"roam-mcp/internal/rawjson"
	"roam-mcp/internal/testutil/require"
	"roam-mcp/mcpserve/surface"
)

// argumentReaders are the functions that read one argument by its name, and where
// the name stands among what they are given.
var argumentReaders = map[string]int{
	"Text": 0, "Has": 0, "List": 0, "Values": 0, "Objects": 0, "Number": 0, "Float": 0, "Flag": 0, "IsNull": 0,
	"Optional": 1, "unlessBlank": 1,
}

// argumentsRead returns the names of the arguments that the code of a package
// reads: those of tools that are in the files, and of runners of the server. They are
// literals, or constants whose names begin with param.
func argumentsRead(t *testing.T, folder string) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	var sources []*ast.File
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	require.NoError(t, err)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		require.NoError(t, err)
		sources = append(sources, source)
	}
	constants := map[string]*ast.BasicLit{}
	for _, source := range sources {
		ast.Inspect(source, func(n ast.Node) bool {
			if value, ok := n.(*ast.ValueSpec); ok && len(value.Names) == len(value.Values) {
				for i, name := range value.Names {
					if text, ok := value.Values[i].(*ast.BasicLit); ok && strings.HasPrefix(name.Name, "param") {
						constants[name.Name] = text
					}
				}
			}
			return true
		})
	}
	literal := func(e ast.Expr) (string, bool) {
		if name, ok := e.(*ast.Ident); ok && constants[name.Name] != nil {
			e = constants[name.Name]
		}
		return literal(e)
	}
	for _, source := range sources {
		ast.Inspect(source, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				addArgument(names, n, literal)
			case *ast.Ident: // the names that the server knows, too
				names[map[string]string{"ParamAfter": surface.ParamAfter, "ParamMaxTokens": surface.ParamMaxTokens, "ParamDryRun": surface.ParamDryRun}[n.Name]] = true
			case *ast.IndexExpr: // args["order"]
				if name, ok := literal(n.Index); ok {
					names[name] = true
				}
			case *ast.CompositeLit: // placing{"parent_block_uuid", paramPage}
				if of, ok := n.Type.(*ast.Ident); ok && of.Name == "placing" {
					for _, each := range n.Elts {
						if name, ok := literal(each); ok {
							names[name] = true
						}
					}
				}
			}
			return true
		})
	}
	return names
}

// addArgument adds the names that a call reads.
func addArgument(names map[string]bool, call *ast.CallExpr, literal func(ast.Expr) (string, bool)) {
	called := ""
	switch f := call.Fun.(type) {
	case *ast.SelectorExpr:
		called = f.Sel.Name
	case *ast.Ident:
		called = f.Name
	case *ast.IndexExpr: // surface.Optional[int]
		if selector, ok := f.X.(*ast.SelectorExpr); ok {
			called = selector.Sel.Name
		}
	}
	if called == "OnlyOne" {
		for _, arg := range call.Args[1:] {
			if name, ok := literal(arg); ok {
				names[name] = true
			}
		}
	}
	if at, ok := argumentReaders[called]; ok && at < len(call.Args) {
		if name, ok := literal(call.Args[at]); ok {
			names[name] = true
		}
	}
}

func literal(e ast.Expr) (string, bool) {
	basic, ok := e.(*ast.BasicLit)
	if !ok || basic.Kind != token.STRING {
		return "", false
	}
	text, err := strconv.Unquote(basic.Value)
	return text, err == nil
}

// A tool gets no argument that its schema does not have, so one that the code
// reads and no schema lists is always missing.
func TestEveryArgumentThatTheCodeReadsIsInASchemaAndTheOtherWayRound(t *testing.T) {
	for _, p := range Profiles() {
		read := argumentsRead(t, filepath.Join("profile", p.Name))
		listed := map[string]bool{}
		for i := range p.Tools {
			if p.Tools[i].Run == nil {
				continue // the server runs it
			}
			for _, param := range p.Tools[i].Params {
				listed[param.Name] = true
				for _, field := range param.Fields {
					listed[field.Name] = true
				}
			}
		}
		for name := range listed {
			if !read[name] {
				t.Errorf("%s: %s is in a schema, and nothing reads it", p.Name, name)
			}
		}
		fields := map[string]bool{"": true, "markdown": true, "todaysDailyNotePage": true, "extensionTools": true, "block-string": true, "uid": true} // of Roam's replies
		for name := range read {
			if !listed[name] && !fields[name] && !isPromptArgument(p, name) {
				t.Errorf("%s: %s is read, and no schema has it", p.Name, name)
			}
		}
	}
}

// Whatever takes a uid takes what else agents have of a block: see Tool.Resolve.
// Verbatim profiles resolve their ids by themselves.
func TestEveryUIDIsTakenInEachOfItsForms(t *testing.T) {
	for _, p := range Profiles() {
		if p.Verbatim {
			continue
		}
		for i := range p.Tools {
			var check func(params []surface.Param, where string)
			check = func(params []surface.Param, where string) {
				for _, param := range params {
					check(param.Fields, where+" "+param.Name)
					name := strings.ToLower(param.Name)
					uid := strings.HasSuffix(name, "uid") || strings.HasSuffix(name, "uids")
					title := strings.HasSuffix(name, "title") || strings.HasSuffix(name, "titles")
					isNew := where == "create_page" || where == "update_page" && title
					if !isNew && (uid != param.UID || title && !param.Page) {
						t.Errorf("%s %s: uid %t, page %t", where, param.Name, param.UID, param.Page)
					}
				}
			}
			check(p.Tools[i].Params, p.Tools[i].Name)
		}
	}
}

// isPromptArgument reports whether a prompt of the profile has the argument.
func isPromptArgument(p surface.Profile, name string) bool {
	return slices.ContainsFunc(p.Prompts, func(prompt surface.Prompt) bool {
		return slices.ContainsFunc(prompt.Args, func(arg surface.PromptArg) bool { return arg.Name == name })
	})
}

// schemaOf returns the published input schema of a tool, compiled.
func schemaOf(t *testing.T, p *surface.Profile, tool *surface.Tool, several bool) *jsonschema.Resolved {
	t.Helper()
	text, err := json.Marshal(p.Definition(tool, several).InputSchema)
	require.NoError(t, err)
	var schema jsonschema.Schema
	require.NoError(t, json.Unmarshal(text, &schema))
	resolved, err := schema.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	if err != nil {
		t.Fatalf("%s: %v", tool.Name, err)
	}
	return resolved
}

// A host that checks arguments against the schema lets every example through, once
// what is there to be repaired is repaired.
func TestTheArgumentsOfEveryExampleFitThePublishedSchema(t *testing.T) {
	p := Profiles()[0]
	for _, row := range matrixRows() {
		tool, ok := p.Find(row.tool)
		if !ok {
			t.Fatalf("there is no tool %s", row.tool)
		}
		examples := []string{row.args}
		for _, cell := range slices.Concat(row.more, row.errors) {
			examples = append(examples, cell.args)
		}
		resolved := schemaOf(t, &p, tool, true)
		for _, example := range examples {
			args, err := p.Parse(tool, json.RawMessage(example), true)
			if example == "" || err != nil { // an example of what is refused
				continue
			}
			text, err := json.Marshal(asListed(tool.Params, args))
			require.NoError(t, err)
			var value map[string]any
			require.NoError(t, json.Unmarshal(text, &value))
			if err := resolved.Validate(value); err != nil {
				t.Errorf("%s %s: %v", row.tool, text, err)
			}
		}
	}
}

// emptyForm returns what a form sends for parameters of which a person fills in those that are
// required alone.
func emptyForm(params []surface.Param) rawjson.Object {
	form := rawjson.Object{}
	for _, param := range params {
		var value any
		switch numeric := param.Kind == surface.Integer || param.Kind == surface.Number; {
		case !param.Required && numeric:
			value = 0
		case !param.Required:
			value = ""
		case len(param.Choices) > 0:
			value = param.Choices[0]
		case param.Kind == surface.Objects:
			value = []rawjson.Object{emptyForm(param.Fields)}
		case numeric:
			value = 1
		default:
			value = "x"
		}
		form = form.With(param.Name, value)
	}
	return form
}

// What a form leaves empty, and what n8n adds to every call, is as if it was not sent.
func TestNoToolRefusesAFormThatIsLeftEmpty(t *testing.T) {
	for _, p := range Profiles() {
		for i := range p.Tools {
			tool := &p.Tools[i]
			form := emptyForm(tool.Params).With("sessionId", "s").With("action", "sendMessage").With("chatInput", "hello").With("toolCallId", "t")
			args, err := p.Parse(tool, form.JSON(), false)
			if err != nil || args.Clamped() != "" {
				t.Errorf("%s %s: %v %s", p.Name, form.JSON(), err, args.Clamped())
			}
			for name, value := range args {
				if param := tool.Param(name); !param.Required && value != "" && value != 0 && value != 0.0 {
					t.Errorf("%s %s: %s is %v", p.Name, tool.Name, name, value)
				}
			}
		}
	}
}

// asListed returns arguments as the schema has them: places and values as text.
func asListed(params []surface.Param, args surface.Arguments) map[string]any {
	listed := map[string]any{}
	for name, value := range args {
		listed[name] = value
		at := slices.IndexFunc(params, func(p surface.Param) bool { return p.Name == name })
		if at < 0 {
			continue
		}
		if params[at].Kind == surface.Order {
			listed[name] = fmt.Sprint(value)
		}
		if params[at].Kind == surface.Values {
			listed[name] = string(rawjson.Encode(value))
		}
	}
	return listed
}
