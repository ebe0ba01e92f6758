package clients

func chats() []Client {
	return []Client{
		{
			ID: "lm-studio", Aliases: []string{"lmstudio"}, Name: "LM Studio", Infos: []string{"lmstudio-mcp-bridge", "LM Studio"}, Ask: askAgent,
			here: []path{{at: "~/.lmstudio"}, {at: "~/.cache/lm-studio"}}, programs: []string{"lms"},
			files:   []path{{at: "~/.lmstudio/mcp.json"}, {at: "~/.cache/lm-studio/mcp.json"}},
			servers: mcpServers(plain()), link: "lmstudio://add_mcp?name={name}&config={base64}", desktop: true,
		},
		{
			ID: "jan", Name: "Jan", Infos: []string{"Jan", "Jan-Streamable-Client"}, Ask: askAgent,
			AfterWrite: "Restart Jan.",
			here:       []path{{on: mac + windows, at: "{support}/Jan/data"}, {on: linux, at: "{data}/Jan/data"}},
			files:      []path{{on: mac + windows, at: "{support}/Jan/data/mcp_config.json"}, {on: linux, at: "{data}/Jan/data/mcp_config.json"}},
			servers:    reading(mcpServers(append(plain(), field{"env", entryFields{}}, field{"active", true})), fields{"active": switchedOn}), desktop: true, env: fullEnvironment,
		},
		{
			ID: "5ire", Name: "5ire", Infos: []string{"5ire"}, Ask: askAgent,
			AfterWrite: "Restart 5ire.",
			here:       []path{{at: "{support}/5ire"}},
			files:      []path{{at: "{support}/5ire/mcp.json"}},
			servers:    reading(mcpServers(append(append(shape{{"name", theName}}, plain()...), field{"isActive", true})), fields{"isActive": switchedOn}), desktop: true,
		},
		{
			ID: "witsy", Name: "Witsy", Infos: []string{"witsy-mcp-client", "witsy"}, Ask: askAgent,
			AfterWrite: "Restart Witsy.",
			here:       []path{{at: "{support}/Witsy"}},
			files:      []path{{at: "{support}/Witsy/settings.json"}},
			servers:    mcpServers(plain()), desktop: true,
		},
		{
			ID: "boltai", Name: "BoltAI", Infos: []string{"BoltAI"}, Ask: askAgent,
			AfterWrite: "Restart BoltAI.",
			here:       []path{{on: mac, at: "~/.boltai"}},
			files:      []path{{on: mac, at: "~/.boltai/mcp.json"}},
			servers:    mcpServers(plain()), desktop: true,
		},
		{
			ID: "enconvo", Name: "Enconvo", Infos: []string{"Enconvo"}, Ask: askAgent,
			AfterWrite: "Restart Enconvo.",
			here:       []path{{on: mac, at: "~/.config/enconvo"}},
			files:      []path{{on: mac, at: "~/.config/enconvo/mcp_config.json"}},
			servers:    mcpServers(plain()), desktop: true,
		},
		{
			ID: "tome", Name: "Tome", Infos: []string{"Tome"}, Ask: askAgent,
			AfterWrite: "Restart Tome.",
			here:       []path{{on: mac + windows, at: "~/.tome"}},
			files:      []path{{on: mac + windows, at: "~/.tome/mcp.json"}},
			servers:    mcpServers(plain()), desktop: true,
		},
	}
}

func byHand() []Client {
	return []Client{
		{
			ID: "cherry-studio", Aliases: []string{"cherry"}, Name: "Cherry Studio", Infos: []string{"Cherry Studio"}, Ask: askAgent,
			here: []path{{at: "{support}/CherryStudio"}, {at: "~/.cherrystudio"}},
			link: "cherrystudio://mcp/install?servers={servers64}", servers: mcpServers(stdio()),
			where: "Settings, MCP Servers, Import from JSON", desktop: true,
		},
		{
			ID: "raycast", Name: "Raycast", Infos: []string{"com.raycast.macos", "Raycast"}, Ask: "Ask Raycast AI: @roam what is in my graph?",
			here: []path{{on: mac, at: "{support}/com.raycast.macos"}, {on: mac, at: "~/.config/raycast"}},
			link: "raycast://mcp/install?{json}", servers: mcpServers(stdio()),
			where: "the command Install MCP Server", desktop: true, env: fullEnvironment,
		},
		{
			ID: "jetbrains", Aliases: []string{"jetbrains-ai", "intellij"}, Name: "JetBrains AI Assistant", Infos: []string{"JetBrains-IU", "JetBrains-IU-copilot-intellij", "JetBrains-JBC-copilot-intellij"}, Ask: askAgent,
			here:    []path{{on: mac + windows, at: "{support}/JetBrains"}, {on: linux, at: "{config}/JetBrains"}},
			servers: mcpServers(plain()), where: "Settings, Tools, AI Assistant, Model Context Protocol, Add, As JSON", desktop: true, env: fullEnvironment,
		},
		{
			ID: "openclaw", Name: "OpenClaw", Infos: []string{"openclaw"}, Ask: askAgent,
			here: []path{{at: "~/.openclaw"}}, programs: []string{"openclaw"},
			line:    []string{"openclaw", "mcp", "set", "{name}", "{entry}"},
			servers: mcpServers(plain()),
		},
	}
}
