package mcpserve

import (
	"roam-mcp/configstore"
	"roam-mcp/internal/localapi"
)

// graphsRows are the tools of the toolset graphs.
func graphsRows() []matrixRow {
	both := place{graphs: []string{"alpha", "beta"}}
	return []matrixRow{
		{
			tool: "list_graphs", place: both, args: `{}`, wants: []string{`"nickname":"ALPHA"`, `"nickname":"BETA"`, `"accessLevel":"full"`},
			more: []matrixCell{{name: "with a disabled graph", place: place{graphs: []string{"alpha"}, disabled: []string{"beta"}}, wants: []string{`"nickname":"ALPHA"`}}},
			errors: []matrixCell{{name: "the configuration is broken", place: place{broken: `{"graphs":`}, code: "CONFIG_INVALID"},
				{name: "the configuration is too new", place: place{broken: `{"version":2,"graphs":[]}`}, code: "CONFIG_TOO_NEW"}},
		},
		{
			tool: "select_graph", place: both, action: localapi.GuidelinesAction, args: `{"graph":"alpha"}`,
			wants: []string{`"graph_name":"alpha"`, `"nickname":"ALPHA"`, `"permissions":["read","append","edit"],"accessLevel":"full"`, "Ask before you delete.", `"ticket":`, `"guidelines_hash":"sha256:`},
			errors: []matrixCell{
				{name: "no such graph", args: `{"graph":"gamma"}`, code: configstore.CodeGraphNotConfigured, wants: []string{`"available_graphs"`}},
				{name: "a disabled graph", args: `{"graph":"beta"}`, place: place{graphs: []string{"alpha"}, disabled: []string{"beta"}}, code: CodeGraphDisabled},
			},
			bad: map[string]string{`{}`: "graph is missing", `{"graph":" "}`: "graph"},
		},
		{
			tool: "current_graph", args: `{}`, wants: []string{`"graph_name":"alpha"`, `"permissions":["read","append","edit"],"accessLevel":"full"`},
			errors: []matrixCell{{name: "none is selected", place: both, code: CodeGraphNotSelected, wants: []string{"select_graph"}}},
		},
		{
			tool: "get_graph_guidelines", action: localapi.GuidelinesAction, args: `{}`,
			wants: []string{"Ask before you delete.", `"todaysDailyNotePage":"November 15th, 2026"`, `"starredPages":["Bread"]`, `"roamSyntax":`, `"nextSteps":`},
			more: []matrixCell{
				{name: "of an older build", turn: "bare-guidelines", wants: []string{"Ask before you delete."}},
				{name: "with a ticket", args: `{"graph":"BETA"}`, place: both, wants: []string{`"ticket":`, `"graphName":"beta"`}},
			},
			errors: []matrixCell{{name: "the user may not even read", turn: "signed-out", args: `{"graph":"gamma"}`, code: configstore.CodeGraphNotConfigured}},
			bad:    map[string]string{`{"maxDepth":1}`: "maxDepth"},
		},
		{
			tool: setupTool, routes: true, args: `{}`,
			wants: []string{`"available_graphs":[{"name":"beta","type":"hosted"`, `"already_configured":[{"name":"alpha","nickname":"ALPHA"`, `"instruction":`},
			more: []matrixCell{
				{name: "a new graph", args: `{"graph":"beta","nickname":"B","accessLevel":"read-append"}`, wants: []string{`"status":"connected"`, `"nickname":"B"`, `"accessLevel":"read-append"`}},
				{name: "one that is connected", args: `{"graph":"alpha"}`, wants: []string{`"status":"already_configured"`}},
				{name: "more access", args: `{"graph":"ALPHA","accessLevel":"full"}`, place: place{level: localapi.ReadOnly}, wants: []string{`"status":"connected"`, `"accessLevel":"full"`}},
				{name: "a token that is gone", args: `{"graph":"alpha"}`, turn: "tokens=revoked", wants: []string{`"status":"connected"`}},
			},
			errors: []matrixCell{
				{name: "no such graph", args: `{"graph":"gamma"}`, code: localapi.CodeGraphNotListed, wants: []string{"alpha, beta"}},
				{name: "a nickname that is taken", args: `{"graph":"beta","nickname":"alpha"}`, code: configstore.CodeNicknameTaken},
				{name: "a disabled graph", args: `{"graph":"beta"}`, place: place{disabled: []string{"beta"}}, code: CodeGraphDisabled},
				{name: "the Local API is disabled", turn: "disabled", code: localapi.CodeDisabled},
				{name: "nobody is signed in", turn: "signed-out", args: `{"graph":"beta"}`, code: localapi.CodeGraphNotListed},
				{name: "something else answers", turn: "reply=html", code: localapi.CodeNotRoam},
				{name: "the user says no", turn: "exchange=deny", args: `{"graph":"beta"}`, code: localapi.CodeUserRejected},
				{name: "the user has said never", turn: "exchange=never", args: `{"graph":"beta"}`, code: localapi.CodeGraphBlocked},
				{name: "the request fails", turn: "exchange=error", args: `{"graph":"beta"}`, code: localapi.CodeInternal},
			},
			bad: map[string]string{`{"graph":"beta","accessLevel":"all"}`: "accessLevel", `{"graph":"no/graph"}`: "graph", `{"graph":["a"]}`: "graph"},
		},
	}
}
