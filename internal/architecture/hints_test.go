package architecture

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"io"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"roam-mcp/internal/problem"
	"roam-mcp/internal/testutil/golden"
	"roam-mcp/internal/testutil/require"
)

// TestHints compares every sentence of every hint, as it is read in three worlds,
// with a file. What is known only when the program runs stands in angle brackets.
func TestHints(t *testing.T) {
	all, err := readSources(os.DirFS("../.."))
	require.NoError(t, err)
	var out strings.Builder
	for _, s := range all.files {
		said, complaints := all.hintsOf(s)
		for _, complaint := range complaints {
			t.Error(complaint)
		}
		if len(said) > 0 {
			fmt.Fprintf(&out, "%s\n%s\n", s.name, strings.Join(said, ""))
		}
	}
	golden.File(t, "testdata/hints.golden", out.String())
}

// TestCommandsAreValues looks for texts that name a command of the program by
// themselves. problem.Run makes commands, which get the flags of the world that they
// are read in.
func TestCommandsAreValues(t *testing.T) {
	all, err := readSources(os.DirFS("../.."))
	require.NoError(t, err)
	if names := all.commands(); !slices.Contains(names, "connect") || !slices.Contains(names, "serve") {
		t.Fatalf("the commands are %v", names)
	}
	for _, complaint := range all.commandsInTexts() {
		t.Error(complaint)
	}
}

// inWorlds returns a hint as a person reads it without flags, and where that differs
// with --sandbox and with --config.
func inWorlds(hint problem.Hint) []string {
	tool := func(task problem.Task) string { return "<" + string(task) + ">" }
	plain := problem.World{Tool: tool}.Say(hint)
	said := []string{"  " + plain + "\n"}
	for _, world := range []problem.World{
		{Flags: []string{"--sandbox"}, Roam: "the sandbox", Tool: tool},
		{Flags: []string{"--config", "/home/ada/my notes/roam.json"}, Tool: tool},
	} {
		if other := world.Say(hint); other != plain {
			said = append(said, fmt.Sprintf("      %s: %s\n", world.Flags[0], other))
		}
	}
	return said
}

// hintsOf returns the sentences of a file's hints as they are read in the worlds, in
// their order, and what is wrong with them.
func (all *sources) hintsOf(s source) (said, complaints []string) {
	verb := regexp.MustCompile(`%[sdqv]`)
	var calls []*ast.CallExpr
	reader := reader{sources: all, source: s, variables: map[string]ast.Expr{}}
	ast.Inspect(s.tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if _, ok := onlyReturns(n); ok && n.Recv == nil && n.Name.Name == all.wrappers[path.Dir(s.name)] {
				return false
			}
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				if name, ok := left.(*ast.Ident); ok && n.Tok == token.DEFINE && len(n.Rhs) == len(n.Lhs) {
					reader.variables[name.Name] = n.Rhs[i]
				}
			}
		case *ast.CallExpr:
			if all.says(s, n) {
				calls = append(calls, n)
			}
		}
		return true
	})
	// Those of a chain all begin where it does.
	slices.SortStableFunc(calls, func(a, b *ast.CallExpr) int { return int(a.Lparen - b.Lparen) })
	for _, call := range calls {
		at := all.set.Position(call.Pos())
		format, ok := reader.text(call.Args[0])
		if !ok {
			complaints = append(complaints, fmt.Sprintf("%s: the format of a hint must be a literal or a constant", at))
			continue
		}
		operands := make([]any, 0, len(call.Args)-1)
		for _, arg := range call.Args[1:] {
			operands = append(operands, reader.operand(arg))
		}
		lines := inWorlds(problem.Say(format, operands...))
		if strings.Contains(lines[0], "%!") || len(operands) == 0 && verb.MatchString(format) {
			complaints = append(complaints, fmt.Sprintf("%s: the operands do not fit the format: %s", at, strings.TrimSpace(lines[0])))
		}
		said = append(said, lines...)
	}
	return said, complaints
}

// commandsInTexts complains of the texts that name a command of the program.
func (all *sources) commandsInTexts() []string {
	named := regexp.MustCompile(`roam-mcp (--\w|(` + strings.Join(all.commands(), "|") + `)\b)`)
	var complaints []string
	for _, s := range all.files {
		ast.Inspect(s.tree, func(n ast.Node) bool {
			if field, ok := n.(*ast.KeyValueExpr); ok {
				if name, ok := field.Key.(*ast.Ident); ok && slices.Contains([]string{"Long", "Short", "Example"}, name.Name) {
					return false // what --help says of a command
				}
			}
			if text, ok := literal(n); ok && named.MatchString(text) {
				complaints = append(complaints, fmt.Sprintf("%s names a command in a text: %q", all.set.Position(n.Pos()), text))
			}
			return true
		})
	}
	return complaints
}

// says reports whether a call makes a sentence of a hint: problem.Say, its shorter
// name in this package, or the method Then or Or of a hint.
func (all *sources) says(s source, call *ast.CallExpr) bool {
	if len(call.Args) == 0 {
		return false
	}
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name == all.wrappers[path.Dir(s.name)]
	case *ast.SelectorExpr:
		if s.isProblem(f, "Say") {
			return true
		}
		if of, ok := f.X.(*ast.Ident); ok && s.imports[of.Name] != "" {
			return false // cmp.Or
		}
		return f.Sel.Name == "Then" || f.Sel.Name == "Or"
	}
	return false
}

// unknown stands for a value that is known only when the program runs.
type unknown string

// Format writes the expression in angle brackets, whatever the verb.
func (u unknown) Format(f fmt.State, verb rune) {
	if verb == 'q' {
		_, _ = io.WriteString(f, strconv.Quote("<"+string(u)+">"))
		return
	}
	_, _ = io.WriteString(f, "<"+string(u)+">")
}

// reader evaluates the expressions of one file.
type reader struct {
	*sources
	source
	variables map[string]ast.Expr // as they were defined last
}

// operand returns what an operand of a format is, as far as the source tells.
func (r reader) operand(e ast.Expr) any {
	if command, ok := r.command(e); ok {
		return command
	}
	if r.isProblem(e, "Roam") {
		return problem.Roam
	}
	if folder, name := r.constantOf(e); r.tasks[folder][name] {
		text, _ := r.text(e)
		return problem.Task(text)
	}
	if text, ok := r.text(e); ok {
		return text
	}
	if number, ok := r.number(e); ok {
		return number
	}
	if list, ok := e.(*ast.CompositeLit); ok && r.isProblem(list.Type, "CommandLine") {
		line := problem.CommandLine{}
		for _, word := range list.Elts {
			line = append(line, r.word(word))
		}
		return line
	}
	return unknown(types.ExprString(e))
}

// command evaluates problem.Run with its methods, also behind a variable.
func (r reader) command(e ast.Expr) (problem.Command, bool) {
	if name, ok := e.(*ast.Ident); ok && r.variables[name.Name] != nil {
		defined := r.variables[name.Name]
		r.variables[name.Name] = nil // a definition may name itself
		defer func() { r.variables[name.Name] = defined }()
		return r.command(defined)
	}
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return problem.Command{}, false
	}
	words := make([]string, len(call.Args))
	for i, arg := range call.Args {
		words[i] = r.word(arg)
	}
	if r.isProblem(call.Fun, "Run") {
		return problem.Run(words[0], words[1:]...), true
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return problem.Command{}, false
	}
	on, ok := r.command(method.X)
	switch {
	case ok && method.Sel.Name == "With":
		return on.With(words...), true
	case ok && method.Sel.Name == "Anywhere":
		return on.Anywhere(), true
	}
	return problem.Command{}, false
}

func (r reader) word(e ast.Expr) string {
	if text, ok := r.text(e); ok {
		return text
	}
	return "<" + types.ExprString(e) + ">"
}

// text returns the text of a literal, of a constant, or of several put together.
func (r reader) text(e ast.Expr) (string, bool) {
	if text, ok := literal(e); ok {
		return text, true
	}
	if sum, ok := e.(*ast.BinaryExpr); ok && sum.Op == token.ADD {
		left, known := r.text(sum.X)
		right, both := r.text(sum.Y)
		return left + right, known && both
	}
	if folder, name := r.constantOf(e); r.constants[folder][name] != nil {
		return reader{sources: r.sources, source: source{name: folder + "/"}}.text(r.constants[folder][name])
	}
	return "", false
}

func (r reader) number(e ast.Expr) (int, bool) {
	if folder, name := r.constantOf(e); r.constants[folder][name] != nil {
		e = r.constants[folder][name]
	}
	l, ok := e.(*ast.BasicLit)
	if !ok || l.Kind != token.INT {
		return 0, false
	}
	n, err := strconv.Atoi(l.Value)
	return n, err == nil
}

// constantOf returns the package and the name that e may be a constant of.
func (r reader) constantOf(e ast.Expr) (folder, name string) {
	switch e := e.(type) {
	case *ast.Ident:
		return path.Dir(r.name), e.Name
	case *ast.SelectorExpr:
		if of, ok := e.X.(*ast.Ident); ok {
			return r.imports[of.Name], e.Sel.Name
		}
	}
	return "", ""
}
