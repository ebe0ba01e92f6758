package manage

import (
	"fmt"
	"slices"
	"strings"

	"roam-mcp/configstore"
	"roam-mcp/internal/problem"
	"roam-mcp/internal/textsafe"
)

// NotConfigured returns the error of a name by which Config.Find finds nothing, with the name that
// was meant, or else all there are.
func NotConfigured(name string, config configstore.Config) error {
	todo := problem.Say("No graph is connected yet: %s.", problem.Run("connect", "GRAPH"))
	if len(config.Entries) > 0 {
		todo = problem.Say("The connected graphs are: %s.", strings.Join(nicknames(config.Entries), ", "))
	}
	return Meant(&problem.Error{
		Code: configstore.CodeGraphNotConfigured, Message: fmt.Sprintf("No connected graph is called %q.", name), Hint: todo,
	}, name, config)
}

// Meant returns err with the nickname that was meant as its hint, where err is that no graph
// is called so and one is called nearly so.
func Meant(err error, name string, config configstore.Config) error {
	closest := textsafe.Closest(name, nicknames(slices.Concat(config.Entries, config.WithoutToken)))
	known, ok := problem.As(err)
	if !ok || known.Code != configstore.CodeGraphNotConfigured || closest == "" {
		return err
	}
	told := *known
	told.Hint = problem.Say("Did you mean %s?", closest)
	return &told
}

func nicknames(entries []configstore.Entry) []string {
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Nickname
	}
	return names
}
