package main

import "roam-mcp/cmd/internal/terminal"

// shots is the way through the program: connect the sample graph, then look at
// the list.
func shots() []shot {
	return []shot{
		{awaits: []string{"demo", "notebook"}},
		{keys: []string{terminal.Enter}, awaits: []string{"Nickname"}},
		// The name that the form proposes has this computer's name in it.
		{keys: []string{terminal.Enter, terminal.Enter, terminal.ControlU, "roam-mcp on my computer"}, awaits: []string{"on my computer"}},
		{name: "connect", keys: []string{terminal.Enter}, awaits: []string{"Waiting for you in Roam", "Roam (sandbox)"}},
		{keys: []string{"a"}, awaits: []string{"Saved"}},
		{name: "graphs", keys: []string{terminal.Escape}, awaits: []string{"Your graphs", "connected"}},
	}
}
