package clients

func terminals() []Client {
	return []Client{
		{
			ID: "codex", Name: "Codex", Infos: []string{"codex-mcp-client", "Codex"}, Ask: "Ask Codex: what is in my graph?",
			AfterWrite: "A session that is open has to be started again.",
			here:       []path{{at: "{CODEX_HOME:~/.codex}"}}, programs: []string{"codex"},
			files: []path{{at: "{CODEX_HOME:~/.codex}/config.toml"}}, project: []string{".codex/config.toml"},
			servers: codexTable(), env: codexEnvironment,
			add:    []string{"codex", "mcp", "add", "{name}", "--", "{command}", "{args}"},
			remove: []string{"codex", "mcp", "remove", "{name}"},
		},
		{
			ID: "gemini-cli", Aliases: []string{"gemini"}, Name: "Gemini CLI", Infos: []string{"gemini-cli-mcp-client"}, Ask: "Ask Gemini: what is in my graph?",
			AfterWrite: "A session that is open has to be started again.",
			here:       []path{{at: "{GEMINI_CLI_HOME:~}/.gemini/settings.json"}, {at: "{GEMINI_CLI_HOME:~}/.gemini/projects.json"}, {at: "{GEMINI_CLI_HOME:~}/.gemini/oauth_creds.json"}}, programs: []string{"gemini"},
			files: []path{{at: "{GEMINI_CLI_HOME:~}/.gemini/settings.json"}}, project: []string{".gemini/settings.json"},
			servers: reading(mcpServers(plain()), fields{"cwd": aFolder, "httpUrl": anAddress}), env: namelessSecrets,
		},
		{
			ID: "copilot-cli", Aliases: []string{"copilot", "github-copilot-cli"}, Name: "Copilot CLI", Infos: []string{"github-copilot-developer", "copilot-cli"}, Ask: "Ask Copilot: what is in my graph?",
			AfterWrite: "A session that is open has to be started again.",
			here:       []path{{at: "{COPILOT_HOME:~/.copilot}"}}, programs: []string{"copilot"},
			files: []path{{at: "{COPILOT_HOME:~/.copilot}/mcp-config.json"}}, project: []string{".mcp.json", ".github/mcp.json"},
			servers: mcpServers(append(stdio(), field{"tools", []string{"*"}})),
		},
		{
			ID: "opencode", Name: "opencode", Infos: []string{"opencode"}, Ask: askAgent,
			here: []path{{at: "{config}/opencode"}}, programs: []string{"opencode"},
			files:   []path{{at: "{config}/opencode/opencode.jsonc"}, {at: "{config}/opencode/opencode.json"}},
			project: []string{"opencode.jsonc", "opencode.json", ".opencode/opencode.jsonc", ".opencode/opencode.json"},
			servers: opencodeServers(), env: fullEnvironment,
		},
		{
			ID: "qwen-code", Aliases: []string{"qwen"}, Name: "Qwen Code", Infos: []string{"qwen-cli-mcp-client-roam", "qwen-code-mcp-client"}, Ask: "Ask Qwen: what is in my graph?",
			here: []path{{at: "{QWEN_HOME:~/.qwen}"}}, programs: []string{"qwen"},
			files: []path{{at: "{QWEN_HOME:~/.qwen}/settings.json"}}, project: []string{".qwen/settings.json"},
			servers: reading(mcpServers(plain()), fields{"cwd": aFolder, "httpUrl": anAddress}), env: fullEnvironment,
		},
		{
			ID: "goose", Name: "Goose", Infos: []string{"goose"}, Ask: "Ask Goose: what is in my graph?",
			here: []path{{on: windows, at: "{support}/Block/goose"}, {on: mac + linux, at: "{config}/goose"}}, programs: []string{"goose"}, paste: true,
			files: []path{{on: windows, at: "{support}/Block/goose/config/config.yaml"}, {on: mac + linux, at: "{config}/goose/config.yaml"}},
			servers: reading([]place{{format: formatYAML, path: []string{"extensions"}, entry: shape{
				{"name", theName}, {"description", "Roam Research graphs"}, {"type", "stdio"}, {"cmd", theCommand}, {"args", theArgs},
				{"envs", entryFields{}}, {"enabled", true}, {"timeout", 300},
			}}}, fields{"command": notRead, "env": notRead, "envs": variables, "env_keys": passedNames, "enabled": switchedOn, "url": notRead, "uri": anAddress}),
			env: fullEnvironment,
		},
		{
			ID: "amp", Name: "Amp", Infos: []string{"amp-mcp-client"}, Ask: askAgent,
			here: []path{{at: "{config}/amp"}}, programs: []string{"amp"},
			files: []path{{at: "{AMP_SETTINGS_FILE:{config}/amp/settings.json}"}}, project: []string{".amp/settings.json"},
			servers: []place{{format: formatJSONC, path: []string{"amp.mcpServers"}, entry: plain()}},
		},
		{
			ID: "crush", Name: "Crush", Infos: []string{"crush"}, Ask: askAgent,
			here: []path{{at: "{config}/crush"}}, programs: []string{"crush"},
			// Where there is a crushrc, a script, Crush warns of a crush.json beside it.
			files: []path{{at: "{config}/crush/crush.json"}}, project: []string{".crush.json", "crush.json"},
			script: []path{{at: "{config}/crush/crushrc"}}, line: []string{"mcp", "add", "{name}", "--type", "stdio", "--command", "{command}", "--args={args}"},
			servers: reading([]place{{format: formatJSON, path: []string{"mcp"}, entry: stdio()}}, disabling()), env: fullEnvironment,
		},
		{
			ID: "amazon-q", Aliases: []string{"q"}, Name: "Amazon Q", Infos: []string{"Q-DEV-CLI"}, Ask: askAgent,
			here: []path{{at: "~/.aws/amazonq"}},
			// No program is looked for: "q" is the name of too many.
			files: []path{{at: "~/.aws/amazonq/mcp.json"}}, project: []string{".amazonq/mcp.json"},
			servers: reading(mcpServers(plain()), disabling()), env: fullEnvironment,
		},
	}
}

func lesserTerminals() []Client {
	return []Client{
		{
			ID: "droid", Aliases: []string{"factory"}, Name: "Factory Droid", Infos: []string{"factory-cli"}, Ask: askAgent,
			here: []path{{at: "~/.factory"}}, programs: []string{"droid"},
			files: []path{{at: "~/.factory/mcp.json"}}, project: []string{".factory/mcp.json"},
			servers: mcpServers(stdio()),
		},
		{
			ID: "auggie", Aliases: []string{"augment"}, Name: "Auggie", Infos: []string{"augment-mcp-client"}, Ask: askAgent,
			here: []path{{at: "~/.augment"}}, programs: []string{"auggie"},
			files: []path{{at: "~/.augment/settings.json"}}, project: []string{".augment/settings.json"},
			servers: mcpServers(plain()),
		},
		{
			ID: "kilo-code", Aliases: []string{"kilo"}, Name: "Kilo Code", Infos: []string{"Kilo-Code", "kilo"}, Ask: askAgent,
			here: []path{{at: "{config}/kilo"}, code("Code", "/globalStorage/kilocode.kilo-code")}, programs: []string{"kilo"},
			files:   []path{{at: "{config}/kilo/kilo.json"}, {at: "{config}/kilo/kilo.jsonc"}},
			project: []string{"kilo.json", "kilo.jsonc", ".kilo/kilo.json", ".kilo/kilo.jsonc"},
			servers: opencodeServers()[:1], env: fullEnvironment,
		},
		{
			ID: "cline-cli", Name: "Cline CLI", Infos: []string{"Cline"}, Ask: askAgent,
			here: []path{{at: "{CLINE_DIR:~/.cline}"}}, programs: []string{"cline"},
			files:   []path{{at: "{CLINE_DIR:~/.cline}/data/settings/cline_mcp_settings.json"}},
			servers: reading(mcpServers(append(plain(), field{"disabled", false})), disabling()),
		},
		{
			ID: "kimi-code", Aliases: []string{"kimi"}, Name: "Kimi Code", Infos: []string{"kimi-code", "kimi"}, Ask: askAgent,
			here: []path{{at: "{KIMI_CODE_HOME:~/.kimi-code}"}}, programs: []string{"kimi"},
			files: []path{{at: "{KIMI_CODE_HOME:~/.kimi-code}/mcp.json"}}, project: []string{".kimi-code/mcp.json"},
			servers: mcpServers(append(shape{{"transport", "stdio"}}, plain()...)),
		},
		{
			ID: "grok", Aliases: []string{"grok-build"}, Name: "Grok Build", Infos: []string{"grok"}, Ask: askAgent,
			here: []path{{at: "{GROK_HOME:~/.grok}"}}, programs: []string{"grok"}, paste: true,
			files: []path{{at: "{GROK_HOME:~/.grok}/config.toml"}}, project: []string{".grok/config.toml"},
			servers: codexTable(),
		},
		{
			ID: "vibe", Aliases: []string{"mistral-vibe"}, Name: "Mistral Vibe", Infos: []string{"vibe"}, Ask: askAgent,
			here: []path{{at: "{VIBE_HOME:~/.vibe}"}}, programs: []string{"vibe"}, paste: true,
			files: []path{{at: "{VIBE_HOME:~/.vibe}/config.toml"}}, project: []string{".vibe/config.toml"},
			servers: reading([]place{{format: formatTOML, path: []string{"mcp_servers"}, list: true, entry: append(shape{{"transport", "stdio"}}, plain()...)}}, fields{"name": ourOwnValues}),
		},
		{
			ID: "pi", Name: "Pi", Infos: []string{"pi"}, Ask: askAgent,
			here:  []path{{at: "{PI_CODING_AGENT_DIR:~/.pi/agent}"}},
			files: []path{{at: "{PI_CODING_AGENT_DIR:~/.pi/agent}/mcp.json"}}, project: []string{".pi/mcp.json"},
			servers: mcpServers(plain()),
		},
		{
			ID: "mastra-code", Aliases: []string{"mastracode"}, Name: "Mastra Code", Infos: []string{"mastracode"}, Ask: askAgent,
			here: []path{{at: "~/.mastracode"}}, programs: []string{"mastracode"},
			files: []path{{at: "~/.mastracode/mcp.json"}}, project: []string{".mastracode/mcp.json"},
			servers: mcpServers(plain()),
		},
		{
			ID: "mcporter", Name: "MCPorter", Infos: []string{"mcporter"}, Ask: "Try: mcporter list",
			here: []path{{at: "~/.mcporter"}}, programs: []string{"mcporter"},
			files: []path{{at: "~/.mcporter/mcporter.json"}, {at: "~/.mcporter/mcporter.jsonc"}}, project: []string{"config/mcporter.json"},
			servers: reading(mcpServers(plain()), fields{"cwd": aFolder, "baseUrl": anAddress}), env: fullEnvironment,
		},
		{
			ID: "fx", Name: "fx", Infos: []string{"fx"}, Ask: askAgent,
			here: []path{{at: "~/.fx"}},
			// No program is looked for: another one, a viewer of JSON, is called fx.
			files:   []path{{at: "~/.fx/mcp.json"}},
			servers: reading([]place{{format: formatJSON, path: []string{"mcp"}, entry: shape{{"type", "local"}, {"command", theLine}, {"enabled", true}}}}, opencodeFields()),
		},
	}
}
