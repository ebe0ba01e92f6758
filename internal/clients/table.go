package clients

import (
	"slices"
)

// The systems, as runtime.GOOS names them.
const (
	mac     = "darwin"
	linux   = "linux"
	windows = "windows"
)

// The shapes that entries have.
func plain() shape { return shape{{"command", theCommand}, {"args", theArgs}} }
func stdio() shape { return append(shape{{"type", "stdio"}}, plain()...) }

func mcpServers(entry shape) []place {
	return []place{{format: formatJSON, path: []string{"mcpServers"}, entry: entry}}
}

// reading returns places in which a client reads more fields than most, or other ones.
func reading(places []place, reads fields) []place {
	for i := range places {
		places[i].reads = reads
	}
	return places
}

// disabling are those of clients that can switch an entry off.
func disabling() fields { return fields{"disabled": switchedOff} }

// codexTable is the configuration of Codex and of those that follow it.
func codexTable() []place {
	return reading([]place{{format: formatTOML, path: []string{"mcp_servers"}, entry: plain()}},
		fields{"env_vars": passedNames, "cwd": aFolder, "enabled": switchedOn})
}

// vscodeServers are mcp.json of VS Code.
func vscodeServers() []place {
	return []place{{format: formatJSONC, path: []string{"servers"}, entry: stdio()}}
}

// opencodeServers are those of opencode, whose newer versions have a map of their own
// within "mcp". The older form works in both.
func opencodeServers() []place {
	older := shape{{"type", "local"}, {"command", theLine}, {"enabled", true}}
	return reading([]place{
		{format: formatJSONC, path: []string{"mcp"}, entry: older},
		{format: formatJSONC, path: []string{"mcp", "servers"}, entry: older[:2]},
	}, opencodeFields())
}

func opencodeFields() fields {
	return fields{"args": notRead, "env": notRead, "environment": variables, "cwd": aFolder, "enabled": switchedOn}
}

// code returns where VS Code and the editors made from it keep what belongs to a user.
func code(name string, below string) path {
	return path{at: "{support}/" + name + "/User" + below}
}

const (
	askClaude = "Ask Claude: what is in my graph?"
	askAgent  = "Ask it: what is in my graph?"
)

// table returns the clients, the most used first. What stands behind its rows is in
// docs/CLIENTS.md.
func table() []Client {
	return slices.Concat(mostUsed(), editors(), extensions(), terminals(), lesserTerminals(), chats(), byHand())
}

func mostUsed() []Client {
	return []Client{
		{
			ID: "claude-code", Aliases: []string{"claude"}, Name: "Claude Code", Infos: []string{"claude-code"}, Ask: askClaude,
			AfterWrite: "A session that is open takes it up with /mcp, or when it is started again.",
			here:       []path{{at: "~/.claude"}}, programs: []string{"claude"},
			files: []path{{at: "{CLAUDE_CONFIG_DIR:~}/.claude.json"}}, project: []string{".mcp.json"},
			servers: mcpServers(stdio()),
			// Every running session writes the file, so that an edit by others can be lost.
			add:    []string{"claude", "mcp", "add", "--scope", "user", "{name}", "--", "{command}", "{args}"},
			remove: []string{"claude", "mcp", "remove", "--scope", "user", "{name}"},
			env:    fullEnvironment,
		},
		{
			ID: "claude-desktop", Aliases: []string{"claude-app"}, Name: "Claude Desktop", Infos: []string{"claude-ai"}, Ask: askClaude,
			AfterWrite: "Restart Claude Desktop.",
			here:       []path{{on: windows, at: claudeStore}, {at: "{support}/Claude"}},
			files:      []path{{on: windows, at: claudeStore + "/LocalCache/Roaming/Claude/claude_desktop_config.json"}, {at: "{support}/Claude/claude_desktop_config.json"}},
			servers:    mcpServers(plain()), desktop: true, strict: true,
		},
		{
			ID: "cursor", Name: "Cursor", Infos: []string{"cursor-vscode", "cursor"}, Ask: askAgent,
			AfterWrite: "Cursor takes it up at once; see its settings, Tools & MCP.",
			here:       []path{{at: "~/.cursor"}}, programs: []string{"cursor", "cursor-agent"},
			files: []path{{at: "~/.cursor/mcp.json"}}, project: []string{".cursor/mcp.json"},
			servers: mcpServers(plain()), link: "cursor://anysphere.cursor-deeplink/mcp/install?name={name}&config={base64}",
		},
		{
			ID: "vscode", Aliases: []string{"code", "vs-code", "copilot-vscode"}, Name: "VS Code", Infos: []string{"Visual Studio Code", "Visual-Studio-Code"}, Ask: "Ask Copilot, in agent mode: what is in my graph?",
			AfterWrite: "VS Code asks whether it may start the server.",
			here:       []path{code("Code", "")}, programs: []string{"code"},
			files: []path{code("Code", "/mcp.json")}, project: []string{".vscode/mcp.json"},
			servers: vscodeServers(), link: "vscode:mcp/install?{json}", env: fullEnvironment,
		},
		{
			ID: "vscode-insiders", Aliases: []string{"code-insiders"}, Name: "VS Code Insiders", Infos: []string{"Visual Studio Code - Insiders"}, Ask: "Ask Copilot, in agent mode: what is in my graph?",
			AfterWrite: "VS Code asks whether it may start the server.",
			here:       []path{code("Code - Insiders", "")}, programs: []string{"code-insiders"},
			files: []path{code("Code - Insiders", "/mcp.json")}, project: []string{".vscode/mcp.json"},
			servers: vscodeServers(), link: "vscode-insiders:mcp/install?{json}", env: fullEnvironment,
		},
	}
}

func editors() []Client {
	return []Client{
		{
			ID: "visual-studio", Name: "Visual Studio", Infos: []string{"Visual Studio"}, Ask: "Ask Copilot, in agent mode: what is in my graph?",
			AfterWrite: "Restart Visual Studio.",
			here:       []path{{on: windows, at: "{local}/Microsoft/VisualStudio"}},
			files:      []path{{on: windows, at: "~/.mcp.json"}}, project: []string{".mcp.json"},
			servers: vscodeServers(), env: fullEnvironment,
		},
		{
			ID: "windsurf", Aliases: []string{"devin"}, Name: "Windsurf (Devin)", Infos: []string{"windsurf-client", "Windsurf", "devin"}, Ask: askAgent,
			AfterWrite: "Refresh the servers in its settings.",
			here:       []path{{on: windows, at: "{support}/devin"}, {at: "{config}/devin"}, {at: "~/.codeium/windsurf"}}, programs: []string{"windsurf", "devin"},
			files:   []path{{on: windows, at: "{support}/devin/mcp_config.json"}, {on: mac + linux, at: "{config}/devin/mcp_config.json"}, {at: "~/.codeium/windsurf/mcp_config.json"}},
			project: []string{".devin/mcp_config.json"},
			servers: reading(mcpServers(plain()), fields{"serverUrl": anAddress, "disabled": switchedOff}),
		},
		{
			ID: "zed", Name: "Zed", Infos: []string{"Zed"}, Ask: askAgent,
			here: []path{{on: mac + windows, at: "{support}/Zed"}, {on: mac, at: "~/.config/zed"}, {on: linux, at: "{config}/zed"}}, programs: []string{"zed", "zeditor"},
			// The folder below Application Support holds Zed's data; its settings are in
			// ~/.config on macOS, too, whatever other programs say.
			files:   []path{{on: windows, at: "{support}/Zed/settings.json"}, {on: mac, at: "~/.config/zed/settings.json"}, {on: linux, at: "{config}/zed/settings.json"}, {on: mac, at: "{support}/Zed/settings.json", exists: true}},
			project: []string{".zed/settings.json"},
			servers: reading([]place{{format: formatJSONC, path: []string{"context_servers"}, entry: append(append(shape{{"source", "custom"}}, plain()...), field{"env", entryFields{}})}}, fields{"enabled": switchedOn}),
			env:     fullEnvironment,
		},
		{
			ID: "kiro", Aliases: []string{"kiro-cli"}, Name: "Kiro", Infos: []string{"Kiro", "kiro-cli"}, Ask: askAgent,
			here: []path{{at: "~/.kiro"}}, programs: []string{"kiro", "kiro-cli"},
			files: []path{{at: "~/.kiro/settings/mcp.json"}}, project: []string{".kiro/settings/mcp.json"},
			servers: reading(mcpServers(plain()), disabling()), link: "https://kiro.dev/launch/mcp/add?name={name}&config={entry}",
		},
		{
			ID: "trae", Name: "Trae", Infos: []string{"Trae"}, Ask: askAgent,
			here:  []path{{on: mac + windows, at: "{support}/Trae"}},
			files: []path{{on: mac + windows, at: "{support}/Trae/User/mcp.json"}}, project: []string{".trae/mcp.json"},
			servers: mcpServers(plain()),
		},
		{
			ID: "antigravity", Name: "Antigravity", Infos: []string{"antigravity-client"}, Ask: askAgent,
			AfterWrite: "Refresh the servers in Antigravity.",
			here:       []path{{at: "~/.gemini/config"}, {at: "~/.gemini/antigravity"}}, programs: []string{"antigravity"},
			files:   []path{{at: "~/.gemini/config/mcp_config.json"}, {at: "~/.gemini/antigravity/mcp_config.json"}},
			project: []string{".agents/mcp_config.json"},
			servers: reading(mcpServers(plain()), fields{"serverUrl": anAddress, "disabled": switchedOff}),
		},
		{
			ID: "warp", Name: "Warp", Infos: []string{"Warp"}, Ask: askAgent,
			here: []path{{at: "~/.warp"}, {at: "~/.warp_cli"}}, programs: []string{"warp-cli", "warp-terminal", "oz"},
			files: []path{{at: "~/.warp/.mcp.json"}, {at: "~/.warp_cli/.mcp.json"}}, project: []string{".warp/.mcp.json"},
			servers: reading(append(mcpServers(plain()), place{format: formatJSON, entry: plain()}), fields{"working_directory": aFolder}), desktop: true, env: fullEnvironment,
		},
	}
}

func extensions() []Client {
	return []Client{
		{
			ID: "cline", Name: "Cline", Infos: []string{"Cline"}, Ask: askAgent,
			here: []path{code("Code", clineFolder), code("Code - Insiders", clineFolder), code("Cursor", clineFolder), code("Windsurf", clineFolder)},
			files: []path{code("Code", clineFile), code("Code - Insiders", clineFile), code("Cursor", clineFile),
				code("Windsurf", clineFile)},
			servers: reading(mcpServers(append(plain(), field{"disabled", false})), disabling()),
		},
		{
			ID: "roo-code", Aliases: []string{"roo"}, Name: "Roo Code", Infos: []string{"Roo-Code", "Roo Code"}, Ask: askAgent,
			here:    []path{code("Code", rooFolder), code("Code - Insiders", rooFolder), code("Cursor", rooFolder)},
			files:   []path{code("Code", rooFile), code("Code - Insiders", rooFile), code("Cursor", rooFile)},
			project: []string{".roo/mcp.json"}, servers: reading(mcpServers(plain()), fields{"disabled": switchedOff, "cwd": aFolder}),
		},
		{
			ID: "continue", Name: "Continue", Infos: []string{"continue-client", "continue-cli-client"}, Ask: askAgent,
			here: []path{{at: "{CONTINUE_GLOBAL_DIR:~/.continue}"}}, programs: []string{"cn"}, paste: true,
			// A config.yaml that is made would put an older config.json out of force; a
			// file of our own among the servers changes nothing else.
			files:   []path{{at: "{CONTINUE_GLOBAL_DIR:~/.continue}/config.yaml", exists: true}, {at: "{CONTINUE_GLOBAL_DIR:~/.continue}/mcpServers/roam-mcp.yaml"}},
			project: []string{".continue/mcpServers/roam-mcp.yaml"},
			servers: reading([]place{{format: formatYAML, path: []string{"mcpServers"}, list: true, entry: stdio(), new: "name: roam-mcp\nversion: 0.0.1\nschema: v1\n"}}, fields{"name": ourOwnValues, "cwd": aFolder}),
		},
		{
			ID: "junie", Name: "Junie", Infos: []string{"junie"}, Ask: askAgent,
			here: []path{{at: "~/.junie"}}, programs: []string{"junie"},
			files: []path{{at: "~/.junie/mcp/mcp.json"}}, project: []string{".junie/mcp/mcp.json"},
			servers: mcpServers(plain()), env: fullEnvironment,
		},
	}
}

const (
	claudeStore = "{local}/Packages/Claude_pzs8sxrjxfjjc"
	clineFolder = "/globalStorage/saoudrizwan.claude-dev"
	clineFile   = clineFolder + "/settings/cline_mcp_settings.json"
	rooFolder   = "/globalStorage/rooveterinaryinc.roo-cline"
	rooFile     = rooFolder + "/settings/mcp_settings.json"
)
