package architecture

import (
	"go/ast"

	"roam-mcp/internal/problem"
)

// hostile are names that a shell would obey if a command held them quoted wrongly.
func hostile() []string {
	return []string{
		"Notes $(touch x)", "`touch x`", "'; touch x; '", `"; touch x; "`, `a\'; touch x; '`, `a\"; touch x; "`, "-x", "--help", "=touch", "~", "*", "a&touch x", "a|touch x", "a>x",
		"$HOME ${HOME}", "!!", "%PATH%", "#x", "", " ", "a\ntouch x", "\u2018; touch x; \u2019", "\u201cx\u201d", "$env:PATH", "@(touch x)", "{x,y}", "a\u200b\u3164b", "\u202ex", "日本", `C:\notes\`,
	}
}

// printedCommands returns the commands that the sources make, with what is known only
// when the program runs in angle brackets.
func (all *sources) printedCommands() []problem.Command {
	var commands []problem.Command
	for _, s := range all.files {
		reader := reader{sources: all, source: s, variables: map[string]ast.Expr{}}
		ast.Inspect(s.tree, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			command, ok := reader.command(call)
			if ok {
				commands = append(commands, command)
			}
			return !ok // the calls within are parts of it
		})
	}
	return commands
}
